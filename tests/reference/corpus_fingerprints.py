"""The slow twin of text fingerprints."""

_MASK = (1 << 64) - 1


def fingerprint(text, kind=0):
    x = 0xCBF29CE484222325 ^ kind
    for byte in text.encode():
        x = ((x ^ byte) * 0x100000001B3) & _MASK
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & _MASK
    return x ^ (x >> 31)
