"""Chapter 05: names of the base model and of the settings in the claims on the table."""

from statistics import fmean
from typing import Any

from bottomup.experiments.engine.record import Record
from bottomup.i18n import _


def names(record: Record) -> dict[str, Any]:
    """Return the base model in words, and the setting of all sentences and of few."""
    config = record.config
    base = _("the base model ({layers} + {layers} layers, {num_heads} heads, d_ff = {d_ff})")
    setting = _(
        "test sentences of the mini-language, d_model = {width}, {steps} steps at the base model's "
        "rate of {rate:g}, {epochs:.1f} passes over the training sentences"
    )
    settings = {
        f"{name}_setting": setting.format(
            width=config["d_model"],
            steps=config["steps"],
            rate=config["learning_rate"],
            epochs=fmean(record.metric(f"{name}.epochs")),
        )
        for name in ("base", "small")
        if name in config["variants"]
    }
    return {"base_model": base.format(**config), **settings}
