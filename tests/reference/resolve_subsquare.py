"""Slow twin of the overlap of neighbourhoods."""


def in_common(near, i, j):
    """The share of the smaller neighbourhood, each with its centre, that two vertices have in common."""
    one, other = ({k for k in near[v].tolist() if k >= 0} for v in (i, j))
    both = len(one & other) + (j in one) + (i in other)
    return both / (1 + min(len(one), len(other)))
