import json
import unicodedata

import pytest
from corpora.drawn import numbered, sentence, some
from hypothesis import assume, given
from hypothesis import strategies as st
from making import examples, made_up

from fewshot import tasks
from fewshot.corpora.formats import (
    FORMATS,
    check,
    conllu,
    detect,
    export,
    holding,
    jsonl,
    label_studio,
    stream,
    webanno,
)
from fewshot.corpora.load import find_split, load, read
from fewshot.corpora.segmentation import Segmentation
from fewshot.errors import FewshotError

ODD = """# newdoc id = d
# sent_id = a1
# text = vámonos al mar
# a comment without an equals sign
#x
1-2\tvámonos\t_\t_\t_\t_\t_\t_\t_\t_
1\tvamos\tir\tVERB\t_\tMood=Imp\t0\troot\t0:root\tA=1|A=2
2\tnos\tnosotros\tPRON\t_\t_\t1\tobj\t1:obj|3.1:nsubj\t_
3-4\tal\t_\t_\t_\t_\t_\t_\t_\t_
3\ta\ta\tADP\t_\t_\t5\tcase\t5:case\t_
3.1\tya\tya\tADV\t_\t_\t_\t_\t1:advmod\t_
4\tel\tel\tDET\t_\t_\t5\tdet\t5:det\t_
5\tmar\tmar\tNOUN\t_\t_\t1\tobl\t1:obl\tGloss=sea|SpacesAfter=\\\\n

# sent_id = a2
# text = Sí
1\tSí\tsí\tINTJ\t_\t_\t0\troot\t0:root\t_

"""
UPLOADS = {
    "plain": ODD,
    "crlf": ODD.replace("\n", "\r\n"),
    "bom": "\ufeff" + ODD,
    "no final newline": ODD.rstrip("\n"),
    "comment at the end": ODD + "\n\n# end\n",
    "heads with zeros": ODD.replace("\t5\tcase", "\t05\tcase"),
}


@pytest.fixture
def upload(tmp_path):
    def write(text, name="x.conllu"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def whole(path, format, lang, task, **options):
    return list(stream(path, format, lang, tasks.get(task), **options))


def layers(*names):
    return [tasks.get(name) for name in names]


@pytest.mark.parametrize("text", UPLOADS.values(), ids=UPLOADS)
@pytest.mark.parametrize("task", ["pos", "dep", "ner"])
def test_exported_conllu_equals_the_upload(upload, tmp_path, text, task):
    path = upload(text)
    export(whole(path, None, "es", task), layers(task), "conllu", tmp_path / "out.conllu")
    assert (tmp_path / "out.conllu").read_bytes() == path.read_bytes()


@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["lf", "crlf"])
def test_exported_conllu_differs_only_in_what_was_annotated(upload, tmp_path, end):
    first, second = whole(upload(ODD.replace("\n", end)), "conllu", "es", "ner")
    first = first.annotated(upos=("AUX", *first.upos[1:]), heads=(5, 1, 5, 5, 0), entities=(*"OOOO", "B-LOC"))
    export([first, second], layers("pos", "dep", "ner"), "conllu", tmp_path / "out.conllu")
    expected = (
        ODD.replace("ir\tVERB\t_\tMood=Imp\t0", "ir\tAUX\t_\tMood=Imp\t5")
        .replace("0:root\tA=1|A=2", "5:root\tA=1|A=2|NER=O")  # DEPS follows the tree
        .replace("3.1:nsubj\t_", "3.1:nsubj\tNER=O")
        .replace("5:case\t_", "5:case\tNER=O")
        .replace("5:det\t_", "5:det\tNER=O")
        .replace("NOUN\t_\t_\t1\tobl\t1:obl", "NOUN\t_\t_\t0\tobl\t0:obl")
        .replace("SpacesAfter=\\\\n", "SpacesAfter=\\\\n|NER=B-LOC")
    )
    assert (tmp_path / "out.conllu").read_bytes().decode() == expected.replace("\n", end)


