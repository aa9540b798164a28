"""A program of spec.py as C++ for stradsap-cc, and its loop bodies as Python, statement by statement the same.

    C++                                    Python
    auto& x = C0[I0[j]];                   kx = I0[j]
    const auto y = C1[draw(17, j, s1)];    y = C1[draw(17, j, s1)]
    x = x * 33 + y + 7;                    C0[kx] = (C0[kx] * 33 + y + 7) & MASK
"""

from spec import COUNTS, HEATS, KEYS, SIZES, Loop

TYPES = {"u64": "dvector<u64>", "f64": "dvector<double>", "map": "dmap<int64_t, u64>"}

PRELUDE = """#include <algorithm>
#include <bit>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

using stradsap::dmap;
using stradsap::dvector;
using u64 = std::uint64_t;
namespace consistency = stradsap::consistency;

static u64 mix(u64 a, u64 b) {
  u64 x = a * 0x9E3779B97F4A7C15u + b * 0xD1342543DE82EF95u + 0x632BE59BD9B4E019u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}
static u64 draw(u64 salt, u64 j, u64 below) { return mix(salt, j) % below; }
static int64_t pick(u64 seed, u64 salt, std::vector<int64_t> of) { return of[draw(seed, salt, of.size())]; }
static u64 place(int64_t heat, u64 salt, u64 i, u64 size) {
  if (heat == 1 || (heat == 2 && draw(salt + 1, i, 10) != 0)) return 0;
  if (heat == 3) return std::min({draw(salt, i, size), draw(salt + 1, i, size), draw(salt + 2, i, size)});
  return heat == 4 ? i % size : draw(salt, i, size);
}
static u64 whole(u64 x) { return x; }
static u64 whole(double x) { return static_cast<u64>(static_cast<int64_t>(x * 4.0)); }
static double real(double x) { return x; }
static double real(u64 x) { return static_cast<double>(x % 1024); }
static void print(const char* name, u64 x) { std::printf("%s %016" PRIx64 "\\n", name, x); }
static void print(const char* name, const dvector<u64>& of) {
  std::printf("%s", name);
  for (const u64 x : of) std::printf(" %016" PRIx64, x);
  std::printf("\\n");
}
static void print(const char* name, const dvector<double>& of) {
  std::printf("%s", name);
  for (const double x : of) std::printf(" %016" PRIx64, std::bit_cast<u64>(x));
  std::printf("\\n");
}
static void print(const char* name, const dmap<int64_t, u64>& of) {
  std::printf("%s", name);
  for (const auto& [key, x] : of) std::printf(" %" PRId64 ":%016" PRIx64, key, x);
  std::printf("\\n");
}
"""


def _list(values):
    return "{" + ", ".join("INT64_MIN" if v == -(2**63) else str(v) for v in values) + "}"


# ---- loop bodies, in both languages ----


def _subscript(place, inner="j"):
    """The same text in both languages."""
    size = place.container.name.replace("C", "s")
    return {"index": lambda: f"{place.index.name}[{inner}]", "draw": lambda: f"draw({place.salt}, j, {size})",
            "modulo": lambda: f"j % {size}", "zero": lambda: "0", "own": lambda: "j"}[place.how]()


def _element(place, inner="j"):
    return f"{place.container.name}[{_subscript(place, inner)}]"


def _next_value(target, x, operand, statement):
    """The next value of x, in C++; Python masks whole numbers."""
    if target.kind == "f64":
        return f"{x} * 0.5 + real({operand}) * 0.25 + {statement.b}.0"
    return f"{x} * {statement.a}u + whole({operand}) + {statement.b}u"


