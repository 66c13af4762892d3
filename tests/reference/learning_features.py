"""Hashing of strings, one byte at a time, in Python's own integers."""


def hash_string(text, seed=0):
    mask = (1 << 64) - 1
    h = 0xCBF29CE484222325 ^ seed
    for byte in text.encode():
        h = ((h ^ byte) * 0x100000001B3) & mask
    for multiplier in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        h = ((h ^ (h >> 33)) * multiplier) & mask
    return h ^ (h >> 33)
