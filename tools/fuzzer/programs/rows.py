"""Pieces of a body that work on rows: the operations of numerics on one row, or on two."""

import re

from .data import Piece
from .views import KINDS, statements, view

# name | lines. P and E(k) are the pointer and the elements of the row that is written, Q and F(k) those of one that is
# read; e is a small number, T the type, d the width. A name after + only adds; one after ! may be refused.
_ONE = """
+add_loop | for (int k = 0; k < d; ++k) E(k) OP= static_cast<T>(e + k);
+add_first | E(0) OP= e;
+add_macro | FOR_EACH(k, d) E(k) OP= static_cast<T>(e * k);
+add_some | for (int k = 0; k < d; ++k) { if ((k + j) % 3 == 1) continue; E(k) OP= e; }
+add_until | for (int k = 0; k < d; ++k) { if (k > j % 5) break; E(k) OP= e; }
assign_loop | for (int k = 0; k < d; ++k) E(k) = static_cast<T>(e * k + j);
update_loop | for (int k = 0; k < d; ++k) E(k) = static_cast<T>(E(k) * 3 + e);
update_back | for (int k = d; k-- > 0;) E(k) = static_cast<T>(E(k) * 5 - k);
update_reference | for (int k = 0; k < d; ++k) { auto& x = E(k); x += e; x = static_cast<T>(x * 2); }
update_bound | for (int k = 0; k < d; ++k) { auto& x = E(k) += e; x = static_cast<T>(x * 3); }
update_branch | for (int k = 0; k < d; ++k) if (E(k) & 1) E(k) ^= e; else E(k) = static_cast<T>(E(k) / 2 + e);
update_scan | for (int k = 1; k < d; ++k) E(k) = static_cast<T>(E(k) + E(k - 1));
update_while | int k = 0; while (k < d && E(k) % 4 != 3) { E(k) += e; ++k; }
update_unrolled | int k = 0; for (; k + 1 < d; k += 2) { E(k) += e; E(k + 1) -= e; } for (; k < d; ++k) E(k) = static_cast<T>(E(k) + 1);
update_late_step | for (int k = 0; k < d;) { E(k) += e; if (E(k) % 2 == 0) E(k) = static_cast<T>(E(k) - 1); ++k; }
update_after | int k = 0; while (k < d - 1) { E(k) += e; ++k; } E(k) = static_cast<T>(E(k) + 5);
update_ends | E(0) = static_cast<T>(E(d - 1) + 1); E(d - 1) -= e;
update_swap | std::swap(E(0), E(d - 1));
update_exchange | E(0) = std::exchange(E(d - 1), e);
update_by_reference | for (int k = 0; k < d; ++k) shift_array(E(k));
update_by_value | for (int k = 0; k < d; ++k) E(k) = twice(E(k));
!update_by_pointer | for (int k = 0; k < d; ++k) bump_at(&E(k), e);
!update_first_by_pointer | bump_at(P, e);
!walk | auto* p = P; for (int k = 0; k < d; ++k) *p++ += e;
!walk_to_end | auto* p = P; auto* const end = p + d; for (; p != end; ++p) *p = static_cast<T>(*p * 2 + 1);
!walk_back | auto* p = P + d; while (p > P) *--p ^= 5;
!walk_range | for (auto& x : std::span(P, d)) x = static_cast<T>(x * 3 + e);
!fill | std::fill(P, P + d, e);
!fill_n | std::fill_n(P, d, e);
!fill_n_returned | auto* p = std::fill_n(P, d - 1, e); p[0] ^= 3;
!memset_returned | auto* p = static_cast<T*>(std::memset(P, 3, (d - 1) * sizeof(T))); p[d - 1] ^= p[0];
!found | for (auto* p = std::find(P, P + d, e); p != P + d; ++p) *p = static_cast<T>(*p * 3 + 1);
!largest | *std::max_element(P, P + d) = e;
!removed | std::fill(std::remove_if(P, P + d, [](T x) { return x % 2 == 0; }), P + d, e);
!span_pointer_past | T* p = std::span(P, 2).data(); for (int k = 0; k < d; ++k) p[k] = static_cast<T>(p[k] * 3 + e);
!span_element_past | T& x = std::span(P, 1).front(); (&x)[d - 1] ^= e;
!iota | std::iota(P, P + d, e);
!sort | std::sort(P, P + d);
!sort_down | std::sort(P, P + d, std::greater<>());
!reverse | std::reverse(P, P + d);
!rotate | std::rotate(P, P + 1, P + d);
!partial_sums | std::partial_sum(P, P + d, P);
!for_each | std::for_each(P, P + d, [&](T& x) { x = static_cast<T>(x + e); });
!transform_self | std::transform(P, P + d, P, [](T x) { return static_cast<T>(x * 3 + 1); });
!replace | std::replace_if(P, P + d, [](T x) { return x % 2 == 0; }, e);
!generate | T next = e; std::generate(P, P + d, [&] { return next++; });
!ranges_sort | std::ranges::sort(std::span(P, d));
!ranges_fill | std::ranges::fill(std::span(P, d), e);
!memset | std::memset(P, 3, d * sizeof(T));
!memmove | std::memmove(P, P + 1, (d - 1) * sizeof(T));
!helper | scale_row(P, d, e);
!helper_part | scale_row(P + 1, d - 1, e);
!helper_span | scale_span(std::span<T>(P, d), e);
!cast_bytes | auto* bytes = reinterpret_cast<unsigned char*>(P); for (unsigned b = 0; b < d * sizeof(T); ++b) bytes[b] ^= 9;
!far_helper int | far_scale(P, d, e);
far_reference int | for (int k = 0; k < d; ++k) far_bump(E(k), e);
far_value int | for (int k = 0; k < d; ++k) E(k) = far_mix(E(k), e);
!vector_add 4 | const __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(P)); _mm_storeu_si128(reinterpret_cast<__m128i*>(P), _mm_add_epi32(x, _mm_set1_epi32(e)));
!vector_pointer 4 | auto* x = reinterpret_cast<__m128i*>(P); _mm_storeu_si128(x, _mm_xor_si128(_mm_loadu_si128(x), _mm_set1_epi32(7)));
"""
_TWO = """
+add_product | for (int k = 0; k < d; ++k) E(k) OP= static_cast<T>(F(k) * e);
+add_reversed | for (int k = 0; k < d; ++k) E(k) OP= F(d - 1 - k);
+add_dot | T sum{}; for (int k = 0; k < d; ++k) sum += static_cast<T>(F(k) * F(k)); E(0) OP= sum;
+add_if | for (int k = 0; k < d; ++k) if (F(k) > 40) E(k) OP= F(k);
copy_loop | for (int k = 0; k < d; ++k) E(k) = F(k);
mix_loop | for (int k = 0; k < d; ++k) E(k) = static_cast<T>(F(d - 1 - k) - E(k) * 3);
max_loop | for (int k = 0; k < d; ++k) E(k) = std::max(E(k), F(k));
branch_loop | for (int k = 0; k < d; ++k) { if (F(k) % 3 == 0) continue; if (F(k) > 90) break; E(k) = static_cast<T>(E(k) + F(k)); }
gather | T held[8]; for (int k = 0; k < d; ++k) held[k] = F(k); for (int k = 0; k < d; ++k) E(k) = static_cast<T>(held[(k + 1) % d] + E(k));
two_references | for (int k = 0; k < d; ++k) { auto& x = E(k); const auto& y = F(k); x = static_cast<T>(x ^ y); }
!pointers | auto* p = P; const auto* q = Q; for (int k = 0; k < d; ++k, ++p, ++q) *p = static_cast<T>(*p * 2 + *q);
!post_increment | auto* p = P; const auto* q = Q; for (int k = 0; k < d; ++k) *p++ = *q++;
!memcpy | std::memcpy(P, Q, d * sizeof(T));
!memcpy_part | std::memcpy(P + 1, Q, (d - 1) * sizeof(T));
!copy | std::copy(Q, Q + d, P);
!copy_returned | auto* p = std::copy(Q, Q + d - 1, P); *p = e;
!transform_returned | auto* p = std::transform(Q, Q + d - 1, P, [](T x) { return static_cast<T>(x + 1); }); p[0] ^= 5;
!copy_n | std::copy_n(Q, d, P);
!copy_backward | std::copy_backward(Q, Q + d, P + d);
!reverse_copy | std::reverse_copy(Q, Q + d, P);
!transform | std::transform(Q, Q + d, P, [](T x) { return static_cast<T>(x * 3 + 1); });
!transform_two | std::transform(P, P + d, Q, P, [&](T x, T y) { return static_cast<T>(x * 2 + y * e); });
!transform_plus | std::transform(P, P + d, Q, P, std::plus<>());
!inner_product | E(0) = std::inner_product(Q, Q + d, Q, T{});
!accumulate | E(0) += std::accumulate(Q, Q + d, T{});
!partial_sum | std::partial_sum(Q, Q + d, P);
!difference | std::adjacent_difference(Q, Q + d, P);
!max_element | E(0) = *std::max_element(Q, Q + d);
!ranges_copy | std::ranges::copy(std::span(Q, d), P);
!helper_two | add_rows<T>(P, Q, d, e);
!helper_walk | walk_rows<T>(P, Q, d);
!helper_dot | E(d - 1) = dot<T>(Q, P, d);
!helper_total | E(0) = total_of<T>(std::span<const T>(Q, d));
!far_total int | E(0) = far_total(Q, d);
!vector_two 4 | const __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(P)), y = _mm_loadu_si128(reinterpret_cast<const __m128i*>(Q)); _mm_storeu_si128(reinterpret_cast<__m128i*>(P), _mm_sub_epi32(x, y));
"""
# both rows are of one container, and may be one row
_PAIR = """
pair_add | for (int k = 0; k < d; ++k) E(k) += F(k);
pair_swap | for (int k = 0; k < d; ++k) std::swap(E(k), F(k));
pair_mix | for (int k = 0; k < d; ++k) { const T x = E(k), y = F(k); E(k) = static_cast<T>(y * 3 + e); F(k) = static_cast<T>(x + y); }
pair_dot | T sum{}; for (int k = 0; k < d; ++k) sum += static_cast<T>(E(k) * F(k)); E(0) = sum; F(d - 1) ^= sum;
pair_references | for (int k = 0; k < d; ++k) { auto& x = E(k); auto& y = F(k); x = static_cast<T>(x * 2 + y); y = static_cast<T>(y - e); }
!pair_pointers | auto* p = P; auto* q = Q; for (int k = 0; k < d; ++k, ++p, ++q) { *p = static_cast<T>(*p * 3 + *q); *q ^= 1; }
!pair_pointers_swapped | auto* p = P; auto* q = Q; std::swap(p, q); for (int k = 0; k < d; ++k) p[k] = static_cast<T>(q[k] * 3 + e);
!pair_pointers_sorted | T* p = P; T* q = Q; if (*q < *p) std::swap(p, q); for (int k = 0; k < d; ++k) { p[k] += e; q[k] ^= 3; }
!pair_chosen | T* p = j % 2 == 0 ? P : Q; for (int k = 0; k < d; ++k) p[k] = static_cast<T>(p[k] * 3 + e);
!pair_memmove | std::memmove(P, Q, d * sizeof(T));
!pair_memmove_over | std::memmove(P + 1, P, (d - 1) * sizeof(T)); std::memmove(Q, Q + 1, (d - 1) * sizeof(T));
!pair_helper | add_rows<T>(P, Q, d, e);
!pair_helper_twice | scale_row<T>(P, d, e); scale_row<T>(Q, d - 1, e);
!pair_temporary | T held[8]; std::memcpy(held, P, d * sizeof(T)); std::memmove(P, Q, d * sizeof(T)); std::memcpy(Q, held, d * sizeof(T));
!pair_struct | struct { T* one; T* two; } both{P, Q}; for (int k = 0; k < d; ++k) both.one[k] = static_cast<T>(both.two[k] * 5 + e);
!pair_array | T* both[2] = {P, Q}; for (T* row : both) for (int k = 0; k < d; ++k) row[k] = static_cast<T>(row[k] * 3 + e);
!pair_lambda | const auto add = [&](T* to, const T* from) { for (int k = 0; k < d; ++k) to[k] = static_cast<T>(to[k] + from[k]); }; add(P, Q); add(Q, P);
"""
_FOLDED = """
sum | for (int k = 0; k < d; ++k) S += F(k); | u64 sum 5
sum_if | for (int k = 0; k < d; ++k) if (F(k) % 2 == 0) S += F(k); | i64 sum 0
best | for (int k = 0; k < d; ++k) S = std::max(S, F(k)); | T best 3
least | for (int k = 0; k < d; ++k) if (F(k) < S) S = F(k); | T low 99
bits | for (int k = 0; k < d; ++k) S ^= F(k); | T bits 0
count | int held = 0; for (int k = 0; k < d; ++k) held += F(k) > 50; S += held; | i64 count 0
!accumulate_into | S += std::accumulate(Q, Q + d, i64{0}); | i64 sum 0
!product_into | S += std::inner_product(Q, Q + d, Q, u64{0}); | u64 sum 1
!count_into | S += std::count_if(Q, Q + d, [](T x) { return x > 30; }); | i64 count 0
!minimum_into | S = std::min(S, *std::min_element(Q, Q + d)); | T low 99
!helper_into | S += dot<T>(Q, Q, d); | u64 sum 0
"""


