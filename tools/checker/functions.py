"""How long functions are. A scanner over formatted text is enough: it needs to find bodies, not to understand them."""

import ast
import re

from checker.tree import Finding, without_comments

LINES_MAX = 60

_NOT_A_BODY = re.compile(r"^\s*(?:(?:template\s*<.*>\s*)?(?:class|struct|union|enum|namespace)\b|inline\s+namespace\b|extern\s*$|extern\s+\"|export\b)")


def _is_body(head):
    """Whether the text between the last statement and a `{` declares a function."""
    head = " ".join(head.split())
    if not head or _NOT_A_BODY.match(re.sub(r"\[\[.*?\]\]", "", head)):
        return False
    return ")" in head and not head.endswith(("=", ",", "return"))


def bodies(text):
    """(first line, last line) of each outermost function body, from its declaration to its closing brace."""
    text = re.sub(r"^\s*#.*(?:\\\n.*)*", lambda m: re.sub(r"[^\n]", " ", m.group()), without_comments(text), flags=re.M)
    depth, function_depth, function_start = 0, None, 0
    head_start = 0
    for match in re.finditer(r"[{};]", text):
        mark, place = match.group(), match.start()
        if mark == "{":
            if function_depth is None and _is_body(text[head_start:place]):
                function_depth = depth
                blank = len(text[head_start:place]) - len(text[head_start:place].lstrip())
                function_start = text.count("\n", 0, head_start + blank) + 1
            depth += 1
        elif mark == "}":
            depth -= 1
            if function_depth == depth:
                yield function_start, text.count("\n", 0, place) + 1
                function_depth = None
        head_start = match.end()


def _python_bodies(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.lineno, node.end_lineno


def function_length(tree):
    for name in tree.sources():
        language = tree.language(name)
        if language == "python":
            try:
                found = list(_python_bodies(tree.text(name)))
            except SyntaxError as error:
                yield Finding(name, error.lineno or 1, f"not Python: {error.msg}")
                continue
        elif language == "cxx":
            found = bodies(tree.text(name))
        else:
            continue
        for first, last in found:
            if last - first + 1 > LINES_MAX:
                yield Finding(name, first, f"a function of {last - first + 1} lines, at most {LINES_MAX}")


RULES = {"function-length": function_length}
