"""Pieces of a body that work on single elements: updates, scatters, maps, sparse rows, reductions, swaps."""

from .data import Piece
from .rows import idiom_of, named, spelled, table_of
from .views import statements

# X an element of the container that is written, Y one that is read, e a number, T the type; ! may be refused
_ADDED = """
add | X OP= e;
add_read | X OP= Y;
add_at | A.at(R) OP= e;
add_reference | auto& x = X; x OP= e;
add_twice | X OP= e; X OP= Y;
add_if | if (Y % 3 != 0) X OP= e;
add_chosen | X OP= Y > 50 ? e : Y;
add_function | element(A, R) OP= e;
add_lambda | const auto at = [&](i64 i) -> T& { return A[i]; }; at(R) OP= e;
!add_pointer | T* x = &X; *x OP= e;
!add_address | *&X OP= e;
"""
_STEPPED = """
step | ++X;
step_after | X++;
step_long | X = static_cast<T>(X + 1);
step_if | if (Y > 30) ++X;
"""
_CHANGED = """
update | X = static_cast<T>(X * 3 + e);
update_read | X = static_cast<T>(X * 5 + Y);
update_reference | auto& x = X; x = static_cast<T>(x * 5 + e);
update_auto | auto&& x = X; x = static_cast<T>(x * 3 + Y);
bound_add | auto& x = X += e; x = static_cast<T>(x * 3);
bound_typed | T& x = (X -= e); if (x % 2 == 0) x ^= 3;
bound_step | auto&& x = ++X; x = static_cast<T>(x * 7);
bound_condition | if (auto& x = X += e; x > 3) x = static_cast<T>(x - Y);
bound_chain | (X += e) *= 3;
bound_assigned | (X = static_cast<T>(Y + e)) += 2;
bound_pointer | T* x = &(X += e); *x ^= 6;
bound_used | const T held = X += e; if (held % 2 == 0) X ^= held;
bound_argument | shift_array(X += e);
bound_lambda | const auto more = [&]() -> T& { return X += e; }; more() ^= 2;
read_then_add | const T held = X; X += static_cast<T>(held % 7 + e);
condition_own | if (X % 2 == 1) X = static_cast<T>(X * 3 + 1); else X = static_cast<T>(X / 2 + e);
loop_own | for (int t = 0; t < 3 && X % 5 != 0; ++t) X += e;
return_early | if (X % 4 == 0) return; X ^= e;
exchange | const T held = std::exchange(X, e); X = static_cast<T>(X ^ held);
swap_local | T held = e; std::swap(X, held); X = static_cast<T>(X + held);
by_reference | shift_array(X);
by_value | X = twice(X);
!by_pointer | bump_at(&X, e);
reference_wrapper | std::ref(X).get() += e; X = static_cast<T>(X * 3);
tie | std::tie(X, std::ignore) = std::pair<T, int>(static_cast<T>(X + e), 0);
!bytes | unsigned char held[sizeof(T)]; std::memcpy(held, &X, sizeof(T)); held[0] ^= 5; std::memcpy(&X, held, sizeof(T));
!byte_pointer | *reinterpret_cast<unsigned char*>(&X) ^= 7;
!pointer | T* x = &X; *x = static_cast<T>(*x * 3 + 1); *x ^= e;
!pointer_first | T* const x = &X; x[0] = static_cast<T>(x[0] * 3 + e);
shift | X = static_cast<T>((X << 1) ^ (X >> 3) ^ e);
mask | X = static_cast<T>((X & 0x5a)|(e & 3));
set_bit | X |= static_cast<T>(T{1} << (j % 6));
clear_low | X = static_cast<T>(X & (X - 1)); X += e;
comma | X += e, X ^= Y;
nested_choice | X = X > 50 ? static_cast<T>(X - e) : X > 20 ? static_cast<T>(X * 2) : Y;
switch | switch (j % 3) { case 0: X += e; break; case 1: X ^= e; [[fallthrough]]; default: X = static_cast<T>(X * 3); }
recomputed | const auto at = R; A[at] += e; A[at] = static_cast<T>(A[at] * 3);
at_and_subscript | A.at(R) = static_cast<T>(A[R] * 3 + e);
const_read | X = static_cast<T>(std::as_const(A)[R] * 3 + e);
far_reference int | far_bump(X, e);
far_value int | X = far_mix(X, e);
array_step | for (const int t : {1, 2, 3}) X = static_cast<T>(X * t + e);
structured | auto [q, r] = std::pair<T, T>(static_cast<T>(X / 3), static_cast<T>(X % 3)); X = static_cast<T>(q * 5 + r + e);
"""
# A[R] and A[R2] may be one element
_PAIRED = """
swap | std::swap(A[R], A[R2]);
move_on | A[R] += A[R2];
rotate | const T held = A[R]; A[R] = A[R2]; A[R2] = static_cast<T>(held + e);
either | (j % 2 == 0 ? A[R] : A[R2]) += e; A[R] ^= 1;
minmax | const auto [low, high] = std::minmax(A[R], A[R2]); const T a = low, b = high; A[R] = a; A[R2] = b;
difference | const T held = static_cast<T>(A[R] - A[R2]); A[R] -= static_cast<T>(held / 2); A[R2] += static_cast<T>(held / 2);
references | auto& x = A[R]; auto& y = A[R2]; x = static_cast<T>(x * 3 + y); y ^= x;
!pointers | T* x = &A[R]; T* y = &A[R2]; std::swap(x, y); *x = static_cast<T>(*x + e); *y ^= 3;
!chosen_pointer | T* x = j % 3 == 0 ? &A[R] : &A[R2]; *x = static_cast<T>(*x * 3 + e);
!iter_swap | std::iter_swap(&A[R], &A[R2]);
"""
_KEYS = {"int": ("static_cast<int>(I * 1003 - 7)", "static_cast<int>(j % 19)", "int(I)", "static_cast<int>(I << 8 | (j & 3))"),
         "std::string": ("std::to_string(I)", 'std::string("k") + std::to_string(j % 23)', "W"),
         "spot": ("spot{I, static_cast<int>(j % 3)}", "spot{static_cast<int>(j % 9), 2}")}
