"""Tables and paragraphs of Markdown."""

import textwrap


def line(cells):
    return "| " + " | ".join(cells) + " |"


def table(head, lines):
    return [line(head), line(["---"] * len(head)), *map(line, lines)]


def bold_above(limit, number):
    """With two digits, in bold if these are above the limit."""
    text = f"{number:.2f}"
    return f"**{text}**" if float(text) > limit else text


def paragraph(text):
    return textwrap.wrap(text, 100, break_on_hyphens=False, break_long_words=False)
