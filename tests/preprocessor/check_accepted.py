"""A program that stradsap-cc accepts: the inserted text, its reserved names, a compilation without a warning, the run.

The compiled text must be the program with the insertions of PROGRAM.expected. --show-rewrite prints these insertions, and
STRADSAP_APPROVE=1 rewrites the file.

If the runtime library stands beside the compiler, the program runs: alone, on two threads and on two ranks. It checks
itself, prints its results and returns 0. These runs, for this processor, must print the same. They are at -O3 if
stradsap-cc changed the order of a body's statements, and else at -O0; --optimized has -O1 instead. A plain compiler then builds the program unchanged.
Its output must equal that of program order and that of the distributed runs. A program of which the results depend on the
order of iterations contains "prints another serial order": then only program order is compared with the plain program, and
the two must differ.

With --checked, a check build by clang++ compares every access, and AddressSanitizer stops other ways to elements
(docs/decisions/poison.md). It runs on one rank only if the program contains "checked on one rank". Its source is the text
of --emit-source, for --check itself only sets flags.

--only-insertions omits all that compiles or runs a program. --objects DIR is for another runtime: it keeps the compiled
program there, with its output, and then only links it, runs it on all shapes and compares.

--precompile DIR precompiles the common first include of all programs for each kind of build. --precompiled DIR uses them.

A program of several files is a folder: main.cpp, its headers, and library/, the sources of a static library.
"""

import argparse
import functools
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# g++ may fuse different products with sums in a text and in its twin. At -O3 g++ 12 imagines overflows in <string>.
FOR_THIS_PROCESSOR = ["-march=native", "-ffp-contract=off", "-Wno-stringop-overflow", "-Wno-restrict", "-Wno-array-bounds"]
# Inserted text that interleaves iterations, or that checks before an inner loop. All other bodies run as they are written:
# -O1 inlines what stands around them, in half of the time of -O3 and twice that of -O0.
REORDERS = re.compile(r"stradsap_(interleaved|hoist|hoist_if_held|hoist_guarded|hoist_steps|hoist_steps_guarded|hoist_by|load|load_if_held)\b")
ANOTHER_ORDER = "prints another serial order"
SANITIZED = "-fsanitize=address"
# Of AddressSanitizer: a search for leaks takes longer than most programs, and so do stacks of all allocations and 256 MB of
# freed memory that is not used again.
QUICK = "detect_leaks=0:malloc_context_size=0:quarantine_size_mb=16"
# Check builds use the other native compiler, in half of the time: inserted text must compile with both.
NATIVE = {"plain": ["g++"], "instrumented": ["g++"], "optimized": ["g++"], "reordered": ["g++"], "one_by_one": ["g++"],
          "checked": ["clang++-19", "-w"]}
LEVELS = {"instrumented": "-O0", "optimized": "-O1"}  # others: -O3
OURS = (*LEVELS, "reordered", "read")  # precompiled by stradsap-cc, for its analysis too; "read" for that alone
LINKER = "-fuse-ld=gold"  # also of binutils, in a third of the time; other tests link with the usual one


def run(command, folder, environment=None):
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=240)


def fail(what, done=None):
    print(what)
    if done is not None:
        print(done.stdout + done.stderr)
    sys.exit(1)


def golden(program):
    file = program.with_suffix(".expected")
    return file.read_text() if file.exists() else ""


def shown(compiler, program):
    done = run([compiler, "--show-rewrite", program.name], program.parent)
    if done.returncode != 0:
        fail(f"{program} is refused", done)
    return done.stdout


KEYWORDS = set("""auto bool break char class const constexpr decltype default double else explicit float for if inline int
    long public return short signed sizeof static static_cast struct switch template this typename unsigned void
    while""".split())