_MAP_ADDED = """
map_add | M[K] += E;
map_step | ++M[K];
map_add_if | if (j % 3 != 1) M[K] += E;
map_key | const auto key = K; M[key] += E;
map_key_moved | auto key = K; M[std::move(key)] += E;
map_reference | auto& v = M[K]; v += E;
"""
_MAP_CHANGED = """
map_update | auto& v = M[K]; v = v * 3 + E;
map_bound | auto& v = M[K] += E; v *= 3;
map_insert | M.insert({K, E}); M[K] ^= 5;
map_find | auto at = M.find(K); if (at != M.end()) at->second = at->second * 3 + E; else M[K] = E;
map_contains | if (M.contains(K)) M.at(K) -= E; else M[K] = E;
map_count | if (M.count(K) == 0) M[K] = E; M[K] *= 3;
map_twice | M[K] = M[K] * 2 + E;
map_inserted | if (const auto [at, fresh] = M.insert({K, E}); !fresh) at->second ^= E;
map_erase | if (j % 5 == 0) M.erase(K); else M[K] += E;
map_second | auto& v = M[K]; std::swap(v, M[K]); v += E;
"""
_REDUCED = """
sum | S += e; | u64 sum 7
sum_long | S = S + e; | i64 sum 0
sum_down | S -= Y; | i64 sum 900
count | ++S; | int count 0
count_if | if (Y > 40) S++; | i64 count 3
best | S = std::max<i64>(S, Y); | i64 best -5
least | const i64 y = static_cast<i64>(Y); S = y < S ? y : S; | i64 low 1000
best_if | if (Y > S) S = Y; | T best 0
exclusive | S ^= static_cast<u64>(e) << (j % 40); | u64 bits 0
inclusive | S |= u64{1} << (j % 50); | u64 bits 0
narrowed | S &= ~(u64{1} << (Y % 30)); | u64 mask ~u64{0}
product | S *= static_cast<u64>(2 * e + 1); | u64 product 1
any | S = S || Y > 97; | bool any false
all | S = S && Y < 99; | bool all true
flag | if (Y == 17) S = true; | bool seen false
array | S[j % 4] += e; | FOUR counts {}
member | S.n += 1; S.total += Y; | TALLY tally {}
mean | S += (Y % 2 != 0); | unsigned odd 0
lambda | const auto more = [&](i64 by) { S += by; }; more(e); | i64 sum 0
inner | for (int t = 0; t < 3; ++t) S += t * e; | u64 sum 0
"""
_ADDED, _STEPPED, _CHANGED, _PAIRED, _MAP_ADDED, _MAP_CHANGED, _REDUCED = map(
    table_of, (_ADDED, _STEPPED, _CHANGED, _PAIRED, _MAP_ADDED, _MAP_CHANGED, _REDUCED))


def _choose(pool, table):
    head, *rest = pool.rng.choice([row for row in table if not row[0].endswith(" int") or pool.type == "int"])
    return idiom_of(head), "!" not in head, rest


def _words(pool, uses):
    """The names of all tables: e, T, j, and Y, an element that the loop only reads."""
    e, more = pool.scalar()
    source = pool.some(("scalar",), ("read",))
    row, where = pool.place(source)
    uses += [*more, source, *where]
    return {"e": e, "T": pool.type, "Y": f"{source.name}[{row}]"}