def test_a_key_of_misc_that_stands_twice_is_read_again_as_it_was_annotated(upload, tmp_path):
    path = upload("1\ta\t_\t_\t_\t_\t_\t_\t_\tNER=O|X=1|NER=B-PER\n\n")
    (made,) = whole(path, None, "es", "ner")
    export([made], layers("ner"), "conllu", tmp_path / "same.conllu")
    assert (tmp_path / "same.conllu").read_bytes() == path.read_bytes()
    export([made.annotated(entities=("B-LOC",))], layers("ner"), "conllu", tmp_path / "out.conllu")
    assert whole(tmp_path / "out.conllu", None, "es", "ner")[0].entities == ("B-LOC",)
    assert "\tNER=B-LOC|X=1\n" in (tmp_path / "out.conllu").read_text()


def passes_level_2(path):
    udtools = pytest.importorskip("udtools")
    state = udtools.Validator(lang="ud", level=2, output=None).validate_files([str(path)])
    assert state.passed(), [str(incident) for incident in state.error_tracker]


def test_the_odd_upload_passes_the_official_validator_after_annotation(upload, tmp_path):
    first, second = whole(upload(ODD), None, "es", "dep")
    first = first.annotated(deprels=("root", "iobj", "case", "det", "obl:arg"), entities=(*"OOOO", "B-LOC"))
    export([first, second], layers("dep", "ner"), "conllu", tmp_path / "out.conllu")
    passes_level_2(tmp_path / "out.conllu")


@some
@given(made=numbered(sentence, label=st.just("LOC")))
def test_legal_trees_on_new_text_pass_the_official_validator(tmp_path_factory, made):
    path = tmp_path_factory.mktemp("made") / "x.conllu"
    assume(all(unicodedata.is_normalized("NFC", one.text) for one in made))  # which the validator wants of any text
    made = [one.annotated(deprels=tuple("root" if head == 0 else "dep" for head in one.heads)) for one in made]
    export(made, layers("pos", "dep", "ner"), "conllu", path)
    passes_level_2(path)


PAIRS = [
    (name, task.name)
    for name, each in FORMATS.items()
    for task in tasks.registry().values()
    if each.write and each.can_hold(task)
]


@pytest.mark.parametrize(("name", "task"), PAIRS)
def test_what_is_exported_in_a_format_is_imported_from_it(tmp_path, name, task):
    chosen = tasks.get(task)
    made = examples(chosen.example.kind, 4, seed=1)
    path = tmp_path / f"x{FORMATS[name].suffix}"
    export(made, layers(task), name, path)
    back, problems = check(path, name, "fi", chosen)
    assert not problems
    assert [each.key for each in back] == [each.key for each in made]
    assert all(chosen.is_annotated(each) for each in back)
    chosen = chosen.fitted(made)
    counts = sum(chosen.counts(gold, one) for gold, one in zip(made, back, strict=True))
    assert chosen.metrics(counts)[chosen.metric] == 100


@pytest.mark.parametrize(
    ("task", "name"), [("qa", "squad"), ("qa", "label-studio"), ("nli", "tsv"), ("ner", "webanno"), ("pos", "jsonl")]
)
def test_the_format_of_a_file_is_found(tmp_path, task, name):
    path = tmp_path / f"x{FORMATS[name].suffix}"
    export(examples(tasks.get(task).example.kind, 3, seed=1), layers(task), name, path)
    assert detect(path, layer=tasks.get(task)).name == name
    assert len(whole(path, None, "fi", task)) == 3


def test_other_suffixes_and_the_language_of_articles(upload, tmp_path):
    assert detect(upload("a\tO\n", "x.iob2"), layer=tasks.get("ner")).name == "bio"
    assert detect(upload("\ufeff\n[]", "x.json"), layer=tasks.get("pos")).name == "label-studio"
    export(examples("articles", 2, seed=1), layers("qa"), "squad", tmp_path / "x.json")
    assert {article.lang for article in whole(tmp_path / "x.json", None, "fi", "qa")} == {"fi"}


GOOD = "1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n\n"
PAIR = '{"premise": "a", "hypothesis": "b"}\n'


