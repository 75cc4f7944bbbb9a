"""What is written in the figure of the layer slider."""

from typing import Any

from bottomup.i18n import _


def station_names(count: int) -> list[str]:
    """Return "embedding", "layer 1" and so on: `count` names."""
    layers = [_("layer {layer}").format(layer=layer) for layer in range(1, count)]
    return [_("embedding"), *layers]


def texts() -> dict[str, Any]:
    """Return every label; names in braces are filled in by the script."""
    return {
        "title": _("Layer slider"),
        "station": _("Station"),
        "network": _("Network"),
        "before": _("station before"),
        "after": _("station after"),
        "information": _("Information about the input token, I(T; C) in nats"),
        "curves": _("Information about the input token in nats, station by station. {curves}. "
                    "{entropy}."),
        "curve": _("{network}: {values}"),
        "entropy": _("H(T) = {entropy}"),
        "axis": _("station (0: {first})"),
        "distances": _("PWCCA distance between networks at this station"),
        "pair": _("pair"),
        "distance": _("distance"),
        "scale": _("0: no distance. A full bar: {most}."),
        "plane": _("The sentence’s tokens: {network}, {station}"),
        "plane_aloud": _("The sentence’s tokens as points of a plane: {network}, {station}."),
        "token": _("Token"),
        "how": _("Two principal components, one scale for all stations of a network. The line "
                 "leads from station 0 to where the chosen token is now. Choose a token by its "
                 "name or its point."),
        "neighbours": _("Neighbours of “{token}”: {network}, {station}"),
        "type": _("type"),
        "share": _("share"),
        "percent": _("{share}\u00a0%"),
        "others": _("other types"),
        "neighbour": _("{type} {share}\u00a0%"),
        "said": _("{network}, {station}: clusters tell {value} of the input token’s {entropy} "
                  "nats."),
        "said_apart": _("PWCCA distance: {pairs}."),
        "apart": _("{pair} {distance}"),
        "said_near": _("Neighbours of “{token}”: {types}."),
    }  # fmt: skip
