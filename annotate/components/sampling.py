"""The choice of a sampler, with a line on each."""

from __future__ import annotations

from streamlit.delta_generator import DeltaGenerator

import samplers
from annotate.language import _, gettext_noop

DRAWN_FIRST = {
    "random": gettext_noop("At random: a fair start, and the baseline of all others."),
    "text-order": gettext_noop("In the order of the file; each round goes on where the last one ended."),
    "longest": gettext_noop("Most words first: gains most for each sentence, not for each word."),
    "shortest": gettext_noop("Fewest words first."),
    "entropy": gettext_noop("What the model is least sure of, word by word."),
    "least-confidence": gettext_noop("What the model is least sure of as a whole."),
    "margin": gettext_noop("Where the model wavers between two labels."),
    "bald": gettext_noop("Where models that fit equally well disagree."),
    "medoids": gettext_noop("What stands for many others of the pool."),
    "typical": gettext_noop("What has many others like it, from every corner of the pool."),
    "core-set": gettext_noop("What is least like anything drawn before."),
    "nearest": gettext_noop("What is most like the pool as a whole."),
    "badge": gettext_noop("What the model is unsure of, from many corners of the pool."),
    "dpp": gettext_noop("What the model is unsure of, each unlike the others."),
    "confused": gettext_noop("Where the labels occur that the model confuses most."),
    "cost-aware": gettext_noop("What the model is least sure of for each predicted minute of work."),
}
"""What each sampler draws first."""


def choose(place: DeltaGenerator, now: str, key: str) -> str:
    """Draw the choice of a sampler with a line on the chosen one; those that need no model come first."""
    names = sorted(samplers.registry(), key=lambda name: bool(samplers.get(name).needs))
    chosen = place.selectbox(_("Sampler"), names, names.index(now), key=key)
    if chosen in DRAWN_FIRST:
        place.caption(_(DRAWN_FIRST[chosen]))
    return chosen
