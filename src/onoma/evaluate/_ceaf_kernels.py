"""Kernels of `ceaf.py`: a matching of greatest weight in a sparse bipartite graph.

The dual of the problem gives every row a profit and every column a price, non-negative, such that profit[i] + price[j]
covers weight[i, j]; the *slack* of an edge is what they cover beyond it. A matching is greatest exactly when its edges
have no slack and whoever is alone has profit, or price, 0.
"""

import numba as nb
import numpy as np
from numpy.typing import NDArray

AUCTION_STEP = 5.0
"""By how much the auction's step is divided from round to round (4 to 10 are alike)."""

AUCTION_ROUNDS = 8
"""After these the step is 1/390,625 of the greatest weight, and what is left to do is local."""


@nb.njit(cache=True, nogil=True, inline="always")
def _push_inplace(keys: NDArray[np.float64], values: NDArray[np.int64], size: int, key: float, value: int) -> int:
    """Add to a binary heap held in two arrays; return its new size."""
    at = size
    while at > 0:
        above = (at - 1) >> 1
        if keys[above] <= key:
            break
        keys[at], values[at] = keys[above], values[above]
        at = above
    keys[at], values[at] = key, value
    return size + 1


@nb.njit(cache=True, nogil=True, inline="always")
def _pop_inplace(keys: NDArray[np.float64], values: NDArray[np.int64], size: int) -> int:
    """Take the smallest off the heap (the caller has read it at position 0); return the new size."""
    size -= 1
    key, value = keys[size], values[size]
    at = 0
    while True:
        below = 2 * at + 1
        if below >= size:
            break
        if below + 1 < size and keys[below + 1] < keys[below]:
            below += 1
        if keys[below] >= key:
            break
        keys[at], values[at] = keys[below], values[below]
        at = below
    keys[at], values[at] = key, value
    return size


