"""The ways of C++ to reach a row. Each gives lines before, a pointer to the first element, and element k.

A view stands between the loop's data and the code of a piece; pieces of rows.py take any view.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class View:
    idiom: str
    before: tuple
    pointer: str
    element: str  # {k} stands for the subscript
    good: bool = True

    def at(self, k):
        return self.element.replace("{k}", str(k))


# name of the idiom: before | pointer | element k. C container, r row, T type, Q its const, N name, D constant width, d width.
# An analysis may fail to find the extent of a view that begins with !, so its refusal is not a false one.
_FLAT = """
subscript: | &C[r * d] | C[r * d + {k}]
subscript_at: | &C.at(r * d) | C.at(d * r + {k})
macro_at: | ROW(C, r, d) | AT(C, r, d, {k})
span: auto N = C.span(r * d, d); | N.data() | N[{k}]
span_pointer: Q* N = C.span(r * d, d).data(); | N | N[{k}]
span_begin: auto N = C.span(r * d, d).begin(); | std::to_address(N) | N[{k}]
span_typed: std::span<Q> N = C.span((r) * d, d); | N.data() | N[{k}]
span_reference: Q& N = C.span(r * d, d)[0]; | &N | (&N)[{k}]
span_part: auto N = C.span(r * d, d).subspan(0, d); | N.data() | N[{k}]
!address: Q* N = &C[r * d]; | N | N[{k}]
!address_auto: auto* N = &C[(r) * d]; | N | N[{k}]
!address_local: const i64 N_at = (r) * d; Q* const N = &C[N_at]; | N | N[{k}]
!address_sum: Q* N = &C[(r) * d]; Q* N_2 = N; | N_2 | N_2[{k}]
!address_of: Q* N = std::addressof(C[r * d]); | N | *(N + {k})
!base: Q* N_base = &C[0]; Q* N = N_base + (r) * d; | N | N[{k}]
!base_inline: Q* N = &C[0] + (r) * d; | N | N[{k}]
!base_subscript: Q* N = &C[0]; | N + (r) * d | N[(r) * d + {k}]
!first_reference: Q& N = C[r * d]; | &N | (&N)[{k}]
!span_of_address: std::span<Q> N(&C[r * d], d); | N.data() | N[{k}]
!span_deduced: std::span N{&C[r * d], static_cast<std::size_t>(d)}; | N.data() | N[{k}]
!span_of_two: std::span<Q> N(&C[r * d], &C[r * d] + d); | N.data() | N[{k}]
!as_array: auto& N = *reinterpret_cast<Q(*)[D]>(&C[r * d]); | N | N[{k}]
!as_arrays: auto* N = reinterpret_cast<Q(*)[D]>(&C[0]); | N[r] | N[r][{k}]
!behind: Q* N = &C[r * d] + d; | (N - d) | N[{k} - d]
!last: Q* N = &C[(r) * d + d - 1]; | (N - (d - 1)) | *(N - (d - 1 - ({k})))
!lambda_row: const auto N_by = [&](i64 i) { return &C[i * d]; }; Q* N = N_by(r); | N | N[{k}]
lambda_element: const auto N = [&](i64 i, i64 k) -> Q& { return C[i * d + k]; }; | &N(r, 0) | N(r, {k})
!function_row: Q* N = row_of(C, r, d); | N | N[{k}]
function_element: | &element(C, (r) * d) | element(C, (r) * d + {k})
!struct_view: row_view<Q> N{&C[r * d], d}; | N.first | N({k})
!macro_row: Q* N = ROW(C, r, d); | N | N[{k}]
!choice: Q* N = j % 2 == 0 ? &C[(r) * d] : &C[0 + (r) * d]; | N | N[{k}]
!void: Q* N = static_cast<Q*>(static_cast<VOID*>(&C[r * d])); | N | N[{k}]
!assigned: Q* N = nullptr; N = &C[r * d]; | N | N[{k}]
!stepped: Q* N = &C[0]; N += (r) * d; | N | N[{k}]
!integer: Q* N = reinterpret_cast<Q*>(reinterpret_cast<std::uintptr_t>(&C[r * d])); | N | N[{k}]
!pair: const std::pair<Q*, i64> N(&C[r * d], d); | N.first | N.first[{k}]
!array_of_pointers: Q* N[2] = {&C[r * d], nullptr}; | N[0] | N[0][{k}]
"""
_ARRAY = """
array: | C[r].data() | C[r][{k}]
array_at: | &C.at(r)[0] | C.at(r).at({k})
array_reference: auto& N = C[r]; | N.data() | N[{k}]
array_pointer: auto* N = &C[r]; | N->data() | (*N)[{k}]
array_data: Q* N = C[r].data(); | N | N[{k}]
array_first: Q* N = &C[r][0]; | N | N[{k}]
array_begin: auto N = C[r].begin(); | &*N | N[{k}]
array_span: std::span<Q> N(C[r]); | N.data() | N[{k}]
array_span_of: auto& N_row = C[r]; std::span<Q> N(N_row.data(), N_row.size()); | N.data() | N[{k}]
array_lambda: const auto N_of = [&](i64 i) -> auto& { return C[i]; }; auto& N = N_of(r); | N.data() | N[{k}]
array_function: auto& N = element(C, r); | N.data() | N[{k}]
!array_base: auto* N = &C[0]; | N[r].data() | N[r][{k}]
!array_walk: auto* N = &C[0] + (r); | N->data() | (*N)[{k}]
"""
_CELL = """
cell: | C[r].b | C[r].b[{k}]
cell_reference: auto& N = C[r]; | N.b | N.b[{k}]
cell_pointer: auto* N = &C[r]; | N->b | N->b[{k}]
cell_member: Q* N = C[r].b; | N | N[{k}]
cell_binding: auto& [N_a, N] = C[r]; | N | N[{k}]
cell_field: auto& N = C[r].b; | N | N[{k}]
cell_function: auto& N = element(C, r); | N.b | N.b[{k}]
!cell_base: auto* N = &C[0]; | N[r].b | N[r].b[{k}]
"""


def _table(text):
    rows = []
    for line in text.strip().splitlines():
        idiom, _, rest = line.partition(": ")
        rows.append((idiom.lstrip("!"), not line.startswith("!"), *(part.strip() for part in rest.split(" | "))))
    return rows


_TABLES = {"flat": _table(_FLAT.replace(": |", ":  |")), "array": _table(_ARRAY.replace(": |", ":  |")),
           "cell": _table(_CELL.replace(": |", ":  |"))}
KINDS = ("flat", "flat", "flat", "array", "nested", "cell")


def statements(text):
    """Puts each statement on a line, except inside brackets."""
    lines, depth, begin = [], 0, 0
    for at, sign in enumerate(text):
        depth += (sign in "({[") - (sign in ")}]")
        if depth == 0 and sign == ";" and not text[at + 1:].lstrip().startswith("else"):
            lines.append(text[begin:at + 1].strip())
            begin = at + 1
    return [line for line in (*lines, text[begin:].strip()) if line]


def view(pool, container, row, name, writes):
    """A random view of `row`; for a row that is only read, sometimes through const."""
    table = _TABLES["array" if container.kind == "nested" else container.kind]
    if not writes:
        table = [entry for entry in table if "function" not in entry[0]]  # of a container that is not const
    idiom, good, *rest = pool.rng.choice(table)
    constant = not writes and pool.chance(0.5) and "begin" not in idiom and "integer" not in idiom
    row = row if row.isalnum() else f"({row})"
    element = f"const {container.type}" if constant else container.type
    words = {"C": container.name, "r": row, "T": container.type, "Q": element, "N": name, "D": str(pool.width),
             "d": pool.dim, "VOID": "const void" if constant else "void"}
    before, pointer, at = (_filled(part, words) for part in rest)
    if container.kind == "nested":
        idiom = idiom.replace("array", "nested")
    return View(idiom, tuple(statements(before)), pointer, at, good)


def _filled(text, words):
    """Replaces the words of a table's entry as tokens; N_of is a token of N too."""
    out, at = [], 0
    while at < len(text):
        end = at
        while end < len(text) and (text[end].isalnum() or text[end] == "_"):
            end += 1
        token = text[at:end]
        if not token:
            out.append(text[at])
            at += 1
            continue
        stem, mark, rest = token.partition("_")
        out.append(words[token] if token in words else f"{words['N']}_{rest}" if stem == "N" and mark else token)
        at = end
    return "".join(out)