@pytest.mark.parametrize(
    ("name", "task", "text", "problems", "kept"),
    [
        ("x.conllu", "pos", GOOD + "1\tb\n\n" + GOOD + GOOD.replace("0", "4"), {3: "2 tab-sep", 7: "head '4'"}, 2),
        ("x.bio", "ner", "a\tO\nb\n\nc\tO\n\nd\tX\n", {2: "expected 'token TAB tag'", 6: "'X' is no entity"}, 1),
        ("x.tsv", "topic", "text\tlabel\na\n\nb\tx\n \tx\n", {2: "1 columns", 5: "empty text"}, 1),
        ("x.jsonl", "nli", PAIR + "[]\n{}\n", {2: "a JSON object", 3: "a text 'premise' is missing"}, 1),
        ("x.txt", "dep", b"a\n\xff\nb\x00\nc\n", {2: "byte 0xff", 3: "control character U+0000"}, 2),
        ("x.conllu", "pos", "", {None: "the file is empty"}, 0),
        ("x.conllu", "pos", "1\tb\n\n1\tb\n", {1: "2 tab-sep", 3: "2 tab-sep"}, 0),
        ("x.tsv", "nli", "text\na\n", {2: "nli is about pairs; these are documents"}, 0),
        ("x.conllu", "pos", f"# sent_id = 1\n{GOOD}# sent_id = 1\n{GOOD}", {4: "the id '1' is used twice"}, 1),
        (
            "x.pdf",
            "pos",
            "x",
            {None: "unknown file type '.pdf' for pos; known are .conllu, .jsonl, .ndjson, .json"},
            0,
        ),
    ],
)
def test_every_bad_row_is_listed_with_line_and_reason(upload, name, task, text, problems, kept):
    path = upload(text, name)
    found, listed = check(path, None, "es", tasks.get(task))
    assert len(found) == kept
    assert [each.where for each in listed] == [f"{path}:{line}" if line else str(path) for line in problems]
    assert all(each.message.startswith(start) for each, start in zip(listed, problems.values(), strict=True))
    with pytest.raises(FewshotError) as caught:
        whole(path, None, "es", task)
    assert str(caught.value) == f"{listed[0].where}: {listed[0].message}"


@pytest.mark.parametrize(("name", "good", "bad"), [("x.jsonl", '{"text": "voy"}\n', "[\n"), ("x.tsv", "a\tb\n", "a\n")])
def test_of_many_bad_rows_a_thousand_are_kept_and_the_others_counted(upload, name, good, bad):
    task, first = ("nli", "premise\thypothesis\n") if name == "x.tsv" else ("pos", "")
    path = upload(first + good + bad * 2500 + good, name)
    found, listed = check(path, None, "es", tasks.get(task))
    assert (len(found), len(listed), listed.total) == (2, 1000, 2500)


def test_every_bad_question_is_listed(upload):
    misplaced = {"id": 1, "question": "?", "answers": [{"text": "a", "answer_start": 1}]}
    good = {"id": 2, "question": "?"}
    article = {"title": "t", "paragraphs": [{"context": "a", "qas": [misplaced, good, {"id": 3}, good]}, {}]}
    path = upload(json.dumps({"data": [article, {}]}), "x.json")
    found, problems = check(path, None, "es", tasks.get("qa"))
    assert [question.id for question in found[0].paragraphs[0].questions] == ["2"]
    places = ["'t', question '1'", "'t', question '3'", "'t'", "'t'", "'x-2'"]
    assert [each.where for each in problems] == [f"{path}: article {place}" for place in places]


def test_raw_text_is_split_as_chosen(upload):
    path = upload("Don't.\n", "x.txt")
    assert whole(path, None, "en", "pos")[0].words == ("Don", "'", "t", ".")
    assert whole(path, None, "en", "pos", segmentation=Segmentation("spaces"))[0].words == ("Don't.",)


@pytest.mark.parametrize(
    ("task", "format", "message"),
    [
        ("nli", "bio", "BIO with tabs cannot hold annotation of nli; choose from tsv, jsonl, label-studio"),
        ("pos", "text", "raw text, one sentence a line cannot hold annotation; choose from conllu, jsonl, label"),
        ("pos", "conlu", "unknown format 'conlu': did you mean conllu or "),
        ("topics", "tsv", "unknown task 'topics': did you mean topic?"),
        ("nli", "tsv", "s-0: nli is about pairs; these are sentences"),
    ],
)
def test_what_cannot_be_exported(tmp_path, task, format, message):
    with pytest.raises(FewshotError) as caught:
        export(made_up(2, seed=1), layers(task), format, tmp_path / "x")
    assert str(caught.value).startswith(message)


