"""The value of typeset mathematics as a reader sees it: LaTeX, MathML and Unicode text, read back strictly.

Only what is visible counts: groups of MathML that leave no mark on the page are dissolved. What a reader may take in
two ways is refused: sin q₁ m, a/b c, √x², two numbers side by side.
"""

import math
import re
from xml.etree import ElementTree

from tests.rendering.evaluation import FUNCTIONS

_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_WORDS = {"π": math.pi, "∞": math.inf, "NaN": math.nan}
_RELATIONS = {
    "<": lambda a, b: a < b,
    "≤": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    "≥": lambda a, b: a >= b,
    "=": lambda a, b: a == b,
    "≠": lambda a, b: a != b,
}
_NAMES = ["asin", "acos", "atan2", "atan", "sinh", "cosh", "tanh", "sin", "cos", "tan", "exp", "log", "min", "max"]


class AmbiguousError(Exception):
    """A reader cannot be sure of the meaning."""


def text_tokens(text, symbols):
    """Tokens of a line of text; `symbols`: names by what is printed."""
    found = []
    printed = sorted(symbols, key=len, reverse=True)
    pattern = re.compile(
        r"(?P<space>\s+)"
        rf"|(?P<function>(?:{'|'.join(_NAMES)})(?=[ (⁰¹²³⁴⁵⁶⁷⁸⁹]))|(?P<abs>abs(?=\())"
        rf"|(?P<symbol>{'|'.join(map(re.escape, printed))})"
        r"|(?P<number>\d+/\d+|[\d.]+(?:e[+-]?\d+)?)|(?P<raised>[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+)"
        r"|(?P<word>π|∞|NaN)|(?P<sign>[-+−()|\[\],/^√<≤>≥=≠∧∨¬])"
    )
    for match in _matches(pattern, text):
        kind, value = match.lastgroup, match[0]
        if kind == "space":
            continue
        if kind == "symbol":
            found.append(("symbol", symbols[value]))
        elif kind == "number":
            top, _, bottom = value.partition("/")
            found.append(("number", float(top) / float(bottom or 1)))
        elif kind == "raised":
            found.append(("raised", [("number", float(value.translate(_RAISED)))]))
        elif kind == "word":
            found.append(("constant", _WORDS[value]))
        else:
            found.append(("function" if kind == "abs" else kind, "-" if value == "−" else value))
    return found


def latex_tokens(text, symbols):
    """Tokens of LaTeX; `symbols`: names by what is printed."""
    printed = sorted(symbols, key=len, reverse=True)
    pattern = re.compile(
        r"(?P<space>\s+|\\,|\\left(?![a-z])|\\right(?![a-z]))"
        rf"|(?P<function>\\(?:operatorname\{{(?:{'|'.join(_NAMES)}|abs)\}}|(?:{'|'.join(_NAMES)})(?![a-z])))"
        rf"|(?P<symbol>{'|'.join(map(re.escape, printed))})"
        r"|(?P<fraction>\\t?frac(?=\{))|(?P<root>\\sqrt(?=\{))|(?P<raised>\^(?=\{))"
        r"|(?P<word>\\pi|\\infty|\\mathrm\{NaN\})|(?P<number>[\d.]+)"
        r"|(?P<command>\\cdot|\\le|\\ge|\\neg|\\ne|\\wedge|\\vee)|(?P<sign>[-+()|\[\],<>=])"
    )
    words = {r"\pi": math.pi, r"\infty": math.inf, r"\mathrm{NaN}": math.nan}
    commands = {r"\cdot": "·", r"\le": "≤", r"\ge": "≥", r"\ne": "≠", r"\wedge": "∧", r"\vee": "∨", r"\neg": "¬"}
    found, place = [], 0
    while place < len(text):
        match = pattern.match(text, place)
        assert match, text[place:]
        place, kind, value = match.end(), match.lastgroup, match[0]
        groups = []
        for _ in range({"fraction": 2, "root": 1, "raised": 1}.get(kind, 0)):
            end = _closing(text, place)
            groups.append(latex_tokens(text[place + 1 : end], symbols))
            place = end + 1
        if groups:
            found.append((kind, *groups))
        elif kind != "space":
            known = {"symbol": symbols, "word": words, "command": commands}.get(kind, {})
            value = value.removeprefix(r"\operatorname{").rstrip("}").lstrip("\\") if kind == "function" else value
            kept = {"word": "constant", "command": "sign"}.get(kind, kind)
            found.append((kept, float(value) if kind == "number" else known.get(value, value)))
    return found


def _closing(text, start):
    depth = 0
    for k in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[k], 0)
        if not depth:
            return k
    raise AssertionError(text)


def _matches(pattern, text):
    place = 0
    while place < len(text):
        match = pattern.match(text, place)
        assert match, text[place:]
        place = match.end()
        yield match


def mathml_tokens(text, symbols):
    """Tokens of MathML; `symbols`: names by what is printed."""
    known = {ElementTree.tostring(ElementTree.fromstring(printed)): name for printed, name in symbols.items()}

    def walk(e):
        name = known.get(ElementTree.tostring(_bare(e)))
        if name is not None:
            return [("symbol", name)]
        if e.tag in ("math", "mrow"):
            return [token for child in e for token in walk(child)]
        if e.tag == "mfrac":
            return [("fraction", *map(walk, e))]
        if e.tag == "msqrt":
            return [("root", [token for child in e for token in walk(child)])]
        if e.tag == "msup":
            return [*walk(e[0]), ("raised", walk(e[1]))]
        if e.tag == "msubsup":
            inner = ElementTree.Element("msub")
            inner.extend(e[:2])
            return [*walk(inner), ("raised", walk(e[2]))]
        if e.tag == "mspace":
            return []
        value = (e.text or "").replace("−", "-")
        if e.tag == "mn":
            return [("number", float(value))]
        if e.tag == "mi":
            return [("constant", _WORDS[value])] if value in _WORDS else [("function", value)]
        assert e.tag == "mo", e.tag
        return [("sign", value)]

    return walk(ElementTree.fromstring(f"<math>{text}</math>"))


