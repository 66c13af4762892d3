"""Seeded damage: bytes flipped, cut, doubled, moved, and the marks that readers look for put in wrong places."""

import random

MARKS = (
    b'"', b"'", b",", b"\t", b"\n", b"\r", b"\r\n", b"\0", b"{", b"}", b"[", b"]", b"(", b")", b"@", b"#", b"=", b"\\",
    b"\\ud800", b"\xff", b"\xc3", b"\xef\xbb\xbf", b"9" * 40, b"1e999", b"NaN", b"-", b"null", b"<", b">",
    b"%", b" " * 9,
)  # fmt: skip


def mutate(raw: bytes, rng: random.Random) -> bytes:
    """Return the bytes with one to four injuries."""
    for _ in range(rng.choice((1, 1, 2, 4))):
        at = rng.randrange(len(raw) + 1)
        past = min(len(raw), at + rng.choice((1, 1, 1, 2, 5, 30)))
        kind = rng.randrange(7)
        if kind == 0 and at < len(raw):
            raw = raw[:at] + bytes([raw[at] ^ (1 << rng.randrange(8))]) + raw[at + 1 :]
        elif kind == 1:
            raw = raw[:at] + raw[past:]
        elif kind == 2:
            raw = raw[:at] + rng.choice(MARKS) + raw[at:]
        elif kind == 3:
            raw = raw[:at] + rng.choice(MARKS) + raw[past:]
        elif kind == 4:
            raw = raw[:past] + raw[at:past] + raw[past:]
        elif kind == 5:
            raw = raw[:at] + bytes(rng.randrange(256) for _ in range(rng.randrange(1, 6))) + raw[at:]
        else:
            raw = raw[: max(1, at)]
    return raw
