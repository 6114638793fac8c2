"""The errors of the newest model: labels, confusions, sentences."""

from __future__ import annotations

from typing import Any

import streamlit as st

from annotate.components import frame, terms
from annotate.editing import content, view
from annotate.language import _
from annotate.quality import adjudication, agreement
from annotate.rounds import curve
from annotate.rounds.training_data import TrainingData
from annotate.store import Project
from fewshot import tasks
from fewshot.corpora import nested

MAX_WORST = 20
"""Maximum number of sentences in the list of those with most errors."""


def show(project: Project, task: str, data: TrainingData, made: curve.ProjectCurve) -> None:
    """Draw the errors of the newest model."""
    kind = tasks.get(task, project.labels[task])
    pairs = curve.pair_predictions(task, list(map(nested.outermost, data.scored)), made.predictions)
    if not pairs:
        return
    result = agreement.agreement(kind, pairs)
    labels, confused = st.columns(2, gap="large")
    with labels.expander(_("Score of each label")):
        by_label = [
            {_("label"): row.label, _("in gold"): row.count_a, _("predicted"): row.count_b, "F1": row.f1}
            for row in result.by_label
        ]
        frame.table(by_label)
    with confused.expander(_("Confused most")):
        rows = [{_("gold"): pair.a, _("predicted"): pair.b, _("times"): pair.count} for pair in result.confused]
        st.dataframe(rows, hide_index=True)
    with st.expander(_("Sentences with the most errors")):
        frame.table(_worst(kind, pairs))
    with st.expander(_("One example of the {things}, before and after", things=terms.kind(project.kind))):
        _before_and_after(task, data, made)


def _before_and_after(task: str, data: TrainingData, made: curve.ProjectCurve) -> None:
    test = {
        example.id: example for example in data.scored if example.id in made.predictions and example.id in made.before
    }
    if not test:
        st.caption(_("Train once more to see it."))
        return
    chosen = test[
        st.selectbox(
            _("Of the test set") if data.test else _("Of the shots"),
            list(test),
            format_func=lambda example_id: view.beginning(view.text(test[example_id]), 90),
        )
    ]
    versions = {
        _("gold"): content.annotation_of(task, chosen),
        _("zero-shot"): made.before[chosen.id],
        _("now"): made.predictions[chosen.id],
    }
    st.dataframe(adjudication.compare(versions, getattr(chosen, "words", ())), hide_index=True)


def _worst(kind: tasks.Task[Any], pairs: list[tuple[Any, Any]]) -> list[dict[str, Any]]:
    scored = [(kind.metrics(kind.counts(gold, predicted))[kind.metric], gold, predicted) for gold, predicted in pairs]
    worst = sorted(scored, key=lambda row: row[0])[:MAX_WORST]
    return [
        {
            _("score"): round(score, 1),
            _("text"): getattr(gold, "text", gold.id),
            _("differs"): curve.describe_differences(kind, gold, predicted),
        }
        for score, gold, predicted in worst
    ]
