"""Arithmetic and random numbers: the ground floor. Knows nothing of names, factors or files."""
