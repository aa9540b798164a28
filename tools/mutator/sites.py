"""Finds the places of a C++ text that can be mutated. Pure functions of the text.

A place lies in code: not in a comment, a literal, a preprocessor line, a template's head or a statement that only checks.
The project's formatter puts blanks around binary operators, so `<` between blanks is no template's bracket.
"""

import re
from dataclasses import dataclass

from checker.tree import without_comments

_SWAPS = {"==": ("!=",), "!=": ("==",), "<": ("<=", ">="), "<=": ("<", ">"), ">": (">=", "<="), ">=": (">", "<"),
          "&&": ("||",), "||": ("&&",), "+": ("-",), "-": ("+",), "+=": ("-=",), "-=": ("+=",)}
_BINARY = re.compile(r"(?<=[^\s(,=<>&|+*/-] )(==|!=|<=|>=|<|>|&&|\|\||\+=|-=|\+|-)(?=\s)")
_WORD = re.compile(r"\b(true|false)\b")
_NUMBER = re.compile(r"(?<![\w.'])(?<!\de-)\d+(?![\w.'])")
_IF = re.compile(r"\bif \((?!const(?:expr)?\b)")
_ELSE = re.compile(r"\belse (?=\S)")
# a whole statement on a line: a call, an assignment, a step or a jump, perhaps after a condition
_CONDITION = r"(?:(?:else )?(?:if|for|while) \(.*\) )?"
_PLACE = r"[*]?[\w:]+(?:(?:\.|->)[\w:]+|\[[^;=]*?\]|\([^;={]*?\))*"
_STATEMENT = re.compile(rf"\s*{_CONDITION}(?:{_PLACE} (?:[-+*/|&^]|<<)?= .*|{_PLACE}\(.*\)|(?:\+\+|--)?{_PLACE}(?:\+\+|--)?"
                        r"|return|continue|break);\s*$|\s*(?:if|for|while) \(.*\) return \S.*;\s*$")
_NO_STATEMENT = re.compile(r"\s*(?:using|namespace|template|typedef|friend|struct|class|enum|case|default|goto|throw|"
                           r"static_assert|assert|STRADSAP_\w+|stop_here|log\w*::|explicit|virtual|~|[A-Z_]+\()")
_NOT_CODE = re.compile(r"\s*(?:#|template <|using |static_assert|(?:rt::)?(?:log|print|warn)\w*\(|namespace )")
_CHECKS = re.compile(r"\b(?:STRADSAP_[A-Z_]+|assert|check|__builtin_prefetch)\(")  # and hints
_DECLARED = re.compile(r"\s*(?!if|for|while)[\w:]+\((?:.*, )?(?:const )?[\w:<>]+[&*]? \w+[,)]")  # a parameter


@dataclass(frozen=True)
class Mutant:
    """Replaces text[begin:end] of `file` by `new`."""
    file: str
    kind: str
    begin: int
    end: int
    new: str
    line: int
    before: str  # the line
    after: str   # the line as mutated; empty if it is dropped
    nth: int     # of the mutants of a file with these lines: a name that survives changes elsewhere

    @property
    def name(self):
        return f"{self.file} | {self.before.strip()} | {self.after.strip()} | {self.nth}"

    def diff(self):
        return f"{self.file}:{self.line}: {self.kind}\n-{self.before}\n+{self.after}\n"

    def applied(self, text):
        return text[:self.begin] + self.new + text[self.end:]


def _blanked(text):
    """The text with blanks for all that is no code."""
    lines = without_comments(text).split("\n")
    continued = False
    for number, line in enumerate(lines):
        directive = continued or line.lstrip().startswith("#")
        continued = directive and line.endswith("\\")
        if directive or _NOT_CODE.match(line):
            lines[number] = " " * len(line)
    code = "\n".join(lines)
    for found in reversed(list(_CHECKS.finditer(code))):
        end = closing(code, found.end() - 1)
        code = code[:found.start()] + re.sub(r"[^\n]", " ", code[found.start():end]) + code[end:]
    return code


def closing(code, at):
    """The position after the parenthesis that closes the one at `at`."""
    depth = 0
    for end in range(at, len(code)):
        depth += {"(": 1, ")": -1}.get(code[end], 0)
        if depth == 0:
            return end + 1
    return len(code)


def _operators(code):
    for found in _BINARY.finditer(code):
        for new in _SWAPS[found[1]]:
            yield "operator", found.start(), found.end(), new


def _literals(code):
    for found in _WORD.finditer(code):
        yield "truth", found.start(), found.end(), "false" if found[1] == "true" else "true"
    for found in _NUMBER.finditer(code):
        value = int(found[0], 8 if found[0].startswith("0") else 10)
        for new in (value + 1, value - 1)[:2 if value > 0 else 1]:
            yield "number", found.start(), found.end(), str(new)


def _conditions(code):
    for found in _IF.finditer(code):
        open_, end = found.end() - 1, closing(code, found.end() - 1)
        inside = code[open_ + 1:end - 1]
        first = open_ + 1 + inside.rfind("; ") + 2 if "; " in inside else open_ + 1
        if not re.search(r"[\w>&*] \w+ = ", code[first:end - 1]):  # no declaration
            yield "negate", first, end - 1, None
    for found in _ELSE.finditer(code):
        yield "else", found.start(), found.end(), ""


def _statements(code):
    begin, before = 0, ""
    lines = code.split("\n")
    for number, line in enumerate(lines):
        after = next((other.strip() for other in lines[number + 1:] if other.strip()), "")
        alone = before == "" or before[-1] in ";{}:" and not before.endswith("::")
        whole = _STATEMENT.match(line) and line.count("(") == line.count(")") and line.count("{") == line.count("}")
        needed = after.startswith("else") or line.lstrip().startswith("else")
        if alone and whole and line.startswith("  ") and not needed and not _NO_STATEMENT.match(line) \
                and not _DECLARED.match(line):
            yield "statement", begin + len(line) - len(line.lstrip()), begin + len(line), ""
        begin += len(line) + 1
        before = line.strip() or before


def mutants_of(file, text):
    code = _blanked(text)
    assert len(code) == len(text), file
    seen = {}
    for finder in (_operators, _literals, _conditions, _statements):
        for kind, begin, end, new in finder(code):
            if new is None:
                new = f"!({text[begin:end]})"
            first, last = text.rfind("\n", 0, begin) + 1, text.find("\n", end)
            before = text[first:last]
            after = text[first:begin] + new + text[end:last]
            nth = seen[before, after] = seen.get((before, after), -1) + 1
            yield Mutant(file, kind, begin, end, new, text.count("\n", 0, begin) + 1, before, after, nth)