def table_of(text):
    rows = []
    for line in text.strip().splitlines():
        head, *rest = (part.strip() for part in line.split(" | "))
        rows.append((head, *rest))
    return rows


_ONE, _TWO, _PAIR, _FOLDED = map(table_of, (_ONE, _TWO, _PAIR, _FOLDED))


def _fits(pool, head):
    """Whether a row of the table is for the loop's type and width."""
    if head.endswith((" int", " 4")) and pool.type != "int":
        return False
    return not head.endswith(" 4") or pool.width % 4 == 0


def idiom_of(head):
    return head.lstrip("+!").partition(" ")[0]


def spelled(text, words, views):
    """The text of a table with its words replaced: E(k) and F(k) by elements, the others as they are."""
    out, at = [], 0
    while at < len(text):
        end = at
        while end < len(text) and (text[end].isalnum() or text[end] == "_"):
            end += 1
        token = text[at:end]
        if token in views and text[end:end + 1] == "(":
            close = text.index(")", end)
            out.append(views[token].at(spelled(text[end + 1:close], words, views)))
            at = close + 1
        else:
            out.append(words.get(token, token) if token else text[at])
            at = max(end, at + 1)
    return "".join(out)


def named(uses, lines):
    """The containers that the lines name."""
    words = set(re.findall(r"\w+", " ".join(lines)))
    return [c for c in uses if c.name in words]