def _piece(pool, idiom, good, text, words, uses, folds=()):
    lines = statements(spelled(text, words, {}))
    return Piece((idiom,), lines, named(uses, lines), list(folds), good=good)


def added(pool):
    table = _ADDED
    uses = []
    words = _words(pool, uses)
    target = pool.some(("scalar",), ("add",))
    if target.op == "+" and pool.chance(0.3):
        table = _STEPPED
    row, more = pool.place(target)
    idiom, good, (text,) = _choose(pool, table)
    op = target.op
    if op in ("max", "min"):
        if idiom in ("add", "add_read", "add_if", "add_twice"):
            text = text.replace("X OP= e", f"X = std::{op}<T>(X, e)").replace("X OP= Y", f"X = std::{op}<T>(X, Y)")
        else:
            sign = ">" if op == "max" else "<"
            idiom, good, text = f"add_{op}", True, f"if (Y {sign} X) X = Y;"
    words |= {"A": target.name, "R": row, "X": f"{target.name}[{row}]", "OP": op}
    return _piece(pool, idiom, good, text, words, [*uses, target, *more])


def changed(pool):
    uses = []
    words = _words(pool, uses)
    target = pool.some(("scalar",), pool.written_roles())
    row, more = pool.place(target)
    idiom, good, (text,) = _choose(pool, _CHANGED)
    words |= {"A": target.name, "R": row, "X": f"{target.name}[{row}]"}
    return _piece(pool, idiom, good, text, words, [*uses, target, *more])


def paired(pool):
    if not pool.state:
        return changed(pool)
    uses = []
    words = _words(pool, uses)
    target = pool.some(("scalar",), ("state",))
    (one, more), (two, others) = pool.place(target), pool.place(target)
    idiom, good, (text,) = _choose(pool, _PAIRED)
    words |= {"A": target.name, "R": one, "R2": two}
    return _piece(pool, "paired_" + idiom, good, text, words, [*uses, target, *more, *others])


def mapped(pool):
    key_type = pool.rng.choice(tuple(_KEYS))
    adds = not pool.state or pool.chance(0.3)
    idiom, good, (text,) = _choose(pool, _MAP_ADDED if adds else _MAP_CHANGED)
    target = pool.some(("map",), ("add",) if adds else ("state",), element=key_type)
    uses = []
    words = _words(pool, uses)
    ids = pool.add("index", "read", rows=pool.n, width=29)
    texts = pool.add("words", "read", rows=pool.n)
    key = spelled(pool.rng.choice(_KEYS[key_type]), {"I": f"{ids.name}[j]", "W": f"{texts.name}[j]"}, {})
    words |= {"M": target.name, "K": key, "E": f"static_cast<int>({words['e']})"}
    return _piece(pool, f"{idiom}<{key_type}>", good, text, words, [*uses, ids, texts, target])


def reduced(pool):
    idiom, good, (text, fold) = _choose(pool, _REDUCED)
    uses = []
    words = _words(pool, uses)
    kind, name, first = fold.split(" ", 2)
    kind = {"T": pool.type, "FOUR": "std::array<i64, 4>", "TALLY": "tally"}.get(kind, kind)
    name = pool.fresh(name)
    words["S"] = name
    return _piece(pool, "reduce_" + idiom, good, text, words, uses, [(kind, name, first)])


# sparse rows: P the entry, I indptr, C indices, V values
_SPARSE = {
    "own": ("sparse_row", "T sum{}; for (int p = I[j]; p < I[j + 1]; ++p) sum += static_cast<T>(V[p] * Y[C[p]]); A[j] += sum;"),
    "add": ("sparse_scatter", "for (int p = I[j]; p < I[j + 1]; ++p) A[C[p]] OP= static_cast<T>(V[p] * e);"),
    "state": ("sparse_update", "for (auto p = I[j]; p != I[j + 1]; ++p) { auto& x = A[C[p]]; x = static_cast<T>(x * 3 + V[p]); }"),
}