def _bare(e):
    """An element without what follows it."""
    copy = ElementTree.Element(e.tag, e.attrib)
    copy.text = e.text
    copy.extend(e)
    return copy


def read(tokens, values):
    """The number that tokens mean, with symbols by `values`."""
    reader = _Reader(tokens, values)
    found = reader.sum()
    reader.end()
    return found


class _Reader:
    def __init__(self, tokens, values, in_bars=False):
        self.tokens, self.values, self.place, self.in_bars = tokens, values, 0, in_bars

    @property
    def next(self):
        return self.tokens[self.place] if self.place < len(self.tokens) else ("end", "")

    def take(self, *signs):
        """The next token if it is one of some signs."""
        kind, value = self.next[:2]
        if kind == "sign" and value in signs:
            self.place += 1
            return value
        return None

    def need(self, sign):
        assert self.take(sign), (self.next, sign)

    def end(self):
        assert self.next[0] == "end", self.tokens[self.place :]

    def inside(self, tokens):
        reader = _Reader(tokens, self.values)
        found = reader.sum()
        reader.end()
        return found

    def sum(self):
        total = -self.product() if self.take("-") else self.product()
        while sign := self.take("+", "-"):
            total += self.product() if sign == "+" else -self.product()
        return total

    def begins_factor(self):
        kind, value = self.next[:2]
        if kind == "sign":
            return value in ("(", "[", "√") or (value == "|" and not self.in_bars)
        return kind in ("number", "constant", "symbol", "function", "fraction", "root")

    def product(self):
        found, bare = self.factor()
        divided = False
        while True:
            number = self.tokens[self.place - 1][0] == "number"
            if self.take("·"):
                factor, bare = self.factor()
                found *= factor
            elif self.take("/"):
                if divided or bare:
                    raise AmbiguousError(self.tokens)
                factor, bare = self.factor()
                found /= factor
                divided = True
            elif self.begins_factor():
                if divided or (number and self.next[0] == "number") or (bare and self.next[0] != "function"):
                    raise AmbiguousError(self.tokens)
                factor, bare = self.factor()
                found *= factor
            else:
                return found

    def factor(self):
        """(value, whether it ends in a function's bare argument)."""
        found, bare = self.atom()
        raised = 0
        while self.next[0] == "raised" or (self.next[:2] == ("sign", "^")):
            if bare or raised:
                raise AmbiguousError(self.tokens)
            found, raised = found ** self.exponent(), raised + 1
        return found, bare

    def exponent(self):
        if self.next[0] == "raised":
            self.place += 1
            return self.inside(self.tokens[self.place - 1][1])
        self.need("^")
        return self.brackets("(", ")")

    def brackets(self, opening, closing):
        self.need(opening)
        kept, self.in_bars = self.in_bars, opening == "|"
        found = self.sum()
        self.need(closing)
        self.in_bars = kept
        return found

    def atom(self):
        kind, *inner = self.next
        if kind == "sign":
            if inner[0] == "(":
                return self.brackets("(", ")"), False
            if inner[0] == "|":
                return abs(self.brackets("|", "|")), False
            if inner[0] == "√":
                self.place += 1
                inside, _ = self.atom()
                if self.next[0] == "raised":
                    raise AmbiguousError("√x²")
                return math.sqrt(inside), False
            self.need("[")
            kept, self.in_bars = self.in_bars, False
            found = float(self.condition())
            self.need("]")
            self.in_bars = kept
            return found, False
        self.place += 1
        if kind in ("number", "constant"):
            return inner[0], False
        if kind == "symbol":
            return self.values[inner[0]], False
        if kind == "root":
            return math.sqrt(self.inside(inner[0])), False
        if kind == "fraction":
            return self.inside(inner[0]) / self.inside(inner[1]), False
        assert kind == "function", (kind, inner)
        return self.called(inner[0])

    def called(self, name):
        function = getattr(math, name, None) or FUNCTIONS[name]
        exponent = self.exponent() if self.next[0] == "raised" else 1
        bare = self.next[:2] != ("sign", "(")
        if bare:
            args = [self.factor()[0]]  # sin q² is the sine of a square
        else:
            self.need("(")
            kept, self.in_bars = self.in_bars, False
            args = [self.sum()]
            while self.take(","):
                args.append(self.sum())
            self.need(")")
            self.in_bars = kept
        return function(*args) ** exponent, bare

    def condition(self):
        found = [self.part()]
        signs = []
        while sign := self.take("∧", "∨"):
            signs.append(sign)
            found.append(self.part())
        if len({*signs}) > 1:
            raise AmbiguousError("a ∧ b ∨ c")
        return all(found) if "∧" in signs else any(found)

    def part(self):
        if self.take("¬"):
            self.need("(")
            found = self.condition()
            self.need(")")
            return not found
        start = self.place
        try:
            left = self.sum()
            relation = self.take(*_RELATIONS)
            assert relation
            return _RELATIONS[relation](left, self.sum())
        except AssertionError:
            self.place = start
            self.need("(")
            found = self.condition()
            self.need(")")
            return found