def _seen(pool, name, roles, writes, uses):
    kinds = KINDS if writes or pool.chance(0.7) else ("flat",)
    container = pool.some(kinds, roles)
    row, more = pool.place(container)
    uses += [container, *more]
    return view(pool, container, row, name, writes), container


def one_row(pool):
    """A row is changed, by itself and a number."""
    adds = pool.chance(0.25)
    table = [row for row in _ONE if _fits(pool, row[0]) and (not adds or row[0].startswith("+"))]
    return _rows(pool, pool.rng.choice(table), adds)


def two_rows(pool):
    """A row is changed by another."""
    adds = pool.chance(0.25)
    table = [row for row in _TWO if _fits(pool, row[0]) and (not adds or row[0].startswith("+"))]
    return _rows(pool, pool.rng.choice(table), adds, two=True)


def _rows(pool, row, adds, two=False):
    head, text = row
    e, uses = pool.scalar()
    target, container = _seen(pool, "row", ("add",) if adds else pool.written_roles(), True, uses)
    op = container.op if adds else pool.rng.choice("+-^")
    if op in ("max", "min"):
        text, op = text.replace("E(k) OP= ", f"E(k) = std::{op}<T>(E(k), ").replace("E(0) OP= ", f"E(0) = std::{op}<T>(E(0), "), ""
        text = _closed(text)
    views, before, good = {"E": target}, list(target.before), target.good and "!" not in head
    idioms = [idiom_of(head), target.idiom]
    words = {"P": target.pointer, "e": e, "T": pool.type, "d": pool.dim, "OP": op}
    if two:
        roles = ("read", "read", *(r for r in ("own", "state") if not adds and (r == "own" or pool.state)))
        source, other = _seen(pool, "from", roles, False, uses)
        if other == container:  # rows that may be one: only statements that read before they write are defined
            source, other = _seen_new(pool, uses)
        views["F"], words["Q"] = source, source.pointer
        before, good = before + list(source.before), good and source.good
        idioms.append(source.idiom)
    lines = [*before, *statements(spelled(text, words, views))]
    return Piece(tuple(idioms), lines, named(uses, lines), good=good)


