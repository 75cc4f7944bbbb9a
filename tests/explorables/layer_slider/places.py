"""Where the points of the layer slider should stand."""

MARGIN = 22  # of the plane, in the drawing's units


def expected_dots(stations: list[list[list[float]]], place: int) -> list[tuple[float, float]]:
    """One scale for all stations of a network, the second axis upwards."""
    axes = [[point[axis] for tokens in stations for point in tokens] for axis in (0, 1)]
    middle = [(min(values) + max(values)) / 2 for values in axes]
    room = [340 - 2 * MARGIN, 300 - 2 * MARGIN]
    unit = min(size / (max(values) - min(values)) for size, values in zip(room, axes, strict=True))
    return [
        (170 + unit * (x - middle[0]), 150 - unit * (y - middle[1])) for x, y in stations[place]
    ]