def test_options_of_a_task_are_no_matter():
    assert holding(layers("ner+crf", "dep+upos")) == ["conllu", "jsonl", "label-studio"]


def test_treebanks_beside_the_project_come_out_as_they_went_in(shared, tmp_path):
    for path in sorted((shared / "ud").glob("*/*test.conllu"))[:3]:
        export(conllu.read(path), layers("dep"), "conllu", tmp_path / "x.conllu")
        assert (tmp_path / "x.conllu").read_bytes() == path.read_bytes()


def test_every_task_is_held_by_a_format_that_can_be_written():
    assert all(holding([task]) for task in tasks.registry().values())


@pytest.mark.parametrize(("name", "task"), PAIRS)
def test_every_format_may_be_a_split_of_a_corpus(tmp_path, name, task):
    chosen = tasks.get(task)
    kind = chosen.example.kind
    for suffix in FORMATS[name].suffixes:
        path = tmp_path / f"x-test{suffix}"
        made = examples(kind, 6, seed=1)
        export(made, layers(task), name, path)
        assert find_split(tmp_path, "test", kind) == path
        tasks.check_gold(chosen.fitted(made), read(path, kind=kind, task=chosen))
        path.unlink()


def test_a_file_of_another_kind_beside_the_corpus_is_not_the_corpus(tmp_path):
    for seed, part in enumerate(("pool", "test")):
        webanno.write(examples("sentences", 6, seed, shortest=5), tmp_path / f"{part}.tsv")
    (tmp_path / "dev.tsv").write_text("text\tlabel\na\tb\n")
    with pytest.raises(FewshotError, match=r"no test file of pairs \(.tsv, .jsonl, .ndjson, .json\)"):
        load("es", tmp_path / "..", "pairs")
    (tmp_path / "x-test.tsv").write_text("text\tlabel\na\tb\n")
    assert len(load("es", tmp_path).test) == 6


def test_what_is_read_without_a_task(tmp_path):
    found = examples("sentences", 4, seed=1)
    webanno.write(found, tmp_path / "x.tsv")
    jsonl.write(found, tmp_path / "x.ndjson", ["upos"])
    label_studio.write(found, tmp_path / "x.json", ["upos", "entities"])
    for name in ("x.tsv", "x.ndjson"):
        assert [one.key for one in read(tmp_path / name)] == [one.key for one in found]
    assert [one.upos for one in read(tmp_path / "x.json", task=tasks.get("pos"))] == [one.upos for one in found]
    for kind in (None, "sentences"):
        with pytest.raises(FewshotError, match="do not say which task they are of"):
            read(tmp_path / "x.json", kind=kind)


def test_an_export_for_another_tool_beside_the_data_is_not_the_data(tmp_path):
    found = examples("sentences", 4, seed=1)
    conllu.write(found, tmp_path / "test.conllu")
    label_studio.write(found, tmp_path / "x-test.json", ["upos"])
    webanno.write(found, tmp_path / "x-test.tsv")
    (tmp_path / "y-test.json").mkdir()
    assert find_split(tmp_path, "test") == tmp_path / "test.conllu"


def test_an_empty_file_is_the_split_that_it_is_called(tmp_path):
    (tmp_path / "test.json").touch()
    assert find_split(tmp_path, "test", "articles") == tmp_path / "test.json"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("x.txt", "voy al mar\nmar al sol\n"),
        ("x.jsonl", '{"words": ["voy", "al", "mar"]}\n{"words": ["mar", "al", "sol"]}\n'),
        ("x.conllu", "".join(f"1\t{word}\t_\tNOUN\t_\t_\t_\t_\t_\t_\n\n" for word in ("mar", "mar"))),
    ],
)
def test_sentences_share_their_words_and_what_nobody_has_annotated(upload, name, text):
    first, second = whole(upload(text, name), None, "es", "pos")
    assert first.words[-1] is second.words[0]
    assert first.upos[0] is second.upos[0]
    assert name == "x.conllu" or first.heads is second.heads