def row_pair(pool):
    """Two rows of one container are changed."""
    if not pool.state:
        return two_rows(pool)
    head, text = pool.rng.choice([row for row in _PAIR if _fits(pool, row[0])])
    e, uses = pool.scalar()
    target, container = _seen(pool, "row", ("state",), True, uses)
    row, more = pool.place(container)
    other = view(pool, container, row, "other", True)
    words = {"P": target.pointer, "Q": other.pointer, "e": e, "T": pool.type, "d": pool.dim}
    lines = [*target.before, *other.before, *statements(spelled(text, words, {"E": target, "F": other}))]
    return Piece((idiom_of(head), target.idiom, other.idiom), lines, named([*uses, *more], lines),
                 good=target.good and other.good and "!" not in head)


def _seen_new(pool, uses):
    container = pool.add(pool.rng.choice(KINDS), "read")
    row, more = pool.place(container)
    uses += [container, *more]
    return view(pool, container, row, "from", False), container


def _closed(text):
    """A bracket closed before the end of the statement that a fold by max or min has opened."""
    begin = text.index("std::m")
    end = text.index(";", begin)
    return text[:end] + ")" + text[end:]


def folded_row(pool):
    """A row is read into a reduction."""
    head, text, fold = pool.rng.choice([row for row in _FOLDED if _fits(pool, row[0])])
    kind, name, first = fold.split()
    uses = []
    source, _ = _seen(pool, "from", ("read", "own", "state") if pool.state else ("read", "own"), False, uses)
    name = pool.fresh(name)
    kind = pool.type if kind == "T" else kind
    words = {"Q": source.pointer, "T": pool.type, "d": pool.dim, "S": name}
    lines = [*source.before, *statements(spelled(text, words, {"F": source}))]
    return Piece(("into_" + idiom_of(head), source.idiom), lines, named(uses, lines), [(kind, name, first)],
                 good=source.good and "!" not in head)
