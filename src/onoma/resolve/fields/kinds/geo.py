"""Places on the globe: pairs of latitude and longitude, compared by the distance between them."""

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from onoma.resolve.fields.features import Features, FeaturesBuilder
from onoma.resolve.fields.field import Codes, Levels

__all__ = ["Geo", "GeoComparison", "read_point"]

_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?")
_RADIUS = 6371.0  # km, mean
_KILOMETRES = (0.1, 1.0, 5.0, 25.0, 100.0, 500.0)


def read_point(text: str) -> tuple[float, float] | None:
    """Return latitude and longitude, or None where a text is no such pair.

    Examples
    --------
    >>> read_point("POINT(51.5 -0.12)"), read_point("51.5"), read_point("200, 10")
    ((51.5, -0.12), None, None)
    """
    numbers = [float(number) for number in _NUMBER.findall(text)]
    if len(numbers) == 2 and abs(numbers[0]) <= 90 and abs(numbers[1]) <= 180:
        return numbers[0], numbers[1]
    return None


class Geo:
    """Latitude and longitude."""

    name = "geo"

    def normalise(self, raw: Sequence[str]) -> list[str]:
        """Write as `latitude,longitude`, to about ten centimetres; (0, 0) is nowhere."""
        return [_write(read_point(text)) for text in raw]

    def prepare(self, values: Sequence[str], counts: NDArray[np.int64]) -> "GeoComparison":
        """Turn texts into points."""
        del counts
        return GeoComparison(values)


def _write(point: tuple[float, float] | None) -> str:
    return "" if point is None or point == (0.0, 0.0) else f"{point[0]:.6f},{point[1]:.6f}"


class GeoComparison:
    """Points compared by the great-circle distance between them (haversine formula)."""

    levels = ("equal", *(f"within {distance:g} km" for distance in _KILOMETRES), "different")

    def __init__(self, values: Sequence[str]) -> None:
        self._values = values
        self._points = np.radians(np.array([value.split(",") for value in values], np.float64).reshape(-1, 2))

    def compare(self, a: Codes, b: Codes) -> Levels:
        """Return the level of each pair."""
        p, q = self._points[a], self._points[b]
        half = np.sin((p - q) / 2) ** 2
        chord = half[:, 0] + np.cos(p[:, 0]) * np.cos(q[:, 0]) * half[:, 1]
        kilometres = 2 * _RADIUS * np.arcsin(np.sqrt(np.minimum(chord, 1)))
        return (1 + np.searchsorted(_KILOMETRES, kilometres, side="left")).astype(np.int8)

    def features(self) -> Features:
        """Return the point, and the squares of a hundredth of a degree around it."""
        builder = FeaturesBuilder(len(self._values))
        builder.add_values(self._values)
        squares = np.floor(np.degrees(self._points) * 100).astype(np.int64).tolist()
        builder.add("key", ([f"{y + i},{x + j}" for i in (0, 1) for j in (0, 1)] for y, x in squares))
        return builder.build()
