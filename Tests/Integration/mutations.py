"""Mutated payment tokens for compare-verdicts.py; the random numbers determine the mutations."""
import base64
import copy
import datetime
import functools
import json


class Element:
    """The position of a BER element: its octets [start, end), its contents [body, rest), and the index of its parent."""

    __slots__ = ("start", "body", "rest", "end", "parent", "depth")

    def __init__(self, start, body, rest, end, parent, depth):
        self.start, self.body, self.rest, self.end = start, body, rest, end
        self.parent, self.depth = parent, depth


@functools.lru_cache(maxsize=4096)
def elements(octets):
    """Returns all BER elements, parents first; empty if the octets are not BER."""
    found = []

    def read(at, limit, parent, depth):
        if at + 2 > limit or depth > 24 or octets[at] & 0x1F == 0x1F:
            return None
        length, body = octets[at + 1], at + 2
        if length > 0x80:
            count = length & 0x7F
            if count > 4 or body + count > limit:
                return None
            length, body = int.from_bytes(octets[body:body + count], "big"), body + count
        elif length == 0x80:
            length = None
        if length is not None and body + length > limit:
            return None
        element = Element(at, body, body if length is None else body + length, 0, parent, depth)
        index = len(found)
        found.append(element)
        if length is None:
            at = body
            while octets[at:at + 2] != b"\x00\x00":
                at = read(at, limit, index, depth + 1)
                if at is None:
                    return None
            element.rest, element.end = at, at + 2
            return element.end
        element.end = element.rest
        # Octet strings of certificates contain DER; if one does not, discard the elements found inside it.
        if octets[element.start] & 0x20 or octets[element.start] == 0x04:
            at, before = body, len(found)
            while at is not None and at < element.rest:
                at = read(at, element.rest, index, depth + 1)
            if at is None:
                del found[before:]
        return element.end

    return [] if read(0, len(octets), None, 0) is None else found