def check_names(program):
    """A program's own macros cannot break inserted text: its identifiers are the program's, begin with stradsap, or are
    reserved."""
    sources = [*program.parent.rglob("*.[ch]pp")] if program.stem == "main" else [program]
    own = set(re.findall(r"[A-Za-z_]\w*", "".join(source.read_text() for source in sources)))
    texts = re.sub(r"^[^ ]+:\d+: ", "", golden(program), flags=re.MULTILINE)
    names = set(re.findall(r"(?<!\w)[A-Za-z_]\w*", re.sub(r'"(\\.|[^"\\])*"', "", texts)))
    free = [name for name in sorted(names - own - KEYWORDS) if not name.startswith(("stradsap_", "__"))]
    if [name for name in free if name != "stradsap"]:
        fail(f"what is inserted into {program} names {free}, which a macro may be called")


def is_made_of(line, original, texts):
    """Whether the line is the original with these texts inserted in this order. A text may replace a part of the line."""
    @functools.cache
    def rest(at, at_original, k):
        if k == len(texts):
            return line[at:] == original[at_original:]
        begins = os.path.commonprefix([line[at:], original[at_original:]])
        return any(rest(at + same + len(texts[k]), after, k + 1)
                   for same in range(len(begins) + 1) if line.startswith(texts[k], at + same)
                   for after in range(at_original + same, len(original) + 1))
    return rest(0, 0, 0) if texts else line == original


def is_as_golden(program, kept):
    """Whether the compiled text is the program with the golden insertions, line by line."""
    lines = kept.read_text().partition("#line 1 ")[2].split("\n")[1:]
    originals = program.read_text().split("\n")
    texts = [[] for _ in originals]
    for insertion in golden(program).splitlines():
        place = re.match(rf"{re.escape(program.name)}:(\d+): ", insertion)
        if not place or int(place[1]) > len(originals):
            return False
        texts[int(place[1]) - 1].append(insertion[place.end():])
    return len(lines) == len(originals) and all(map(is_made_of, lines, originals, texts))


def check_insertions(compiler, program, kept):
    """--show-rewrite reads the program once more. It runs only if the kept text is not enough: the program has several
    files, a macro's call of several lines has become one, or something is wrong."""
    if program.stem != "main" and is_as_golden(program, kept):
        return
    insertions = shown(compiler, program)
    if insertions != golden(program):
        fail(f"{program.with_suffix('.expected')} says\n{golden(program)}\nbut the insertions are\n{insertions}")


def kind_of(given):
    plainly = "optimized" if given.optimized else "instrumented"
    return "reordered" if REORDERS.search(golden(given.program)) else plainly


def optimized(kind):
    return [LEVELS.get(kind, "-O3"), *FOR_THIS_PROCESSOR]


def flags_of(kind, compiler):
    """Options of the native compiler; without __OPTIMIZE__ no body is interleaved."""
    if kind == "plain":
        return ["-std=c++20", "-I", str(ROOT / "include")]
    if kind == "checked":
        return [*run([compiler, "--showme:compile", "--check"], None).stdout.split(), SANITIZED]
    apart = ["-U__OPTIMIZE__"] if kind == "one_by_one" else []
    return run([compiler, "--showme:compile"], None).stdout.split() + [*optimized(kind), *apart]


def precompile(compiler, folder, kinds):
    for kind in kinds:
        header = folder / f"{kind}.hpp"
        header.write_text("#include <stradsap/stradsap.hpp>\n")
        flags = [] if kind == "read" else flags_of(kind, compiler)
        if kind in OURS:
            ours = [compiler, *([] if kind == "read" else optimized(kind))]
            compile_cleanly(ours, header, f"{header}.gch")
            if not pathlib.Path(f"{header}.sap.pch").exists():
                fail(f"{header} is not precompiled for the analysis")
            if kind == "read":
                os.remove(f"{header}.gch")  # 60 MB
        else:
            compile_cleanly([*NATIVE[kind], *flags, "-x", "c++-header"], header, f"{header}.gch")
        (folder / f"{kind}.flags").write_text(shlex.join(flags))
    (folder / "link.flags").write_text(run([compiler, "--showme:link"], folder).stdout)


def begin_with(folder, kind):
    return ["-Winvalid-pch", "-include", str(folder / f"{kind}.hpp")]


