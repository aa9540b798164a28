"""Mutations of C++ text: small damage, as by a mistake of an author, an editor or a disk.

`mutate` is a pure function of the texts and the random source. Text is bytes in latin-1, so that any byte can occur.
"""

import re

_TOKEN = re.compile(
    r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|[A-Za-z_]\w*|\d[\w.]*|\n|[^\S\n]+'
    r"|<<=|>>=|->\*|\.\.\.|::|->|[-+*/%&|^=!<>]=|&&|\|\||\+\+|--|<<|>>|.", re.DOTALL)
# an operator is replaced by one of its kind, so most of these mutants are still programs
_KINDS = (("+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"), ("<", ">", "<=", ">=", "==", "!="), ("&&", "||"),
          ("=", "+=", "-=", "*=", "/=", "&=", "|=", "^="), ("++", "--"), (".", "->", "::"), ("!", "~", "-"), (",", ";"))
_OPERATORS = {word: kind for kind in _KINDS for word in kind}
_NUMBERS = ("0", "1", "-1", "2147483647", "4294967296", "18446744073709551615", "0.0", "1e308", "0x7f", "'a'", "1u")
_WORDS = ("const", "auto", "int", "float", "double", "static", "mutable", "this", "return", "template", "typename",
          "struct", "int64_t", "volatile", "constexpr", "decltype(auto)", "operator", "goto", "throw", "j", "sizeof")


def tokens(text):
    return _TOKEN.findall(text)


def _places(words, accepts):
    return [i for i, word in enumerate(words) if accepts(word)] or [0]


def _is_code(word):
    return not word.isspace() and not word.startswith(("//", "/*"))


def _code_place(words, rng):
    return rng.choice(_places(words, _is_code))


def _delete(words, rng, _):
    at = _code_place(words, rng)
    del words[at:at + rng.choice((1, 1, 1, 3, 8))]


def _duplicate(words, rng, _):
    at = _code_place(words, rng)
    words[at:at] = words[at:at + rng.choice((1, 2, 6, 20))]


def _swap(words, rng, _):
    one, two = _code_place(words, rng), _code_place(words, rng)
    words[one], words[two] = words[two], words[one]


def _splice(words, rng, other):
    """Inserts some lines of another file."""
    lines = other.split("\n")
    begin = rng.randrange(len(lines))
    ends = [i for i, word in enumerate(words) if word == "\n"] or [0]
    at = rng.choice(ends)
    words[at:at] = ["\n" + "\n".join(lines[begin:begin + rng.randint(1, 12)])]


def _number(words, rng, _):
    words[rng.choice(_places(words, lambda word: word[0].isdigit()))] = rng.choice(_NUMBERS)


def _operator(words, rng, _):
    at = rng.choice(_places(words, lambda word: word in _OPERATORS))
    words[at] = rng.choice(_OPERATORS.get(words[at], (",",)))


def _word(words, rng, _):
    """Replaces a name by another of the same file, or by a word of the language."""
    names = _places(words, lambda word: word[0].isalpha() or word[0] == "_")
    words[rng.choice(names)] = words[rng.choice(names)] if rng.random() < 0.7 else rng.choice(_WORDS)


def _brace(words, rng, _):
    at = rng.choice(_places(words, lambda word: word in "{}()[]<>"))
    words[at] = rng.choice(("", "{", "}", "(", ")", "[", "]", "<", ">", words[at] * 2))


def _drop_line(words, rng, _):
    ends = [-1, *(i for i, word in enumerate(words) if word == "\n"), len(words)]
    at = rng.randrange(len(ends) - 1)
    del words[ends[at] + 1:ends[at + 1] + 1]


def _noise(words, rng, _):
    at = rng.randrange(len(words))
    words[at] += chr(rng.randrange(256))


def _double_line(words, rng, _):
    lines = "".join(words).split("\n")
    at = rng.randrange(len(lines))
    lines[at:at] = [lines[at]]
    words[:] = tokens("\n".join(lines))


GENTLE = (_number, _operator, _word, _double_line, _drop_line)  # often still a program
ROUGH = (_delete, _duplicate, _swap, _splice, _word, _brace, _noise)


def mutate(text, other, rng):
    """Damages `text` in one to four places; a splice takes lines from `other`."""
    words = tokens(text)
    mutations = GENTLE if rng.random() < 0.7 else ROUGH
    for _ in range(rng.choice((1, 1, 1, 2, 2, 4))):
        if words:
            rng.choice(mutations)(words, rng, other)
            words = [word for word in words if word]
    return "".join(words)
