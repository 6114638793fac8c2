"""No file, however broken, gives a reader more to say than a `CorpusError`, or stops it where it is told to go on."""

import json
from pathlib import Path

import pytest
from corpora.drawn import article, document, numbered, pair, sentence, some
from hypothesis import given
from hypothesis import strategies as st

from fewshot.corpora.files import fail
from fewshot.corpora.formats import bio, conllu, eaf, flextext, jsonl, label_studio, sfm, squad, text, tsv, webanno
from fewshot.corpora.types import Sentence
from fewshot.errors import CorpusError

WRITERS = {
    "conllu": (conllu.write, numbered(sentence, label=st.just("PER"))),
    "bio": (bio.write, numbered(sentence)),
    "tsv": (tsv.write, st.one_of(numbered(pair), numbered(document))),
    "squad": (squad.write, numbered(article)),
    "jsonl": (
        lambda made, path: jsonl.write(made, path, Sentence.columns),
        st.one_of(numbered(sentence), numbered(pair)),
    ),
    "webanno": (webanno.write, numbered(sentence)),
    "flextext": (flextext.write, numbered(sentence)),
    "sfm": (sfm.write, numbered(sentence)),
    "eaf": (eaf.write, numbered(sentence)),
    "label-studio": (lambda made, path: label_studio.write(made, path, Sentence.columns), numbered(sentence)),
    "label-studio-qa": (lambda made, path: label_studio.write(made, path, ["answers"]), numbered(article)),
}
READERS = {
    "conllu": conllu.read,
    "bio": bio.read,
    "tsv": tsv.read,
    "squad": squad.read,
    "jsonl": jsonl.read,
    "webanno": webanno.read,
    "flextext": flextext.read,
    "sfm": sfm.read,
    "eaf": lambda path, report: eaf.read(path),
    "label-studio": lambda path, report: label_studio.read(path, "sentences", Sentence.columns, report),
    "label-studio-qa": lambda path, report: label_studio.read(path, "articles", ["answers"], report),
    "text": lambda path, report: list(text.read(path, report=report)),
}
PIECES = [
    b"\t",
    b"\n",
    b"\r\n",
    b"_",
    b"-1",
    b"9" * 5000,
    b"1-2",
    b"1.1",
    b"# ",
    b"\x00",
    b"\xff",
    b"\xef\xbb\xbf",
    b"O",
]
PIECES += [b'"', b"{", b"[" * 2000, b"null", b"\\ud83d", b"true", b"-", b"0", "٣".encode(), "²".encode(), b"\\", b"|"]
PIECES += [
    b"\\tx a",
    b"\\ref",
    b"\\upos X",
    b"<",
    b">",
    b"/>",
    b"&",
    b"&#0;",
    b"<!DOCTYPE a>",
    b"<word>",
    b"TIER",
    b"a1",
]


@st.composite
def broken(draw, data):
    """A file with a few pieces cut out or put in."""
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(data)))
        end = min(start + draw(st.sampled_from([0, 0, 1, 2, 30])), len(data))
        data = data[:start] + draw(st.sampled_from([*PIECES, b""])) + data[end:]
    return data


def read_both_ways(read, path):
    """Read, going on behind bad rows and stopping at the first; both find the same."""
    errors = []
    try:
        examples = read(path, report=errors.append)
    except CorpusError as error:
        errors.append(error)
    for error in errors:
        assert error.where.startswith(str(path))
        assert "\n" not in str(error)
    if errors:
        with pytest.raises(CorpusError) as caught:
            read(path, report=fail)
        assert str(caught.value) == str(errors[0])
    else:
        assert repr(read(path, report=fail)) == repr(examples)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("broken") / "x.file"


@pytest.mark.parametrize("name", WRITERS)
@some
@given(data=st.data())
def test_broken_files(path, name, data):
    write, made = WRITERS[name]
    write(data.draw(made), path)
    path.write_bytes(data.draw(broken(path.read_bytes())))
    read_both_ways(READERS[name], path)


@pytest.mark.parametrize("name", READERS)
@some
@given(data=st.lists(st.one_of(st.binary(max_size=5), st.sampled_from(PIECES)), max_size=12).map(b"".join))
def test_any_bytes(path, name, data):
    path.write_bytes(data)
    read_both_ways(READERS[name], path)


INTERLINEAR = {
    path: READERS[path.suffix[1:]] for path in sorted((Path(__file__).parent / "formats" / "interlinear").iterdir())
}


@pytest.mark.parametrize("source", INTERLINEAR, ids=lambda source: source.suffix[1:])
@some
@given(data=st.data())
def test_broken_interlinear_texts_come_back_as_they_are_or_with_tags(path, source, data):
    """As long as they can be read at all."""
    read, (write, _) = INTERLINEAR[source], WRITERS[source.suffix[1:]]
    path.write_bytes(data.draw(broken(source.read_bytes())))
    read_both_ways(read, path)
    try:
        found = read(path, report=fail)
    except CorpusError:
        return
    out = path.with_suffix(".out")
    write(found, out)
    assert out.read_bytes() == path.read_bytes()
    tagged = [one.annotated(upos=("NOUN",) * one.length) for one in found]
    write(tagged, out)
    again = read(out, report=fail)
    assert [(one.words, one.upos) for one in again] == [(one.words, one.upos) for one in tagged]


KEYS = ["data", "text", "words", "annotations", "result", "type", "value", "start", "end", "labels", "id", "from_id"]
KEYS += ["to_id", "direction", "choices", "title", "paragraphs", "context", "qas", "question", "answers"]
KEYS += ["upos", "heads", "deprels", "entities", "label", "premise", "hypothesis", "from_name", "was_cancelled"]
words = st.sampled_from(["a", "", "labels", "relation", "choices", "\ud83d"])
value = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-2, 5), st.floats(), words),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(KEYS), inner)),
    max_leaves=25,
)


@pytest.mark.parametrize("name", ["squad", "jsonl", "label-studio", "label-studio-qa"])
@some
@given(made=value)
def test_any_json(path, name, made):
    path.write_text(json.dumps(made))
    read_both_ways(READERS[name], path)


@pytest.mark.parametrize("name", ["squad", "jsonl", "label-studio", "label-studio-qa"])
@some
@given(data=st.data())
def test_any_json_in_place_of_a_value(path, name, data):
    write, made = WRITERS[name]
    write(data.draw(made), path)
    lines = path.read_text().splitlines() if name == "jsonl" else [path.read_text()]
    changed = [json.dumps(with_other_value(data.draw, json.loads(line))) for line in lines]
    path.write_text("\n".join(changed))
    read_both_ways(READERS[name], path)


def with_other_value(draw, node):
    """Replace one value somewhere in JSON."""
    if draw(st.integers(0, 3)) == 0 or not isinstance(node, (dict, list)) or not node:
        return draw(value)
    place = draw(st.sampled_from(sorted(node) if isinstance(node, dict) else range(len(node))))
    copy = dict(node) if isinstance(node, dict) else list(node)
    copy[place] = with_other_value(draw, node[place])
    return copy
