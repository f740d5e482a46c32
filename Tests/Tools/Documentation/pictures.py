#!/usr/bin/env python3
"""Draws the pictures of the documentation as SVG, for light and dark backgrounds.

usage: pictures.py [--check]     --check writes nothing and exits 1 if a picture is out of date
"""
import sys
from html import escape

from documents import ROOT

TOKEN = ROOT / "Sources/Core/ApplePayToken/Docs.docc/Resources"
SESSION = ROOT / "Sources/Network/ApplePaySession/Docs.docc/Resources"
STYLE = """<style>
text { font-family: -apple-system, "Segoe UI", Roboto, "Liberation Sans", Arial, sans-serif; fill: #1d1d1f }
.name { font-size: 15px; font-weight: 600 }
.code { font-family: ui-monospace, "SF Mono", Menlo, "Liberation Mono", monospace; font-size: 14px; font-weight: 600 }
.note { font-size: 13px; fill: #515154 }
.box { fill: #f5f5f7; stroke: #86868b; stroke-width: 1.5 }
.goal { fill: #e3f1e8; stroke: #0b6e4f }
.arrow { stroke: #515154; stroke-width: 1.5 }
.head { fill: #515154 }
@media (prefers-color-scheme: dark) {
text { fill: #f5f5f7 } .note { fill: #b8b8bd }
.box { fill: #2a2a2d; stroke: #86868b } .goal { fill: #12382a; stroke: #4cc495 }
.arrow { stroke: #b8b8bd } .head { fill: #b8b8bd }
}
</style>"""


def text(x, y, words, kind, anchor="middle"):
    return f'<text x="{x}" y="{y}" class="{kind}" text-anchor="{anchor}">{escape(words)}</text>'


def box(x, y, width, height, kind="box"):
    return f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="8" class="{kind}"/>'


def arrow(x1, y1, x2, y2):
    """Draws an arrow that points to the right, to the left or downwards."""
    back = x2 - 9 if x2 > x1 else x2 + 9
    head = f"{x2},{y2} {back},{y2 - 5} {back},{y2 + 5}" if y1 == y2 else f"{x2},{y2} {x2 - 5},{y2 - 9} {x2 + 5},{y2 - 9}"
    return f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" class="arrow"/><polygon points="{head}" class="head"/>'


def picture(width, height, title, parts):
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
                      f'role="img" aria-label="{escape(title)}">',
                      STYLE, *parts, "</svg>"]) + "\n"


def pipeline():
    """Returns the pipeline: one row for each type, with the step that creates the next one."""
    steps = [
        ("bytes", "from a browser or an app", "parse", "json, field"),
        ("PaymentToken", "well-formed; nothing is proven yet", "verify", "cms, chain, signature, signing-time"),
        ("VerifiedToken", "signed by Apple, and fresh", "decrypt", "key-selection, key-agreement, decrypt, payment-data"),
        ("Payment", "typed card data, meant for you", "compare and claim", "order, replay"),
        ("AcceptedPayment", "for this order, and claimed once", "write the request", "gateway"),
        ("GatewayRequest", "sent once", None, None),
    ]
    parts, y = [], 12
    for number, (name, meaning, step, stages) in enumerate(steps):
        parts += [box(10, y, 420, 56, "box goal" if number == len(steps) - 1 else "box"), text(220, y + 24, name, "code"),
                  text(220, y + 44, meaning, "note")]
        if step:
            parts += [arrow(50, y + 56, 50, y + 100), text(68, y + 76, step, "name", "start"),
                      text(68, y + 94, f"refuses: {stages}", "note", "start")]
        y += 102
    return picture(440, y - 36, "The pipeline of a token", parts)


def trust_chain():
    """Returns the chain from the pinned root to the token."""
    rows = [
        ("Apple Root CA - G3", "pinned by name and key, part of this library", "signs"),
        ("Intermediate certificate", "in the token; marker 1.2.840.113635.100.6.2.14", "signs"),
        ("Signer's certificate", "in the token; marker 1.2.840.113635.100.6.29", "its key signs"),
        ("Token", "key, data, transactionId, applicationData, signing time", None),
    ]
    parts, y = [], 12
    for number, (name, note, step) in enumerate(rows):
        parts += [box(10, y, 420, 56, "box goal" if number == 0 else "box"), text(220, y + 24, name, "name"), text(220, y + 44, note, "note")]
        if step:
            parts += [arrow(220, y + 56, 220, y + 92), text(234, y + 79, step, "note", "start")]
        y += 94
    return picture(440, y - 26, "The trust chain of a token", parts)