def _cxx_statement(s):
    c = s.target.container
    if s.kind == "each":
        w = s.target.index.width
        return [f"for (int64_t t = 0; t < {w}; ++t) {{", f"  auto& x = {_element(s.target, f'j * {w} + t')};",
                f"  x = {_next_value(c, 'x', 'static_cast<u64>(t)', s)};", "}"]
    if s.kind == "fold":
        x = f"whole({_element(s.target)})"
        return [f"sum += {x};" if s.fold == "sum" else f"{s.fold} = std::{'max' if s.fold == 'top' else 'min'}({s.fold}, {x});"]
    if s.kind == "swap":
        return ["{", f"  auto& x = {_element(s.target)};", f"  auto& y = {_element(s.source)};", "  const auto t = x;",
                f"  x = {_next_value(c, 'y', 'static_cast<u64>(j)', s)};", "  y = t;", "}"]
    if s.kind == "when":
        return ["{", f"  auto& x = {_element(s.target)};", f"  const auto y = {_element(s.source)};",
                f"  if (whole(y) % 3 != 0) x = {_next_value(c, 'x', 'y', s)};", "}"]
    if s.kind == "follow":
        y = s.source.container
        return ["{", f"  auto& x = {_element(s.target)};",
                f"  auto& y = {y.name}[(whole(x) + static_cast<u64>(j)) % {y.name.replace('C', 's')}];",
                f"  y = {_next_value(y, 'y', 'x', s)};", f"  x = {_next_value(c, 'x', 'y', s)};", "}"]
    source = f"const auto y = {_element(s.source)};" if s.source else "const u64 y = static_cast<u64>(j);"
    if s.kind == "add":
        return ["{", f"  {source}", f"  {_element(s.target)} += whole(y) * {s.a}u + {s.b}u;", "}"]
    return ["{", f"  {source}", f"  auto& x = {_element(s.target)};", f"  x = {_next_value(c, 'x', 'y', s)};", "}"]


def _python_value(target, x, operand, statement):
    text = _next_value(target, x, operand, statement)
    return text if target.kind == "f64" else f"({text.replace('u +', ' +')[:-1]}) & MASK"


def _python_statement(s):
    c = s.target.container
    element = f"{c.name}[kx]"
    key = f"kx = {_subscript(s.target)}"
    if s.kind == "each":
        w = s.target.index.width
        return [f"for t in range({w}):", f"    kx = {_subscript(s.target, f'j * {w} + t')}",
                f"    {element} = {_python_value(c, element, 't', s)}"]
    if s.kind == "fold":
        return [f"fold.{s.fold}(whole({_element(s.target)}))"]
    if s.kind == "swap":
        return [key, f"ky = {_subscript(s.source)}", f"t = {element}",
                f"{element} = {_python_value(c, f'{c.name}[ky]', 'j', s)}", f"{c.name}[ky] = t"]
    if s.kind == "when":
        return [key, f"x, y = {element}, {_element(s.source)}",
                f"if whole(y) % 3 != 0: {element} = {_python_value(c, 'x', 'y', s)}"]
    if s.kind == "follow":
        y = s.source.container
        return [key, f"ky = (whole({element}) + j & MASK) % {y.name.replace('C', 's')}",
                f"{y.name}[ky] = {_python_value(y, f'{y.name}[ky]', element, s)}",
                f"{element} = {_python_value(c, element, f'{y.name}[ky]', s)}"]
    if s.kind == "add":
        return [f"y = {_element(s.source) if s.source else 'j'}", key,
                f"{element} = ({element} + whole(y) * {s.a} + {s.b}) & MASK"]
    return [f"y = {_element(s.source) if s.source else 'j'}", key, f"{element} = {_python_value(c, element, 'y', s)}"]


def _used(loop):
    """Names of containers, index containers and sizes that a body uses."""
    places = [p for s in loop.statements for p in (s.target, s.source) if p is not None]
    containers = {p.container.name for p in places} | {p.index.name for p in places if p.index is not None}
    sizes = {p.container.name.replace("C", "s") for p in places if p.how in ("draw", "modulo", "followed")}
    return sorted(containers), sorted(sizes)


def written(loop):
    """Containers that a loop writes at computed places: a dmap also where it only looks."""
    of = {s.target.container for s in loop.statements if s.kind != "fold"}
    of |= {s.source.container for s in loop.statements if s.kind in ("swap", "follow")}
    of |= {p.container for s in loop.statements for p in (s.target, s.source)
           if p is not None and p.container.kind == "map"}
    places = [p for s in loop.statements for p in (s.target, s.source) if p is not None]
    return sorted(c.name for c in of if any(p.how != "own" for p in places if p.container == c))


def python_body(loop, number):
    containers, sizes = _used(loop)
    lines = [line for s in loop.statements for line in _python_statement(s)]
    return f"def body{number}(j, fold, {', '.join(containers + sizes)}):\n" + "".join(f"    {line}\n" for line in lines)


# ---- the rest of the C++ ----


