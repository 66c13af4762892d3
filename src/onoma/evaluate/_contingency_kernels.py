"""Kernels of `contingency.py`: counting overlaps with a stamp array, linear time."""

import numba as nb
import numpy as np
from numpy.typing import NDArray


@nb.njit(cache=True, nogil=True)
def count_labels(labels: NDArray[np.int64], n_entities: int) -> NDArray[np.int64]:
    """Count the items of each entity."""
    sizes = np.zeros(n_entities, dtype=np.int64)
    for label in labels:
        if label >= 0:
            sizes[label] += 1
    return sizes


@nb.njit(cache=True, nogil=True)
def count_overlaps(
    labels: NDArray[np.int64], sizes: NDArray[np.int64], other: NDArray[np.int64], n_other: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Count, for each entity of one side (labels and sizes given), its items in each entity of the other.

    Returns CSR arrays: where each entity's cells begin, each cell's other entity (in order of first appearance), and
    the number of items in it. Items absent on the other side are in no cell.
    """
    n_entities = len(sizes)
    place = np.zeros(n_entities + 1, dtype=np.int64)
    for e in range(n_entities):
        place[e + 1] = place[e] + sizes[e]
    # The other side's labels, entity after entity: a counting sort that moves what will be read, not the items.
    sorted_other = np.empty(place[-1], dtype=np.int64)
    for i in range(len(labels)):
        if labels[i] >= 0:
            sorted_other[place[labels[i]]] = other[i]
            place[labels[i]] += 1
    begins = np.zeros(n_entities + 1, dtype=np.int64)
    columns = np.empty(len(sorted_other), dtype=np.int64)
    overlaps = np.empty(len(sorted_other), dtype=np.int64)
    # The last cell made for each other entity; one before this entity's first cell belongs to an earlier entity.
    cell_of = np.full(n_other, -1, dtype=np.int64)
    n_cells, at = 0, 0
    for e in range(n_entities):
        first = n_cells
        while at < place[e]:  # after the sort, where the entity's items end
            label = sorted_other[at]
            at += 1
            if label < 0:
                continue
            cell = cell_of[label]
            if cell < first:
                cell = n_cells
                cell_of[label] = cell
                columns[cell] = label
                overlaps[cell] = 0
                n_cells += 1
            overlaps[cell] += 1
        begins[e + 1] = n_cells
    return begins, columns[:n_cells].copy(), overlaps[:n_cells].copy()


@nb.njit(cache=True, nogil=True)
def find_cells(
    gold: NDArray[np.int64],
    predicted: NDArray[np.int64],
    order: NDArray[np.int64],
    offsets: NDArray[np.int64],
    begins: NDArray[np.int64],
    columns: NDArray[np.int64],
    n_predicted: int,
) -> NDArray[np.int64]:
    """Say which cell each item is in: shared cells first, then one a gold entity, then one a predicted entity.

    The second kind holds a gold entity's items that are absent from the prediction, the third a predicted entity's
    items that are absent from the gold. An item absent from both is in no cell (-1).
    """
    n_gold = len(offsets) - 1
    n_shared = len(columns)
    cells = np.full(len(gold), -1, dtype=np.int64)
    cell_of = np.empty(n_predicted, dtype=np.int64)
    for e in range(n_gold):
        for cell in range(begins[e], begins[e + 1]):
            cell_of[columns[cell]] = cell
        for at in range(offsets[e], offsets[e + 1]):
            label = predicted[order[at]]
            cells[order[at]] = cell_of[label] if label >= 0 else n_shared + e
    for i in range(len(gold)):
        if gold[i] < 0 and predicted[i] >= 0:
            cells[i] = n_shared + n_gold + predicted[i]
    return cells
