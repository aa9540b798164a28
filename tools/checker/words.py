"""Documents and comments are plain: the field's nouns instead of clauses, short sentences, narrow lines, no retired word."""

import re

from checker.tree import Finding

CLAUSES_PER_1000 = 3
WORDS_MAX = 40
COLUMNS_MAX = 100

# Files that the rules do not cover yet, one a line. The list only gets shorter: a file that passes must leave it.
UNCOVERED = "tools/checker/uncovered_words.txt"

# Retired word -> the word of the glossary that replaces it.
RETIRED = {
    r"jam(s|med|ming)?": "interleave",
    r"shipments?": "redistribution",
    r"hand(s|ed|ing)? out": "broadcast",
    r"patience": "wait policy",
    r"bells?": "doorbell",
    r"arrivals?": "notification",
    r"judges?": "analyzer",
    r"short turns?": "scheduler slice",
    r"(?<!SIMD )(?<!vector )lanes?": "executor, accumulator, wave thread or simulated thread",
    r"opaque": "unknown dependences",
    r"halves of a pass": "subpasses",
    r"(at|bring|brings|come|comes|call|calls|called|leave|leaves) home": "canonical layout",
    r"(is|are|go|goes|went) away": "plan layout",
    r"made again": "reconstructible",
}

_CLAUSE = re.compile(r"\b(what|who|whose|whom|whatever|whoever)\b", re.IGNORECASE)
_RETIRED = [(re.compile(rf"\b{word}\b", re.IGNORECASE), better) for word, better in RETIRED.items()]
_WORD = re.compile(r"[A-Za-z][\w'-]*")
_SENTENCE_END = re.compile(r"(?<=[.!?:;])[\"')\]]*\s+")
_PARAGRAPH_START = re.compile(r"^\s*([-*]|\d+\.) |^#")
_CXX_COMMENT = re.compile(r"(?:^|\s)//[/!<]* ?(.*)$")
_EXPECTED = re.compile(r"expected-(error|warning|note)|check: allow|NOLINT|clang-format o")


def _without_code(text):
    """A line of prose without the code and the addresses that it quotes."""
    return re.sub(r"\]\([^)]*\)", "]", re.sub(r"`[^`]*`", "x", text))


def _document_prose(lines):
    in_fence = False
    for number, line in enumerate(lines, 1):
        if line.startswith(("```", "~~~")):
            in_fence = not in_fence
        is_code = in_fence or line.startswith(("```", "~~~", "    ", "\t", "|"))
        yield number, "" if is_code else line


def _cxx_prose(lines):
    for number, line in enumerate(lines, 1):
        match = _CXX_COMMENT.search(line)
        text = match.group(1) if match else ""
        yield number, "" if text.startswith("   ") or _EXPECTED.search(text) else text


def _python_prose(lines):
    in_docstring = in_string = False
    for number, line in enumerate(lines, 1):
        is_odd = line.count('"""') % 2 == 1
        begins = line.lstrip().startswith(('"""', 'r"""'))
        if in_docstring or (begins and not in_string):
            yield number, line.replace('"""', "").strip()
            in_docstring ^= is_odd
        else:
            match = re.search(r"(?:^|\s)# ?(.*)$", line)
            yield number, match.group(1) if match and not line.startswith("#!") and not in_string else ""
            in_string ^= is_odd


def prose(tree, name):
    """(line, text) of each line of a file; the text is empty where the line has no prose."""
    read = _document_prose if name.endswith(".md") else _python_prose if tree.language(name) == "python" else _cxx_prose
    for number, text in read(tree.lines(name)):
        yield number, _without_code(text)


def sentences(lines):
    """(line, sentence) of prose; a blank line, a heading and the start of an item end a sentence."""
    start, words = 1, ""
    for number, text in (*lines, (0, "")):
        if not text.strip() or _PARAGRAPH_START.match(text):
            if words:
                yield start, words
            words = ""
        for piece in _SENTENCE_END.split(text.strip()):
            if words and _SENTENCE_END.search(words + " "):
                yield start, words
                words = ""
            if piece:
                start, words = (start, f"{words} {piece}") if words else (number, piece)


def _files(tree):
    return [name for name in tree.files if name.endswith((".md", ".cpp", ".hpp")) or tree.language(name) == "python"]


def _findings(tree, name):
    lines = list(prose(tree, name))
    words = sum(len(_WORD.findall(text)) for _, text in lines)
    clauses = [number for number, text in lines for _ in _CLAUSE.findall(text)]
    if len(clauses) * 1000 > CLAUSES_PER_1000 * words:
        shown = ", ".join(map(str, clauses[:10]))
        yield Finding(name, clauses[0], f"{len(clauses)} clauses with what or who in {words} words (lines {shown}): write the noun")
    for number, sentence in sentences(lines):
        length = len(_WORD.findall(sentence))
        if length > WORDS_MAX:
            yield Finding(name, number, f"a sentence of {length} words, at most {WORDS_MAX}")
    for number, text in lines:
        for word, better in _RETIRED:
            if word.search(text):
                yield Finding(name, number, f"`{word.search(text).group()}` is retired: {better}")
        if name.endswith(".md") and text and len(tree.lines(name)[number - 1]) > COLUMNS_MAX:
            yield Finding(name, number, f"prose of {len(tree.lines(name)[number - 1])} columns, at most {COLUMNS_MAX}")


def words(tree):
    uncovered = set(tree.lines(UNCOVERED) if UNCOVERED in tree.files else ())
    for name in _files(tree):
        findings = list(_findings(tree, name))
        if name not in uncovered:
            yield from findings
        elif not findings:
            yield Finding(UNCOVERED, 1, f"{name} is plain now: take it off the list")
    for name in sorted(uncovered - set(tree.files)):
        yield Finding(UNCOVERED, 1, f"{name} does not exist")


RULES = {"words": words}
