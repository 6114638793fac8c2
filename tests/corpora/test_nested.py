"""Nested entities as tags of words, in files and to a model; tests/editors/logic.test.js reads the same vectors."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fewshot import tasks
from fewshot.corpora import formats, iob, nested
from fewshot.corpora.load import load
from fewshot.corpora.types import Sentence

VECTORS = json.loads((Path(__file__).parents[1] / "nested.json").read_text(encoding="utf-8"))
WORDS = ("Cheikh", "University", "of", "Dakar", "sings")
TAGS = ("B-ORG|B-PER", "I-ORG", "I-ORG", "I-ORG|B-LOC", "O")
NESTED = Sentence("s1", " ".join(WORDS), WORDS, entities=TAGS)
NER = tasks.get("ner")

SPANS = st.lists(
    st.tuples(st.integers(0, 7), st.integers(1, 8), st.sampled_from("AB")).filter(lambda span: span[0] < span[1])
)


@pytest.mark.parametrize(("tags", "spans"), VECTORS["tags"])
def test_tags_hold_entities_in_layers(tags, spans):
    spans = [tuple(span) for span in spans]
    assert iob.spans(tags) == spans
    if "_" not in tags:
        assert iob.tags_of(spans, len(tags)) == tuple(tags)


@pytest.mark.parametrize(("spans", "crosses"), VECTORS["crossing"])
def test_entities_that_cross_or_repeat_are_found(spans, crosses):
    assert (iob.crossing([tuple(span) for span in spans]) is not None) == crosses


@pytest.mark.parametrize(("tags", "at", "merged"), VECTORS["merged"])
def test_a_merged_word_has_the_first_entity_and_those_around_it_and_inside_it(tags, at, merged):
    places = [(word - (word > at), word + 1 - (word > at)) for word in range(len(tags))]
    assert iob.moved(tags, places) == tuple(merged)


@given(SPANS)
def test_entities_come_back_from_tags_of_every_scheme(drawn):
    spans = []
    for span in drawn:
        crosses = any(first < span[0] < end < span[1] or span[0] < first < span[1] < end for first, end, _ in spans)
        assert (iob.crossing([*spans, span]) is not None) == (crosses or span in spans)
        spans += [] if crosses or span in spans else [span]
    tags = iob.tags_of(spans, 8)
    assert sorted(iob.spans(tags)) == sorted(spans)
    assert iob.join_layers(iob.layers(tags)) == iob.to_iob2(tags) == tags
    for scheme in ("IOB1", "BIOES", "BILOU"):
        assert iob.to_iob2(iob.to_scheme(tags, ("O",) * 8, scheme)) == tags


@pytest.mark.parametrize("name", formats.list_export_formats([NER]))
def test_formats_hold_nested_entities_or_the_outermost(name, tmp_path):
    path, again = (tmp_path / f"{stem}{formats.FORMATS[name].suffix}" for stem in ("a", "b"))
    held = NESTED if formats.FORMATS[name].nested else nested.outermost(NESTED)
    tagged = NESTED.annotated(upos=("X",) * len(WORDS))
    formats.export([tagged], [NER], name, path)
    (read,), bad = formats.check(path, None, "en", NER)
    assert (not bad, read.entities) == (True, held.entities)
    formats.export([read], [NER], name, again)
    assert again.read_bytes() == path.read_bytes()
    changed = read.annotated(entities=("B-LOC|B-ORG", *read.entities[1:]))
    formats.export([changed.annotated(entities=iob.to_iob2(changed.entities))], [NER], name, again)
    if formats.FORMATS[name].nested:
        ((back,), _) = formats.check(again, None, "en", NER)
        assert back.entities == iob.to_iob2(changed.entities)


def test_spans_of_json_lines_keep_their_further_keys_whatever_their_order(tmp_path):
    spans = [{"start": 0, "end": 5, "label": "PER", "id": 1}, {"start": 0, "end": 9, "label": "ORG", "id": 2}]
    line = json.dumps({"text": "Dakar FC Lima", "entities": spans})
    (tmp_path / "a.jsonl").write_text(line + "\n", encoding="utf-8")
    ((read,), _) = formats.check(tmp_path / "a.jsonl", None, "en", NER)
    assert read.entities == ("B-ORG|B-PER", "I-ORG", "O")
    formats.export([read.annotated(entities=("B-ORG|B-PER", "I-ORG", "B-LOC"))], [NER], "jsonl", tmp_path / "b.jsonl")
    (changed,) = (tmp_path / "b.jsonl").read_text(encoding="utf-8").splitlines()
    lima = {"start": 9, "end": 13, "label": "LOC"}
    assert json.loads(changed)["entities"] == [spans[1], spans[0], lima]


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("a.bio", "Dakar\tB-ORG|B-LOC\n"),
        ("a.conllu", "1\tDakar\t_\tX\t_\t_\t0\troot\t_\tNER=B-ORG\\pB-LOC\n\n"),
        ("a.jsonl", '{"text": "Dakar", "entities": [{"start": 0, "end": 5, "label": "ORG|B-LOC"}]}\n'),
    ],
)
def test_tags_that_would_be_misread_as_nested_are_refused(name, line, tmp_path):
    (tmp_path / name).write_text(line, encoding="utf-8")
    _, bad = formats.check(tmp_path / name, None, "en", NER)
    assert [row.where for row in bad] == [f"{tmp_path / name}:1"]


def test_a_project_without_nested_entities_refuses_them_in_one_line():
    problems = []
    flat = nested.outermost(NESTED)
    assert list(nested.flat([NESTED, flat], problems.append)) == [flat]
    assert [str(problem).partition(";")[0] for problem in problems] == ["s1: Cheikh (PER) overlaps another entity"]


def test_models_learn_and_are_scored_on_outermost_entities_and_people_agree_on_all():
    flat = nested.outermost(NESTED)
    assert NER.targets(NESTED) == NER.targets(flat)
    assert NER.counts(NESTED, flat)[:3].tolist() == [1, 1, 1]
    assert NER.agreed(NESTED, flat)[:3].tolist() == [1, 1, 3]
    assert NER.marks(NESTED) == {(0, 4): "ORG", (0, 1): "PER", (3, 4): "LOC"}
    assert NER.labels_of(NESTED) == {"ORG", "PER", "LOC"}
    assert [
        problem.word for problem in NER.errors(NESTED.annotated(entities=("B-ORG|I-PER", "I-ORG|B-X", *TAGS[2:])))
    ] == [1, 2]


def test_an_experiment_says_which_entities_it_leaves_out(tmp_path):
    rows = [
        Sentence(f"s{number}", f"{NESTED.text} {number}", (*WORDS, str(number)), entities=(*TAGS, "O"))
        for number in range(8)
    ]
    formats.export(rows, [NER], "jsonl", tmp_path / "a.jsonl")
    corpus = load("en", tmp_path / "a.jsonl", task=NER)
    assert "outermost entities only (16 inside others" in corpus.source
    assert {example.entities[0] for example in (*corpus.pool, *corpus.test)} == {"B-ORG"}
