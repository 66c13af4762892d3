"""Slow twins of the clustering kernels and of union–find, written with dictionaries and sets."""


def number_by_appearance(codes):
    seen = {}
    return [-1 if code < 0 else seen.setdefault(code, len(seen)) for code in codes], len(seen)


def sort_by_label(labels, n_entities):
    groups = [[i for i, label in enumerate(labels) if label == entity] for entity in range(n_entities)]
    offsets = [0]
    for group in groups:
        offsets.append(offsets[-1] + len(group))
    return [i for group in groups for i in group], offsets


def intersect(a, b):
    cells = {}
    return [-1 if x < 0 or y < 0 else cells.setdefault((x, y), len(cells)) for x, y in zip(a, b, strict=True)]


def components(n, a, b):
    group = {i: {i} for i in range(n)}
    for x, y in zip(a, b, strict=True):
        if group[x] is not group[y]:
            merged = group[x] | group[y]
            for member in merged:
                group[member] = merged
    return [min(group[i]) for i in range(n)]