def length_octets(length, extra=0):
    """Returns a definite length in its shortest form, or with `extra` additional octets."""
    if length < 0x80 and extra == 0:
        return bytes([length])
    digits = length.to_bytes(max((length.bit_length() + 7) // 8, 1) + max(extra - 1, 0), "big")
    return bytes([0x80 | len(digits)]) + digits


def replaced(octets, found, element, new):
    """Returns the octets with an element replaced and the lengths of all enclosing elements adjusted."""
    while True:
        if element.parent is None:
            return octets[:element.start] + new + octets[element.end:]
        parent = found[element.parent]
        body = octets[parent.body:element.start] + new + octets[element.end:parent.rest]
        head = octets[parent.start:parent.start + 1]
        if octets[parent.start + 1] == 0x80:
            new = head + b"\x80" + body + b"\x00\x00"
        else:
            new = head + length_octets(len(body)) + body
        element = parent


class Octets:
    """Mutations of octets that may be BER."""

    @staticmethod
    def mutant(random, octets):
        if octets and octets[0] == 0x30 and random.random() < 0.75:
            return Octets.structure(random, octets)
        return Octets.plain(random, octets)

    @staticmethod
    def plain(random, octets):
        """Changes bits, octets or runs of octets at any position."""
        at = random.randrange(len(octets) + 1)
        kind = random.randrange(8)
        if kind == 0 or not octets:
            return octets[:at] + random.randbytes(random.randint(1, 4)) + octets[at:]
        at %= len(octets)
        count = random.randint(1, 8)
        if kind <= 3:
            return octets[:at] + bytes([octets[at] ^ 1 << random.randrange(8)]) + octets[at + 1:]
        if kind == 4:
            return octets[:at] + bytes([random.choice((0, 1, 0x7F, 0x80, 0xFF))]) + octets[at + 1:]
        if kind == 5:
            return octets[:at] + octets[at + count:]
        if kind == 6:
            return octets[:at] if random.random() < 0.5 else octets + random.randbytes(count)
        other = random.randrange(len(octets))
        return octets[:at] + octets[other:other + count] + octets[at + count:]

    @staticmethod
    def structure(random, octets):
        """Changes, removes, repeats, moves or reencodes one BER element."""
        found = elements(octets)
        if not found:
            return Octets.plain(random, octets)
        # Half of the mutations affect the CMS itself, which has fewer elements than its certificates.
        if random.random() < 0.5:
            outer = [element for element in found if element.depth <= 6]
        else:
            outer = found
        element = random.choice(outer)
        whole = octets[element.start:element.end]
        tag, body = whole[:1], octets[element.body:element.rest]
        kind = random.randrange(16)
        if kind == 0:
            new = b""
        elif kind == 1:
            new = whole + whole
        elif kind == 2:
            siblings = [other for other in found if other.parent == element.parent and other.start >= element.end]
            if not siblings or element.parent is None:
                return Octets.plain(random, octets)
            other = random.choice(siblings)
            return (octets[:element.start] + octets[other.start:other.end] + octets[element.end:other.start]
                    + whole + octets[other.end:])
        elif kind == 3:
            other = random.choice(found)
            new = octets[other.start:other.end]
        elif kind == 4:
            new = bytes([tag[0] ^ 1 << random.randrange(8)]) + whole[1:]
        elif kind == 5:
            new = tag + length_octets(len(body), random.randint(1, 4)) + body
        elif kind == 6:
            new = bytes([tag[0] | 0x20]) + b"\x80" + body + b"\x00\x00"
        elif kind == 7:
            new = tag + length_octets(len(body)) + body
        elif kind == 8:
            # Change only the length of this element, not the lengths of the elements around it.
            at = element.start + 1
            return octets[:at] + bytes([octets[at] + random.choice((1, 255, 128)) & 0xFF]) + octets[at + 1:]
        elif kind == 9:
            new = random.choice((b"\x05\x00", b"\x02\x01\x00", b"\x0c\x01x", b"\x30\x00", b"\x31\x00", b"\x00\x00")) + whole
        elif kind == 10:
            new = whole + random.choice((b"\x05\x00", b"\x02\x01\x07", b"\x04\x00", b"\xa0\x00", b"\xa1\x00"))
        elif kind == 11:
            wrapped = random.choice((b"\x30", b"\x31", b"\xa0", b"\x24", b"\x04"))
            new = wrapped + length_octets(len(whole)) + whole
        elif kind == 12:
            new = tag + length_octets(0)
        elif kind == 13:
            extended = random.choice((b"\x00" + body, body + b"\x00", b"\xff" + body, body[:-1], body[1:]))
            new = tag + length_octets(len(extended)) + extended
        elif kind == 14 and tag in (b"\x17", b"\x18") and body:
            at = random.randrange(len(body))
            digits = body[:at] + random.choice((b"0", b"9", b"Z", b"5", b"+", b"1")) + body[at + 1:]
            new = tag + length_octets(len(digits)) + digits
        else:
            changed = Octets.plain(random, body)
            new = tag + length_octets(len(changed)) + changed
        return replaced(octets, found, element, new)


def decoded(text):
    """Returns the octets of canonical base64; None for other text."""
    try:
        return base64.b64decode(text, validate=True)
    except (ValueError, TypeError):
        return None


class TokenMutator:
    """Creates tokens with one to three changes."""

    def __init__(self, cases):
        """Cases: token object, time of use, whether it is accepted."""
        self.accepted = [case for case in cases if case[2]]
        self.cases = cases

    def mutant(self, random):
        """Returns a token object and its time of use."""
        token, now, _ = random.choice(self.accepted if random.random() < 0.8 else self.cases)
        token = copy.deepcopy(token)
        for _ in range(random.choice((1, 1, 1, 1, 2, 3))):
            share = random.random()
            if share < 0.05:
                now = self.other_time(random, now)
            elif share < 0.17:
                self.members(random, token)
            else:
                self.field(random, token, 0.60 < share)
        return token, now

    @staticmethod
    def other_time(random, now):
        """Returns a time near the bounds of the window, within or outside a certificate's validity, or no time."""
        try:
            time = datetime.datetime.strptime(now, "%Y-%m-%dT%H:%M:%SZ")
        except ValueError:
            return now
        seconds = random.choice((1, 299, 300, 301, 599, 600, 601, 86400, 86400 * 365, 86400 * 365 * 6))
        time += datetime.timedelta(seconds=seconds * random.choice((-1, 1)))
        text = time.strftime("%Y-%m-%dT%H:%M:%SZ")
        return text if random.random() < 0.9 else random.choice((text[:-1], text.replace("T", " "), "", text + "Z"))

    @staticmethod
    def field(random, token, isOther):
        """Changes the octets or the text of one field: the signature, or another one if isOther is true."""
        header = token.get("header")
        fields = [(token, "signature")]
        if isOther:
            fields = [(token, "data"), (token, "version")]
            if isinstance(header, dict):
                fields += [(header, name) for name in header]
        owner, name = random.choice(fields)
        text = owner.get(name)
        if not isinstance(text, str):
            return
        if random.random() < 0.12:
            owner[name] = TokenMutator.spelled(random, text)
        elif name in ("transactionId", "applicationData"):
            try:
                owner[name] = Octets.plain(random, bytes.fromhex(text)).hex()
            except ValueError:
                owner[name] = text[1:]
        elif (octets := decoded(text)) is not None:
            owner[name] = base64.b64encode(Octets.mutant(random, octets)).decode()
        else:
            owner[name] = TokenMutator.spelled(random, text)

    @staticmethod
    def spelled(random, text):
        """Returns the text or a part of it in a different spelling."""
        at = random.randrange(len(text) + 1)
        return random.choice((
            text.rstrip("="), text + "=", text + "\n", " " + text, text[:at] + "\r\n" + text[at:], text.upper(),
            text.replace("+", "-").replace("/", "_"), text[:at], text[at:], text[:at] + "=" + text[at:], "",
            text[:at] + "\u00e9" + text[at:], text + "A", text[:-1] + "B", text[:at] + "\x00" + text[at:]))

    def members(self, random, token):
        """Removes, renames, adds or moves members, changes their types, or copies them from another token."""
        header = token.get("header")
        owner = header if isinstance(header, dict) and random.random() < 0.6 else token
        if not owner:
            return
        name = random.choice(list(owner))
        kind = random.randrange(7)
        if kind == 0:
            del owner[name]
        elif kind == 1:
            owner[random.choice((name.upper(), name + " ", name[:-1], "applicationData", "wrappedKey", "ephemeralPublicKey",
                                 "extra", ""))] = owner.pop(name)
        elif kind == 2:
            owner[random.choice(("extra", "wrappedKey", "ephemeralPublicKey", "applicationData", "transactionIdentifier",
                                 "paymentData"))] = random.choice((None, 1, "", "00", [], {}, owner[name]))
        elif kind == 3:
            owner[name] = random.choice((None, True, 0, -1, 1.5, "", [], {}, [owner[name]], {"value": owner[name]}))
        elif kind == 4:
            other = random.choice(list(owner))
            owner[name], owner[other] = owner[other], owner[name]
        else:
            stranger = random.choice(self.cases)[0]
            place = stranger.get("header") if owner is header else stranger
            if isinstance(place, dict) and name in place:
                owner[name] = copy.deepcopy(place[name])


class TextMutator:
    """Creates texts of tokens that differ as JSON."""

    PIECES = ('"', "\\", "{", "}", "[", "]", ",", ":", " ", "\t", "\n", "\r", "\x00", "\x0b", "\u00a0", "\ufeff", "\u2028",
              "\\u0000", "\\ud800", "\\udc00", "\\u00", "\\x41", "\\'", "\\/", "\\b", "//", "/**/", "'", "null", "true", "NaN",
              "0", "-", "1e5", "\udc80", "\udcff", "\udcc0\udc80", "\udced\udca0\udc80", "\u00e9", "\U0001f600")
    NUMBERS = ("0", "-0", "01", "1.", ".5", "1.0", "1e1", "1E+2", "1e", "+1", "-", "1e999", "9" * 40, "0x1", "1_000", "Infinity")
    VALUES = ("null", "true", "false", "tru", "nul", "[]", "{}", "[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]", '""', '"\\u0041"', "[1,]",
              '{"a":1,"a":2}', "") + NUMBERS
    SHORT = {'"': '\\"', "\\": "\\\\", "/": "\\/", "\n": "\\n"}

    def __init__(self, cases):
        """Cases: token object, time of use, whether it is accepted."""
        self.accepted = [case for case in cases if case[2]]

    def mutant(self, random):
        """Returns a token's text and its time of use."""
        token, now, _ = random.choice(self.accepted)
        text = self.written(random, token)
        for _ in range(random.choice((0, 1, 1, 1, 1, 2, 3))):
            text = self.edited(random, text)
        if random.random() < 0.15:
            for _ in range(random.choice((1, 1, 1, 2, 3, 4, 5))):
                text = self.wrapped(random, text)
        if random.random() < 0.001:
            text += " " * random.choice((262_144 - len(text), 262_145 - len(text), 300_000))
        return text, now

    def written(self, random, value, depth=0):
        """Returns JSON with members in any order, some repeated, some escaped, and some with values of other types."""
        if not isinstance(value, dict):
            text = json.dumps(value)
            if isinstance(value, str) and random.random() < 0.05:
                text = self.escaped(random, text)
            return text
        pairs = list(value.items())
        if random.random() < 0.3:
            random.shuffle(pairs)
        if random.random() < 0.08 and pairs:
            pairs.insert(random.randrange(len(pairs) + 1), random.choice(pairs))
        changed = random.randrange(len(pairs)) if pairs and random.random() < 0.12 else None
        parts = []
        for index, (name, member) in enumerate(pairs):
            label = json.dumps(name)
            if random.random() < 0.05:
                label = self.escaped(random, label)
            content = random.choice(self.VALUES) if index == changed else self.written(random, member, depth + 1)
            space = random.choice(("", "", "", "", " ", "\n\t", "\r\n"))
            parts.append(f"{space}{label}{space}:{space}{content}{space}")
        return "{" + ",".join(parts) + "}"

    def escaped(self, random, text):
        """Returns a quoted text with one character written as an escape."""
        if len(text) < 3:
            return text
        at = random.randrange(1, len(text) - 1)
        code = ord(text[at])
        escape = random.choice((f"\\u{code:04x}", f"\\u{code:04X}", f"\\U{code:04x}", f"\\u{code:03x}", f"\\x{code:02x}",
                                self.SHORT.get(text[at], f"\\u{code:04x}")))
        return text[:at] + escape + text[at + 1:]

    def edited(self, random, text):
        """Returns the text with one edit that disregards JSON's syntax."""
        at = random.randrange(len(text) + 1)
        count = random.choice((1, 1, 1, 2, 5, 50))
        kind = random.randrange(10)
        if kind == 0:
            return text[:at]
        if kind == 1:
            return text[:at] + text[at + count:]
        if kind == 2:
            return text[:at] + text[at:at + count] + text[at:]
        if kind == 3:
            return text + random.choice(self.PIECES)
        if kind == 4:
            return random.choice(self.PIECES) + text
        if kind == 5:
            # Edit one of JSON's syntax characters, so that the structure changes.
            places = [place for place, character in enumerate(text) if character in '{}[],:"\\']
            if places:
                place = random.choice(places)
                return text[:place] + random.choice(self.PIECES) + text[place + random.randrange(2):]
        if kind == 6 and text:
            at %= len(text)
            return text[:at] + chr(ord(text[at]) ^ 1 << random.randrange(7)) + text[at + 1:]
        if kind == 7 and text:
            at %= len(text)
            return text[:at] + f"\\u{ord(text[at]):04x}" + text[at + 1:]
        return text[:at] + random.choice(self.PIECES) + text[at:]

    @staticmethod
    def wrapped(random, text):
        """Returns a text inside a wrapper as client libraries send it."""
        octets = text.encode("utf-8", "surrogateescape" if text.isprintable() else "replace")
        return random.choice((
            '{"paymentData":' + text + "}", '{"token":' + text + "}", '{"payment":{"token":' + text + "}}",
            '{"details":' + text + "}", '{"token":{"paymentData":' + text + ',"transactionIdentifier":"x"}}',
            json.dumps(text, ensure_ascii=False), '{"paymentData":' + json.dumps(text, ensure_ascii=False) + "}",
            base64.b64encode(octets).decode(), json.dumps(base64.b64encode(octets).decode()), octets.hex(),
            "$begateway_apple_pay_1_0_0$" + base64.b64encode(octets).decode()))