def sparse(pool):
    """A row of a matrix in CSR, in captured vectors."""
    role = pool.rng.choice(("own", "add", "state") if pool.state else ("own", "add"))
    idiom, text = _SPARSE[role]
    target = pool.add("scalar", role)
    if target.op in ("max", "min"):
        text = "for (int p = I[j]; p < I[j + 1]; ++p) { if (V[p] > A[C[p]]) A[C[p]] = V[p]; }" if target.op == "max" else \
            "for (int p = I[j]; p < I[j + 1]; ++p) A[C[p]] = std::min<T>(A[C[p]], V[p]);"
        if role != "add":
            text = _SPARSE[role][1]
    e, uses = pool.scalar()
    source = pool.add("scalar", "read", rows=target.rows)
    tag = pool.made
    names = [f"{word}{tag}" for word in ("indptr", "indices", "values")]
    columns = source.rows if role == "own" else target.rows
    made = [f"std::vector<int> {', '.join(names)};", f"make_rows({', '.join(names)}, {pool.n}, {columns}, {tag});"]
    words = {"I": names[0], "C": names[1], "V": names[2], "A": target.name, "Y": source.name, "e": e, "T": pool.type,
             "OP": target.op}
    lines = statements(spelled(text, words, {}))
    uses = named([*uses, source, target], lines)
    return Piece((idiom,), lines, uses, values=[(made[k] if k < 2 else "", names[k]) for k in range(3)])


# cells: an array of structs, and its fields
_CELLS = """
cell_field | C[R].a += e;
cell_member | C[R].bump(e);
cell_reference | auto& s = C[R]; s.a = static_cast<T>(s.a * 3 + s.first());
cell_pointer | auto* s = &C[R]; s->a ^= e; s->b[0] += s->a;
cell_binding | auto& [a, b] = C[R]; a = static_cast<T>(a + b[1] + e);
cell_copy | const auto s = C[R]; C[R].a = static_cast<T>(s.a + s.b[0] + e);
cell_assign | auto s = C[R]; s.a = static_cast<T>(s.a * 2 + e); C[R] = s;
cell_both | C[R].b[0] = C[R].a; C[R].a += C[R].b[1];
cell_pointer_to_member | auto field = &std::remove_reference_t<decltype(C[R])>::a; C[R].*field += e;
cell_field_reference | auto& a = C[R].a; a = static_cast<T>(a * 3 + e);
cell_bound | auto& a = C[R].a += e; a ^= 3;
"""
_CELLS = table_of(_CELLS)


def celled(pool):
    target = pool.some(("cell",), pool.written_roles())
    row, more = pool.place(target)
    e, uses = pool.scalar()
    idiom, good, (text,) = _choose(pool, _CELLS)
    return _piece(pool, idiom, good, text, {"C": target.name, "R": row, "e": e, "T": pool.type}, [*uses, *more, target])


_GROWN = """
grow_push | N[R].push_back(e); if (N[R].size() > 9) N[R].clear();
grow_resize | auto& v = N[R]; v.resize(v.size() % 5 + 1); v[0] = e;
grow_total | auto& v = N[R]; v.push_back(std::accumulate(v.begin(), v.end(), T{}));
grow_assign | N[R].assign(3, e);
grow_insert | auto& v = N[R]; v.insert(v.begin(), e); if (v.size() > 6) v.pop_back();
grow_sort | auto& v = N[R]; std::sort(v.begin(), v.end()); v.erase(std::unique(v.begin(), v.end()), v.end()); v.push_back(e);
grow_swap | std::vector<T> held{e, e}; N[R].swap(held);
"""
_GROWN = table_of(_GROWN)


def grown(pool):
    """Vectors as elements change their sizes; no other piece takes rows of these."""
    target = pool.add("nested", pool.rng.choice(pool.written_roles()))
    pool.containers.remove(target)
    row, more = pool.place(target)
    e, uses = pool.scalar()
    idiom, good, (text,) = _choose(pool, _GROWN)
    return _piece(pool, idiom, good, text, {"N": target.name, "R": row, "e": e, "T": pool.type}, [*uses, *more, target])


# pointers and views of a container's elements, made before the loop: refused, or right
_OUTSIDE = """
!outside_pointer | B[R] += e; | T* const B = &A[0];
!outside_span | B[R] += e; | const auto B = A.span(0, A.size());
!outside_reference | B += e; | T& B = A[0];
!outside_const | A[R] = static_cast<T>(B[R] + e); | const T* B = &A[0];
!outside_view | B(R) += e; | const row_view<T> B{&A[0], 1};
!outside_lambda | B(R) += e; | const auto B = [at = &A[0]](i64 i) -> T& { return at[i]; };
!outside_iterator | B[R] += e; | const auto B = A.begin();
"""
_OUTSIDE = table_of(_OUTSIDE)


def outside(pool):
    target = pool.some(("scalar",), pool.written_roles())
    row, more = pool.place(target)
    e, uses = pool.scalar()
    idiom, good, (text, made) = _choose(pool, _OUTSIDE)
    name = pool.fresh("B")
    words = {"A": target.name, "B": name, "R": row, "e": e, "T": pool.type}
    lines = statements(spelled(text, words, {}))
    return Piece((idiom,), lines, [target, *named([*uses, *more], lines)], values=[(spelled(made, words, {}), name)], good=good)