def certificates():
    """Returns the three things that a merchant gets from Apple's portal, with their uses."""
    rows = [
        ("Payment processing certificate", "EC P-256, or RSA 2048 in China", "Apple encrypts tokens to it",
         "paytoken decrypt --keys keys"),
        ("Merchant identity certificate", "RSA 2048, for TLS", "your server asks Apple for sessions with it",
         "paytoken session --identity identity.key.pem"),
        ("Domain association file", "no certificate, nothing secret", "Apple reads it on your web server",
         "paytoken doctor --domain-file FILE --served FILE"),
    ]
    parts, y = [], 12
    for name, form, use, command in rows:
        parts += [box(10, y, 420, 104), text(220, y + 26, name, "name"), text(220, y + 46, form, "note"),
                  text(220, y + 68, use, "note"), text(220, y + 90, command, "code")]
        y += 118
    return picture(440, y - 2, "The three things from Apple's portal", parts)


def session():
    """Returns the messages between the page, the merchant's server and Apple until the payment sheet is open."""
    lanes = {"page": 100, "server": 430, "Apple": 760}
    messages = [
        ("page", "server", "POST /apple-pay/session", "no address: validationURL is ignored"),
        ("server", "Apple", "POST …/paymentSession", "over TLS, with the merchant identity certificate"),
        ("Apple", "server", "the session, as JSON", "for this domain, until its expiresAt"),
        ("server", "page", "the same bytes", "completeMerchantValidation opens the sheet"),
        ("page", "server", "the payment token", "after Face ID or Touch ID"),
    ]
    names = {"page": "Your page", "server": "Your server", "Apple": "Apple Pay server"}
    parts, top, y = [], 12, 96
    height = top + 44 + 62 * len(messages) + 40
    for lane, x in lanes.items():
        parts += [f'<line x1="{x}" y1="{top + 44}" x2="{x}" y2="{height - 4}" class="arrow" stroke-dasharray="2 5"/>',
                  box(x - 80, top, 160, 44, "box goal" if lane == "server" else "box"), text(x, top + 28, names[lane], "name")]
    for sender, receiver, words, note in messages:
        start, end = lanes[sender], lanes[receiver]
        side = 8 if end > start else -8
        middle = (start + end) / 2
        parts += [arrow(start + side, y, end - side, y), text(middle, y - 9, words, "name"), text(middle, y + 18, note, "note")]
        y += 62
    return picture(860, height, "From the button to the open payment sheet", parts)


def service():
    """Returns the processes of the service, from the web application to the gateway, and what crosses each boundary."""
    rows = [
        ("Your web application", ["its own user, in the group that may pay", "no key, no account number"],
         ("Unix socket: HTTP/1.1, JSON", "token and order; the answer is the order's state")),
        ("paytokend", ["user paytoken, no network", "keys, ledger, account numbers"],
         ("Unix socket: one frame each way", "a request to a gateway, with its account number")),
        ("paytokend send", ["user paytoken-send, no key, no ledger", "sends, and stores nothing"],
         ("TLS, verified with the system's authorities", "over the network")),
        ("Gateway", ["charges the card"], None),
    ]
    parts, y = [], 12
    for number, (name, notes, crossing) in enumerate(rows):
        height = 40 + 20 * len(notes)
        parts += [box(10, y, 420, height, "box goal" if number == 1 else "box"), text(220, y + 26, name, "name")]
        parts += [text(220, y + 47 + 20 * line, note, "note") for line, note in enumerate(notes)]
        y += height
        if crossing:
            parts += [arrow(50, y, 50, y + 56), text(68, y + 25, crossing[0], "name", "start"),
                      text(68, y + 44, crossing[1], "note", "start")]
            y += 58
    return picture(440, y + 12, "The processes of the service", parts)


# Besides STYLE: whoever is not trusted, the boundaries of trust, and the numbers of the crossings.
BOUNDARIES = """<style>
.foreign { fill: #fdeeee; stroke: #b3261e }
.boundary { stroke: #b3261e; stroke-width: 1.5; stroke-dasharray: 6 5 }
.mark { fill: #b3261e } .number { font-size: 12px; font-weight: 600; fill: #ffffff }
@media (prefers-color-scheme: dark) {
.foreign { fill: #3a1f1f; stroke: #ff8a80 } .boundary { stroke: #ff8a80 } .mark { fill: #ff8a80 } .number { fill: #1d1d1f }
}
</style>"""


