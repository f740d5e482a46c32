"""Every decision of a module that decides mostly by `if`, `switch`, `?` and Boolean expressions, not by refusing.

A decision is a condition (a clause of `guard` or `if`, of `where`, or before `?`), an operand of `&&` or `||`, or a
comparison elsewhere. A condition or comparison is replaced by `true` and by `false`; an operand is left out.
"""
import re

from switched import edge, masked, scan

STOPS = [",", ";", "return ", "throw ", "unsafe ", "guard ", "if ", "while ", "where ", " in ", " in\n", " ? ", "\n? ", ": ", ":\n", " = ", " =\n",
         " else", "{ ", "{\n"]
# The next line continues a statement if it begins so, and the last one is continued if it ends so.
CONTINUES, CONTINUED = r"(&&|\|\||[-+?:<>=!]+ |\.|[)\]}])", r"(&&|\|\||[=(\[{,:]| in)$"
CLOSURE = r"\s*\{\s*(\$0|\(|\w+ in\b|[\w.]+\(\$0)"
BOTH = {True, False}


def statements(text):
    """Returns the text without comments and the contents of strings, and with a semicolon for each end of a statement."""
    lines = masked(text).split("\n")
    for number in range(len(lines) - 1):
        line, after = lines[number].rstrip(), lines[number + 1].lstrip()
        if line and not re.search(CONTINUED, line) and not re.match(CONTINUES, after):
            lines[number] += ";"
        else:
            lines[number] += "\n"
    return "".join(lines)


def trimmed(mask, start, end):
    """Returns a range without the white space and comments at its ends."""
    part = mask[start:end]
    return start + len(part) - len(part.lstrip()), end - len(part) + len(part.rstrip())


def conditions(text, mask, clauses):
    """Yields the ranges of conditions."""
    for match in re.finditer(r"^[ \t]*(?:\} else )?(guard|if)\s", masked(text), re.M):
        if match.group(1) == "guard":
            end = scan(text, match.end(), lambda t, k: re.match(r"\belse\b", t[k : k + 6]) and not t[k - 1].isalnum())
        else:
            end = scan(text, match.end(), lambda t, k: t[k] == "{" and t[k - 1].isspace())
        for a, b in clauses(text, match.end(), end) if end >= 0 else []:
            if not re.match(r"\s*(let|var|case)\b", text[a:b]):
                yield trimmed(mask, a, b)
    for match in re.finditer(r"\bwhere ", mask):
        end = scan(text, match.end(), lambda t, k: t[k] == ":" or t[k] == "{" and t[k - 1] == " ")
        yield trimmed(mask, match.end(), end)
    for match in re.finditer(r"\s\? ", mask):
        yield trimmed(mask, edge(mask, match.start() - 1, -1, STOPS), match.start())


def operands(mask, operator, stops):
    """Yields the ranges on both sides of an operator."""
    for match in re.finditer(rf"\s({operator})\s", mask):
        start, end = edge(mask, match.start() - 1, -1, stops), edge(mask, match.end(), 1, stops)
        if start is not None and end is not None:
            # A side that goes on with a closure is left out.
            right = None if re.match(CLOSURE, mask[end:]) else trimmed(mask, match.end(), end)
            yield trimmed(mask, start, match.start()), right


def decisions(text, clauses):
    """Returns the ranges of all decisions, each with the values that replace it."""
    mask, found = statements(text), {}
    for place in conditions(text, mask, clauses):
        found.setdefault(place, set()).update(BOTH)
    for operator, stops, value in [("&&", STOPS + ["&&", "||"], True), (r"\|\|", STOPS + ["||"], False)]:
        for pair in operands(mask, operator, stops):
            for place in filter(None, pair):
                found.setdefault(place, set()).add(value)
    for left, right in operands(mask, "==|!=|<=|>=|<|>", STOPS + ["&&", "||"]):
        if right and not any(left[0] == start or right[1] == end for start, end in found):
            found[left[0], right[1]] = set(BOTH)
    return found


def mutate(text, clauses, number):
    """Returns the text in which each decision has switches; `number` is called with the value and the decision for each."""
    edits = []
    for (start, end), values in sorted(decisions(text, clauses).items(), key=lambda item: (item[0][0], -item[0][1])):
        opening = "("
        for value in sorted(values):
            word = str(value).lower()
            opening += f"isMutant({number(word, ' '.join(text[start:end].split()), start)}) ? {word} : "
        edits += [(start, 1, -end, opening + "("), (end, 0, -start, "))")]
    for position, _, _, new in sorted(edits, reverse=True):
        text = text[:position] + new + text[position:]
    return text