@nb.njit(cache=True, nogil=True)
def transpose(
    offsets: NDArray[np.int64], columns: NDArray[np.int64], weights: NDArray[np.float64], n_columns: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Return the same graph by columns."""
    begins = np.zeros(n_columns + 1, dtype=np.int64)
    for j in columns:
        begins[j + 1] += 1
    for j in range(n_columns):
        begins[j + 1] += begins[j]
    place = begins[:-1].copy()
    rows = np.empty(len(columns), dtype=np.int64)
    turned = np.empty(len(columns))
    for i in range(len(offsets) - 1):
        for e in range(offsets[i], offsets[i + 1]):
            at = place[columns[e]]
            rows[at], turned[at] = i, weights[e]
            place[columns[e]] += 1
    return begins, rows, turned


@nb.njit(cache=True, nogil=True)
def _settle_inplace(
    sources: NDArray[np.int64],
    offsets: NDArray[np.int64],
    columns: NDArray[np.int64],
    weights: NDArray[np.float64],
    row_column: NDArray[np.int64],
    column_row: NDArray[np.int64],
    profit: NDArray[np.float64],
    price: NDArray[np.float64],
    budget: int,
) -> bool:
    """Give each of these rows a column, or make its profit 0; say whether the budget of edges looked at sufficed.

    A shortest path over the slacks says who gives way to a row: it ends at a free column, or at a row (perhaps this
    one) that had better stay alone. The search (Dijkstra's) opens only what is nearer than the best end so far, and
    only what it touched is reset, so a row whose best column is free costs its own edges and no more, and components
    need not be told apart. Ties are common, so columns at no further distance wait in a queue, not in the heap. One
    body of 90 lines, because its parts share a dozen arrays.
    """
    n_columns = len(price)
    distance = np.empty(n_columns)
    via = np.empty(n_columns, dtype=np.int64)  # the row from which the search reached a column
    state = np.zeros(n_columns, dtype=np.int8)  # 0 unseen, 1 seen, 2 settled
    touched = np.empty(n_columns, dtype=np.int64)
    near = np.empty(len(columns), dtype=np.int64)  # columns no farther than the row the search is at, a queue
    keys = np.empty(len(columns) + 1)
    values = np.empty(len(columns) + 1, dtype=np.int64)
    for source in sources:
        if row_column[source] >= 0:
            continue
        end_distance = profit[source]
        end_row, end_column = source, -1
        n_touched, first_near, n_near, heap = 0, 0, 0, 0
        row, row_distance = source, 0.0
        while True:
            budget -= offsets[row + 1] - offsets[row]
            for e in range(offsets[row], offsets[row + 1]):
                j = columns[e]
                if state[j] == 2:
                    continue
                reach = row_distance + max(profit[row] + price[j] - weights[e], 0.0)
                if reach >= end_distance or (state[j] == 1 and reach >= distance[j]):
                    continue
                if state[j] == 0:
                    state[j] = 1
                    touched[n_touched] = j
                    n_touched += 1
                distance[j], via[j] = reach, row
                if column_row[j] < 0:
                    end_distance, end_row, end_column = reach, -1, j
                elif reach == row_distance:
                    near[n_near] = j
                    n_near += 1
                else:
                    heap = _push_inplace(keys, values, heap, reach, j)
            j = -1
            while j < 0 and row_distance < end_distance:
                if first_near < n_near:
                    j = near[first_near]
                    first_near += 1
                elif heap > 0 and keys[0] < end_distance:
                    j = values[0]
                    heap = _pop_inplace(keys, values, heap)
                else:
                    break
                if state[j] == 2:
                    j = -1  # an entry overtaken by a nearer one
            if j < 0:
                break
            state[j] = 2
            row, row_distance = column_row[j], distance[j]
            if row_distance + profit[row] < end_distance:
                end_distance, end_row, end_column = row_distance + profit[row], row, -1

        # Prices of the settled columns rise and profits of their rows fall, so that the path has no slack.
        profit[source] = max(profit[source] - end_distance, 0.0)
        for t in range(n_touched):
            j = touched[t]
            if state[j] == 2 and distance[j] < end_distance:
                rise = end_distance - distance[j]
                price[j] += rise
                profit[column_row[j]] = max(profit[column_row[j]] - rise, 0.0)
            state[j] = 0
        if end_row == source:
            continue
        # Hand the columns on, backwards along the path.
        if end_column < 0:
            profit[end_row] = 0.0
            end_column = row_column[end_row]
            row_column[end_row] = -1
        while True:
            row = via[end_column]
            before = row_column[row]
            row_column[row], column_row[end_column] = end_column, row
            end_column = before
            if row == source:
                break
        if budget < 0:
            return False
    return True


@nb.njit(cache=True, nogil=True, inline="always")
def _best_two(
    person: int,
    alone: float,
    offsets: NDArray[np.int64],
    objects: NDArray[np.int64],
    weights: NDArray[np.float64],
    prices: NDArray[np.float64],
) -> tuple[float, float, int]:
    """Return what a bidder gains by its best and by its second best choice, and the best one's edge (-1: alone)."""
    best, second, at = alone, -np.inf, -1
    for e in range(offsets[person], offsets[person + 1]):
        gain = weights[e] - prices[objects[e]]
        if gain > best:
            best, second, at = gain, best, e
        elif gain > second:
            second = gain
    return best, second, at


@nb.njit(cache=True, nogil=True)
def approach(
    offsets: NDArray[np.int64],
    columns: NDArray[np.int64],
    weights: NDArray[np.float64],
    begins: NDArray[np.int64],
    rows: NDArray[np.int64],
    turned: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return profits and prices that cover every weight with a sum near the least: an auction (Bertsekas, 1988).

    So that nobody need stay alone, the graph is doubled: rows bid for columns, the columns' images bid for the rows'
    images with the same weights, and anybody may take their own image for nothing. A bidder raises the price of the
    best choice until it is a step worse than the second best, and takes it from its owner. Rounds have ever smaller
    steps and start from the prices of the round before. The means over the two copies cover every weight.
    """
    n_rows, n_columns = len(offsets) - 1, len(begins) - 1
    n = n_rows + n_columns
    column_price, row_price = np.zeros(n_columns), np.zeros(n_rows)
    column_owner = np.empty(n_columns, dtype=np.int64)  # rows are bidders 0 .., columns' images n_rows ..
    row_owner = np.empty(n_rows, dtype=np.int64)
    waiting = np.empty(n, dtype=np.int64)
    step = weights.max()
    for _ in range(AUCTION_ROUNDS):
        step /= AUCTION_STEP
        column_owner[:], row_owner[:] = -1, -1
        for bidder in range(n):
            waiting[bidder] = bidder
        n_waiting = n
        while n_waiting > 0:
            n_waiting -= 1
            bidder = waiting[n_waiting]
            i = bidder - n_rows
            if i < 0:
                best, second, e = _best_two(bidder, -row_price[bidder], offsets, columns, weights, column_price)
                for_column, thing = e >= 0, columns[e] if e >= 0 else bidder
            else:
                best, second, e = _best_two(i, -column_price[i], begins, rows, turned, row_price)
                for_column, thing = e < 0, rows[e] if e >= 0 else i
            rise = step if second == -np.inf else best - second + step
            if for_column:
                column_price[thing] += rise
                owner, column_owner[thing] = column_owner[thing], bidder
            else:
                row_price[thing] += rise
                owner, row_owner[thing] = row_owner[thing], bidder
            if owner >= 0:
                waiting[n_waiting] = owner
                n_waiting += 1
    row_profit = np.empty(n_rows)
    for i in range(n_rows):
        row_profit[i], _, _ = _best_two(i, -row_price[i], offsets, columns, weights, column_price)
    column_profit = np.empty(n_columns)
    for j in range(n_columns):
        column_profit[j], _, _ = _best_two(j, -column_price[j], begins, rows, turned, row_price)
    return (row_profit + row_price) / 2, (column_profit + column_price) / 2


@nb.njit(cache=True, nogil=True)
def greatest_matching(
    offsets: NDArray[np.int64], columns: NDArray[np.int64], weights: NDArray[np.float64], n_columns: int, budget: int
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """Match rows with columns, each at most once, so that the sum of the weights (all positive) is greatest.

    Rows come one at a time, each improving the matching by a shortest path (the method of Kuhn and Munkres on a sparse
    graph). Where that takes too long (more edges looked at than the budget), near-optimal prices from an auction make
    the paths short; rows, then columns, that are alone at a price are settled from there. Either way the end is exact.

    Returns each row's column (-1: alone), and the dual solution that proves the matching greatest: profits and prices,
    non-negative, covering every weight, with the same sum as the matching.
    """
    n_rows = len(offsets) - 1
    row_column = np.full(n_rows, -1, dtype=np.int64)
    column_row = np.full(n_columns, -1, dtype=np.int64)
    profit, price = np.zeros(n_rows), np.zeros(n_columns)
    for i in range(n_rows):
        for e in range(offsets[i], offsets[i + 1]):
            profit[i] = max(profit[i], weights[e])
    everyone = np.arange(n_rows)
    if _settle_inplace(everyone, offsets, columns, weights, row_column, column_row, profit, price, budget):
        return row_column, profit, price

    begins, rows, turned = transpose(offsets, columns, weights, n_columns)
    profit, price = approach(offsets, columns, weights, begins, rows, turned)
    row_column[:], column_row[:] = -1, -1
    endless = 1 << 62
    _settle_inplace(everyone, offsets, columns, weights, row_column, column_row, profit, price, endless)
    _settle_inplace(np.arange(n_columns), begins, rows, turned, column_row, row_column, price, profit, endless)
    return row_column, profit, price