def native(kind, given):
    """The native compiler with the options that stradsap-cc would give it."""
    home = ["-iquote", str(given.program.resolve().parent)]  # the kept text is compiled elsewhere
    if not given.precompiled:
        return [*NATIVE[kind], *flags_of(kind, given.compiler), *home]
    flags = shlex.split((given.precompiled / f"{kind}.flags").read_text())
    return [*NATIVE[kind], *flags, *home, *begin_with(given.precompiled, kind)]


def libraries_of(given):
    if given.precompiled:
        return (given.precompiled / "link.flags").read_text().split()
    return run([given.compiler, "--showme:link"], None).stdout.split()


def instrumenting(given):
    """stradsap-cc as a user calls it."""
    kind = kind_of(given)
    return [given.compiler, *optimized(kind), *(begin_with(given.precompiled, kind) if given.precompiled else [])]


def compile_cleanly(command, source, target):
    flags = ["-Wall", "-Wextra", "-Werror"]
    built = run([*command, *flags, "-c", source.name, "-o", target], source.parent)
    if built.returncode != 0 or built.stderr:
        fail(f"{source} does not compile cleanly with {command[0]}", built)


def sources_of(program):
    """The program and the sources in library/ beside a main.cpp; the latter go into an archive."""
    return [program, *(sorted(program.parent.glob("library/*.cpp")) if program.stem == "main" else [])]


def build(command, folder, sources, name, libraries):
    """Compiles and links separately, as larger programs do."""
    objects = [f"{folder}/{name}_{source.stem}.o" for source in sources]
    for source, target in zip(sources, objects):
        compile_cleanly(command, source, target)
    archive = [f"{folder}/{name}.a"] if objects[1:] else []
    if archive:
        run(["ar", "rcs", *archive, *objects[1:]], folder)
    sanitizer = [flag for flag in command if flag == SANITIZED]
    linked = run([command[0], LINKER, *sanitizer, objects[0], *archive, *libraries, "-o", f"{folder}/{name}"], folder)
    if linked.returncode != 0:
        fail(f"{name} does not link", linked)


def output(given, name, folder, ranks=1, **variables):
    """The output of a program that must return 0. Only several ranks need the launcher; its start takes as long as most
    runs."""
    home = pathlib.Path(given.compiler).resolve().parent
    launched = [home / "stradsap-run", "-n", str(ranks), "--no-prefix", "--"] if ranks > 1 else []
    settings = {f"STRADSAP_{variable.upper()}": value for variable, value in variables.items()}
    settings["ASAN_OPTIONS"] = QUICK
    ran = run([*launched, f"{folder}/{name}"], folder, {**os.environ, **settings})
    if ran.returncode != 0:
        fail(f"{given.program} returned {ran.returncode} as {name} on {ranks} ranks with {settings}, expected 0", ran)
    return ran.stdout


def kept_text(program, folder):
    return next(pathlib.Path(folder).glob(f"kept/**/{program.stem}.sap.cpp"))


def check_program(given, folder):
    compiler, program = given.compiler, given.program
    home = pathlib.Path(compiler).resolve().parent.parent
    if not (home / "lib" / "libstradsap.a").exists():
        compile_cleanly([*instrumenting(given), f"--save-temps={folder}/kept"], program, f"{folder}/program.o")
        return check_insertions(compiler, program, kept_text(program, folder))
    build([*instrumenting(given), f"--save-temps={folder}/kept"], folder, sources_of(program), "program", [])
    check_insertions(compiler, program, kept_text(program, folder))
    distributed = check_shapes(given, folder)
    libraries = libraries_of(given)
    if "the same bits one by one" in program.read_text():
        check_one_by_one(given, folder, libraries)
    check_plain(given, folder, libraries, distributed)


def check_shapes(given, folder):
    """The output on one thread, which two threads and two ranks must repeat."""
    alone = output(given, "program", folder, threads="1")
    for name, other in (("two threads", output(given, "program", folder, threads="2")),
                        ("two ranks", output(given, "program", folder, ranks=2, threads="1"))):
        if other != alone:
            fail(f"{given.program} prints\n{other}\non {name}, and on one\n{alone}")
    return alone