def data_flow():
    """Returns the programs, stores and people, what crosses the boundaries between them, and the number of each crossing."""
    parts = [BOUNDARIES]

    def node(x, y, width, lines, kind="box", name_lines=1):
        """Draws a box with its name and its notes."""
        parts.append(box(x, y, width, 20 + 19 * len(lines), kind))
        parts.extend(text(x + width / 2, y + 25 + 19 * number, line, "name" if number < name_lines else "note")
                     for number, line in enumerate(lines))

    def boundary(y, start=0):
        parts.append(f'<line x1="{start}" y1="{y}" x2="440" y2="{y}" class="boundary"/>')

    def crossing(x, y, height, number, words, down=True, up=True):
        """Draws a vertical arrow with a head at one end or both, the number of the boundary in its middle, and what crosses it."""
        parts.append(f'<line x1="{x}" y1="{y}" x2="{x}" y2="{y + height}" class="arrow"/>')
        for tip, sign in [(y + height, -1)] * down + [(y, 1)] * up:
            parts.append(f'<polygon points="{x},{tip} {x - 5},{tip + 9 * sign} {x + 5},{tip + 9 * sign}" class="head"/>')
        middle = y + height / 2
        parts.append(f'<circle cx="{x}" cy="{middle}" r="9" class="mark"/>')
        parts.append(text(x, middle + 4, str(number), "number"))
        parts.extend(text(x + 14, middle + offset, line, "note", "start") for offset, line in zip((-12, 22), words))

    # Who sends what to the web application.
    node(10, 12, 104, ["Apple", "signs tokens"])
    node(166, 12, 124, ["Customer", "browser or device"], "box foreign")
    node(302, 12, 128, ["Anybody", "or the gateway"], "box foreign")
    parts.extend([arrow(114, 41, 166, 41), text(139, 32, "token", "note")])
    boundary(106)
    crossing(24, 70, 72, 1, ["↓ session", "↑ request"])
    crossing(180, 70, 72, 1, ["↓ token, order", "↑ session, state"])
    crossing(316, 70, 72, 1, ["↓ message", "↑ answer"])
    node(10, 142, 420, ["Your web application", "no payment key, no account number; it may be taken over"])
    boundary(236)
    crossing(52, 200, 72, 2, ["↓ token, order, message: over a Unix socket, or a call", "↑ state of the order; reasons, and no account number"])
    node(10, 272, 420, ["The process with the keys", "paytokend, or your program with the library",
                        "verifies, decrypts, compares, claims; account numbers"], "box goal")
    # Its stores, and the people who may change them.
    boundary(385, 38)
    crossing(58, 349, 72, 3, ["↑ private key,", "or the secret"], down=False)
    crossing(192, 349, 72, 4, ["claims and", "attempts"])
    crossing(326, 349, 72, 5, ["↓ decisions,", "no secrets"], up=False)
    for x, lines in [(42, ["Keys", "files, or", "an HSM"]), (176, ["Ledger", "SQLite or", "PostgreSQL"]), (310, ["Logs", "audit log", "and metrics"])]:
        node(x, 421, 120, lines)
    boundary(534, 38)
    crossing(58, 498, 72, 6, ["↑ new keys,", "settings"], down=False)
    crossing(192, 498, 72, 6, ["↑ decisions,", "backups"], down=False)
    crossing(326, 498, 72, 6, ["↓ alarms"], up=False)
    node(42, 570, 388, ["Your operators", "as root, or in a role of the service"])
    # The way to the gateway.
    boundary(664)
    parts.append('<line x1="22" y1="349" x2="22" y2="628" class="arrow"/><polygon points="22,349 17,358 27,358" class="head"/>')
    crossing(22, 628, 72, 7, ["↓ request: account number, cryptogram, credentials", "↑ answer: over a Unix socket"], up=False)
    node(10, 700, 420, ["paytokend send, or your program's HTTPS client", "has the network, and neither keys nor ledger"])
    boundary(794)
    crossing(52, 758, 72, 8, ["↓ request over TLS, after the certificate was verified", "↑ what the gateway booked"])
    node(10, 830, 420, ["Gateway", "charges the card; its word decides whether an order is paid"])
    parts.extend(['<line x1="10" y1="912" x2="50" y2="912" class="boundary"/>', text(60, 916, "boundary of trust, with its number", "note", "start"),
                  box(290, 904, 22, 16, "box foreign"), text(320, 916, "not trusted", "note", "start")])
    return picture(440, 930, "Data flow and boundaries of trust", parts)


def main():
    stale = []
    for path, drawn in [(TOKEN / "pipeline.svg", pipeline()), (TOKEN / "trust-chain.svg", trust_chain()),
                        (TOKEN / "service.svg", service()), (TOKEN / "data-flow.svg", data_flow()),
                        (SESSION / "certificates.svg", certificates()), (SESSION / "session.svg", session())]:
        name = path.name
        if not path.exists() or path.read_text() != drawn:
            stale.append(name)
            if "--check" not in sys.argv:
                path.write_text(drawn)
    for name in stale:
        print(f"{name} is out of date: run make docs-tables" if "--check" in sys.argv else f"wrote {name}")
    return 1 if stale and "--check" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
