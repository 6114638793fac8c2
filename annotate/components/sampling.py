"""The choice of a sampler, with a line on each."""

from __future__ import annotations

from streamlit.delta_generator import DeltaGenerator

import samplers
from annotate.language import _, gettext_noop

DRAWN_FIRST = {
    "random": gettext_noop("At random: a safe choice, and the baseline for all others."),
    "text-order": gettext_noop(
        "In the order of the file; each round continues after the last sentence of the round before."
    ),
    "longest": gettext_noop("The longest examples first: the highest gain per sentence, but not per word."),
    "shortest": gettext_noop("The shortest examples first."),
    "entropy": gettext_noop("The examples with the most uncertain words."),
    "least-confidence": gettext_noop("The examples whose most likely annotation is least certain."),
    "margin": gettext_noop("The examples on which the model hesitates between two labels."),
    "bald": gettext_noop("The examples on which equally good models disagree."),
    "medoids": gettext_noop("Examples that represent many others of the pool."),
    "typical": gettext_noop("Examples that resemble many others, from all parts of the pool."),
    "core-set": gettext_noop("The examples that are least similar to those drawn before."),
    "nearest": gettext_noop("The examples that are most similar to the whole pool."),
    "badge": gettext_noop("Uncertain examples from many parts of the pool."),
    "dpp": gettext_noop("Uncertain examples that differ from each other."),
    "confused": gettext_noop("The examples with the labels that the model confuses most."),
    "cost-aware": gettext_noop("The examples with the most uncertainty per predicted minute of work."),
}
"""What each sampler draws first."""


def choose(place: DeltaGenerator, now: str, key: str) -> str:
    """Draw the choice of a sampler with a line on the chosen one; those that need no model come first."""
    names = sorted(samplers.registry(), key=lambda name: bool(samplers.get(name).needs))
    chosen = place.selectbox(_("Sampler"), names, names.index(now), key=key)
    if chosen in DRAWN_FIRST:
        place.caption(_(DRAWN_FIRST[chosen]))
    return chosen