def check_runs(given, folder):
    """Links the program that an earlier call has compiled, and compares its output with that of the earlier call."""
    program, kept = given.program, given.objects / given.program.stem
    wanted = kept / "output.txt"
    if not wanted.exists():
        kept.mkdir(parents=True, exist_ok=True)
        compile_cleanly([*instrumenting(given)], program, str(kept / "program.o"))
    libraries = libraries_of(given)
    linked = run(["g++", LINKER, str(kept / "program.o"), *libraries, "-o", f"{folder}/program"], folder)
    if linked.returncode != 0:
        fail(f"{program} does not link", linked)
    shown = check_shapes(given, folder)
    if not wanted.exists():
        wanted.write_text(shown)
    if shown != wanted.read_text():
        fail(f"{program} prints\n{shown}\nand before\n{wanted.read_text()}")


def check_one_by_one(given, folder, libraries):
    build(native("one_by_one", given), folder, [kept_text(given.program, folder)], "one_by_one", libraries)
    apart, together = output(given, "one_by_one", folder, threads="2"), output(given, "program", folder, threads="2")
    if apart != together:
        fail(f"{given.program} prints\n{apart}\none by one, and side by side\n{together}")


def check_build(given, folder):
    """Each iteration stays inside its recorded set, through pointers too, and all iterations have a serial order."""
    program, libraries = given.program, libraries_of(given)
    if program.stem == "main":  # several files
        build([given.compiler, "--check", SANITIZED], folder, sources_of(program), "checked", libraries)
    else:
        text = pathlib.Path(folder) / f"{program.stem}.sap.cpp"
        beginning = begin_with(given.precompiled, "read") if given.precompiled else []
        emitted = run([given.compiler, *beginning, "--emit-source", program.name, "-o", text], program.parent)
        if emitted.returncode != 0:
            fail(f"{program} is refused", emitted)
        build(native("checked", given), folder, [text], "checked", libraries)
    most = 1 if "checked on one rank" in program.read_text() else 2
    for ranks in range(1, most + 1):
        output(given, "checked", folder, ranks, check="conflicts")


def check_plain(given, folder, libraries, distributed):
    program = given.program
    build(native("plain", given), folder, sources_of(program), "plain", libraries)
    serial = output(given, "program", folder, serial="1")
    plain = output(given, "plain", folder)
    if plain != serial:
        fail(f"{program} prints\n{serial}\nin program order, and built by a plain compiler\n{plain}")
    if ANOTHER_ORDER in program.read_text():
        if plain == distributed:
            fail(f"{program} prints the same in any order: remove \"{ANOTHER_ORDER}\"")
    elif plain != distributed:
        fail(f"{program} prints\n{distributed}\ndistributed, and built by a plain compiler\n{plain}")


def main():
    options = argparse.ArgumentParser()
    options.add_argument("program", type=pathlib.Path, nargs="?")
    options.add_argument("--compiler", required=True)
    options.add_argument("--only-insertions", action="store_true")
    options.add_argument("--checked", action="store_true")
    options.add_argument("--optimized", action="store_true")
    options.add_argument("--objects", type=pathlib.Path)
    options.add_argument("--precompile", type=pathlib.Path)
    options.add_argument("--precompiled", type=pathlib.Path)
    given = options.parse_args()
    if given.precompile:
        given.precompile.mkdir(parents=True, exist_ok=True)
        kinds = {*NATIVE, "read"} - {"optimized"}
        return precompile(given.compiler, given.precompile, ["optimized"] if given.optimized else sorted(kinds))
    if os.environ.get("STRADSAP_APPROVE") == "1":
        given.program.with_suffix(".expected").write_text(shown(given.compiler, given.program))
    check_names(given.program)
    if given.only_insertions:
        if shown(given.compiler, given.program) != golden(given.program):
            fail(f"{given.program.with_suffix('.expected')} says otherwise")
        return
    if given.optimized and kind_of(given) != "optimized":
        return  # it has run at -O3
    check = check_build if given.checked else check_runs if given.objects else check_program
    with tempfile.TemporaryDirectory() as folder:
        check(given, folder)


main()