def _cxx_model(loop):
    return f"consistency::sync({{.batch = {loop.batch}, .shards = {loop.shards}}})" if loop.model == "sync" \
        else f"consistency::{loop.model}"


def _cxx_loop(loop, number):
    containers, sizes = _used(loop)
    folds = sorted({s.fold for s in loop.statements if s.fold})
    captures = ", ".join([f"&{name}" for name in containers + folds] + sizes)
    bound = "".join(f", static_cast<int64_t>({name}.size())" for name in loop.bounded_by)
    # sizes that the body uses are those of now: the driver may have changed them
    lines = [f"{{  // loop {number}", *(f"  const u64 {s} = {s.replace('s', 'C')}.size();" for s in sizes),
             "  u64 sum = 0, top = 0, low = ~u64{0};", "  (void)sum, (void)top, (void)low;",
             f"  stradsap::parallel_for(std::min<int64_t>({{{loop.count}{bound}}}), [{captures}](int64_t j) {{"]
    for s in loop.statements:
        lines += ["    " + line for line in _cxx_statement(s)]
    lines.append(f"  }}, {_cxx_model(loop)});")
    return [*lines, *(f'  print("{fold}", {fold});' for fold in folds), "}"]


def _cxx_fill(index, salt):
    # a container may have grown: the number of keys or elements that are named stays
    c = index.target
    value = f"place(h{index.name}, {index.salt}u + {salt}, i, z{c.name})"
    key = f"k{c.name} + 2 * static_cast<int64_t>({value})" if c.kind == "map" else f"static_cast<int64_t>({value})"
    return f"for (u64 i = 0; i < {index.name}.size(); ++i) {index.name}[i] = {key};"


def _cxx_between(step):
    what, of = step
    if what == "refill":
        return [_cxx_fill(of, "static_cast<u64>(pass)")]
    if of.kind == "map":
        return [f"++{of.name}[k{of.name}];"] if what == "touch" else \
               [f"if ({of.name}.erase(k{of.name}) == 1) {of.name}[k{of.name} + 1] = 3;"]
    return [f"{of.name}[0] = {of.name}[0] + 1;"] if what == "touch" else [f"{of.name}.push_back(5);"]


def _cxx_program(program):
    lines = []
    for k in (0, 1):
        lines.append(f"const int64_t n{k} = pick(seed, {k}, {_list(COUNTS)});")
    for c in program.containers:
        lines.append(f"const u64 z{c.name} = static_cast<u64>(pick(seed, {c.salt}, {_list(SIZES)}));")
        if c.kind == "map":
            lines += [f"const int64_t k{c.name} = pick(seed, {c.salt + 1}, {_list(KEYS)});", f"{TYPES['map']} {c.name};"]
        else:
            lines += [f"{TYPES[c.kind]} {c.name}(z{c.name});",
                      f"for (u64 i = 0; i < z{c.name}; ++i) {c.name}[i] = {'real' if c.kind == 'f64' else 'whole'}(mix({c.salt}, i));"]
    for i in program.indices:
        lines += [f"const int64_t h{i.name} = pick(seed, {i.salt}, {_list(HEATS)});",
                  f"dvector<int64_t> {i.name}(static_cast<u64>({i.count} * {i.width}));", _cxx_fill(i, "0")]
    lines.append(f"for (int pass = 0; pass < {program.passes}; ++pass) {{")
    for number, step in enumerate(program.steps):
        lines += ["  " + line for line in (_cxx_loop(step, number) if isinstance(step, Loop) else _cxx_between(step))]
    lines += ["}", *(f'print("{c.name}", std::as_const({c.name}));' for c in program.containers)]
    unused = "  (void)n0, (void)n1;\n"
    return f"static void program{program.number}(u64 seed) {{\n" + "".join(f"  {x}\n" for x in lines) + unused + "}\n"


def cxx(programs, comment):
    calls = "".join(f"  if (which == {p.number}) program{p.number}(seed);\n" for p in programs)
    return (f"// {comment}\n{PRELUDE}\n" + "\n".join(_cxx_program(p) for p in programs) + "\nint main(int, char** argv) {\n"
            "  const int which = std::atoi(argv[1]);\n  const u64 seed = std::strtoull(argv[2], nullptr, 10);\n" + calls + "}\n")
