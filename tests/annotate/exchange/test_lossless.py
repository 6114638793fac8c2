"""A file goes into a project, some of it is annotated, and all of it comes out: nothing but that has changed."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from desk import Desk, new_project
from making import made_up, with_morphology
from storing import made_project

from annotate.editing import content, session, uploaded
from annotate.exchange import pool
from annotate.exchange.exporting import export_annotations
from annotate.exchange.importing import continue_upload
from annotate.rounds import simulation
from annotate.rounds.draw import candidates, draw_round
from annotate.rounds.training_data import training_data
from fewshot import tasks
from fewshot.corpora import formats
from fewshot.corpora.formats import conllu, eaf, flextext, sfm
from fewshot.corpora.formats.common.interlinear import interlinear as interlinear_of
from fewshot.errors import FewshotError

LEMMA, UPOS, XPOS, FEATS, HEAD, DEPREL, DEPS, MISC = range(2, 10)

ALL = "pos+feats+lemma+xpos"

COLUMNS = {"pos": {UPOS}, ALL: {LEMMA, UPOS, XPOS, FEATS}, "dep": {HEAD, DEPREL, DEPS}, "ner": {MISC}}
"""Columns of CoNLL-U that hold the annotation of a task."""

TREEBANK = """\
# newdoc id = one
# sent_id = w1
# text = Dama la gëna bëgg.
# a comment without an equals sign
1-2\tDamala\t_\t_\t_\t_\t_\t_\t_\tGloss=x
1\tDama\tdama\tAUX\tAUX1\tMood=Ind|Number=Sing\t4\taux\t4:aux|5.1:aux\tNER=O|Translit=dama|Translit=again
2\tla\tla\tPRON\tPRO\t_\t4\tobj\t_\tNER=O
3\tgëna\tgën\tADV\tADV\t_\t4\tadvmod\t_\tNER=S-LOC
4\tbëgg\tbëgg\tVERB\tV\t_\t0\troot\t0:root\tSpaceAfter=No|NER=O
5\t.\t.\tPUNCT\tPUNCT\t_\t4\tpunct\t_\tNER=O
5.1\tbëgg\tbëgg\tVERB\t_\t_\t_\t_\t4:conj\tCopyOf=4

# sent_id = w2
1\tNdakaaru\t_\tPROPN\t_\t_\t3\tnsubj\t_\tNER=B-LOC
2\tPlateau\t_\tPROPN\t_\t_\t1\tflat\t_\tNER=E-LOC
3\trafet\t_\tVERB\t_\t_\t0\troot\t_\tNER=O

# sent_id = short
1\tWaaw\t_\tINTJ\tI\t_\t0\troot\t_\tOwn=yes

# sent_id = w3
1\tXale\txale\tNOUN\tN\tX=Y\t2\tnsubj\t_\tNER=O
2\tlekk\tlekk\tVERB\tV\t_\t0\troot\t_\tNER=O
3\tceeb\tceeb\tNOUN\tN\t_\t2\tobj\t_\tNER=O
# the end
"""

SQUAD = {
    "version": "v2",
    "licence": "own",
    "data": [
        {"title": title, "url": "https://example.org", "paragraphs": [
            {"context": f"Ana sleeps in {title} today.", "note": 1, "qas": [
                {"id": f"{title}-1", "question": "Who?", "is_impossible": False,
                 "answers": [{"text": "Ana", "answer_start": 0, "by": "x"}]},
                {"id": f"{title}-2", "question": "Why?", "answers": [], "is_impossible": True, "hard": 3},
            ]}]}
        for title in ("Dakar", "Thies", "Louga")
    ],
}  # fmt: skip
ANSWERED = {"answers": [{"text": "today", "answer_start": 20}], "is_impossible": False}
NEW_SQUAD = json.loads(json.dumps(SQUAD))
for question, change in zip(
    NEW_SQUAD["data"][0]["paragraphs"][0]["qas"], (ANSWERED, {"is_impossible": False}), strict=True
):
    question.update(change)

TABLE = "\ufeffurl\tcategory\ttext\tby\r\nx\thealth\t one \tana\r\ny\t\ttwo\tben\r\nz\t_\tthree\tzoe"

LINES = [
    '{"id": "a", "text": "Ana sleeps here", "words": ["Ana", "sleeps", "here"], "upos": ["X", "X", "X"], "k": [1]}',
    '{"text":"Ben reads here","words":["Ben","reads","here"],"upos":["X","X","X"],"accent":"\\u00e9"}',
    '{"text": "a  b   c", "entities": [{"start": 0, "end": 1, "label": "PER", "sure": 1}], "from": "é"}',
]
TAGGED = json.loads(LINES[2]) | {"words": ["a", "b", "c"], "upos": ["SYM"] * 3}
MARKED = json.loads(LINES[2]) | {"entities": [{"start": 0, "end": 4, "label": "PER"}]}


def came(store, path, task, **settings):
    """A project of a file as the form makes it, all of whose sentences of fitting length are its pool."""
    found, problems = formats.check(path, None, "wo", tasks.get(task))
    assert not problems
    rows = pool.rows(lambda: found, pool.intake(found, 0, 0, None, None))
    labels = {"ner": ["PER", "LOC"], "topic": ["health", "sports"]}
    settings = {"labels": {task: labels.get(task, [])}, "people": ("ana",), "double_share": 0.0} | settings
    project = made_project(store, rows, kind=found[0].kind, tasks=(task,), **settings)
    return Desk(store, project, path.parent)


@pytest.fixture
def uploaded_file(store, tmp_path):
    """Makes a project of a file with this name and this text, bytes or sentences."""

    def make(name, given, task, **settings):
        path = tmp_path / name
        if isinstance(given, list):
            conllu.write(given, path)
        else:
            path.write_bytes(given if isinstance(given, bytes) else given.encode())
        return came(store, path, task, **settings)

    return make


def another(task, example):
    size = example.length
    return {
        "pos": lambda: {"upos": ["SYM"] * size},
        ALL: lambda: {"upos": ["SYM"] * size, "feats": ["A=B", *[""] * (size - 1)],
                      "lemmas": ["x"] * size, "xpos": ["NN"] * size},
        "dep": lambda: {"heads": [*[size] * (size - 1), 0], "deprels": ["dep"] * (size - 1) + ["root"]},
        "ner": lambda: {"entities": ["B-PER", "I-PER", *["O"] * (size - 2)]},
        "topic": lambda: {"label": "sports"},
        "qa": lambda: {"answers": {q.id: [{"text": "today", "start": p.context.index("today")}]
                                   for p in example.paragraphs for q in p.questions[:1]}},
    }[task]()  # fmt: skip


def annotate(desk, every=3):
    """Annotate each n-th example of the pool; return their ids in the corpus."""
    task = desk.project.tasks[0]
    rows = list(desk.store.examples(desk.project.id, split="pool"))[::every]
    for row, item in zip(rows, desk.draw(*((desk.ids.index(row.id), task, "ana") for row in rows)), strict=True):
        desk.keep(item, another(task, content.from_json(row.content)))
    return [row.key for row in rows]


def changed(before, after):
    """The lines that differ, as (old, new)."""
    one, other = (data.split("\n") for data in (before, after))
    assert len(one) == len(other)
    return [(old, new) for old, new in zip(one, other, strict=True) if old != new]


@pytest.mark.parametrize(("task", "end"), [*zip(COLUMNS, ("\n", "\r\n", "\n", "\r\n"), strict=True)])
def test_a_treebank_comes_back_but_for_the_annotation(uploaded_file, tmp_path, task, end):
    desk = uploaded_file("in.conllu", TREEBANK.replace("\n", end), task)
    path = tmp_path / "in.conllu"
    annotated = {one.id: one for one in conllu.read(path)}
    lines = {line for key in annotate(desk) for line in annotated[key].lines}
    differ = changed(path.read_bytes().decode(), desk.export(part="all").read_bytes().decode())
    assert differ
    for old, new in differ:
        assert old + "\n" in lines
        pairs = enumerate(zip(old.split("\t"), new.split("\t"), strict=True))
        assert {place for place, (one, other) in pairs if one != other} <= COLUMNS[task]


def test_disputed_sentences_are_open_in_an_export_of_everything(uploaded_file, store, tmp_path):
    desk = uploaded_file("in.conllu", TREEBANK, "pos", hides_gold=True)
    for who, tag in (("ana", "X"), ("ben", "SYM")):
        desk.keep(*desk.draw((0, "pos", who)), {"upos": [tag] * 5})
    first, *others = conllu.read(desk.export(part="all"))
    came_first, *came_others = conllu.read(tmp_path / "in.conllu")
    assert set(first.upos) == {"_"} and first.heads == came_first.heads
    assert [one.upos for one in others] == [one.upos for one in came_others]
    assert export_annotations(store, desk.project, ["pos"], None, "all").disputed == 1


@pytest.mark.parametrize(
    ("task", "format", "given", "every", "wanted"),
    [
        ("topic", "tsv", TABLE, 3, TABLE.replace("x\thealth", "x\tsports")),
        ("pos", "jsonl", "\n".join(LINES), 2, [LINES[0].replace('"X"', '"SYM"'), LINES[1], TAGGED]),
        ("ner", "jsonl", LINES[2] + "\n", 3, [MARKED]),
        ("qa", "squad", json.dumps(SQUAD), 3, NEW_SQUAD),
    ],
    ids=["table", "lines of words", "lines of stretches", "questions"],
)
def test_a_file_comes_back_but_for_the_annotation(uploaded_file, task, format, given, every, wanted):
    desk = uploaded_file(f"in{formats.FORMATS[format].suffix}", given, task)
    annotate(desk, every)
    found = desk.export(part="all", format=format).read_bytes().decode()
    if format == "jsonl":
        found = [
            line if isinstance(other, str) else json.loads(line)
            for line, other in zip(found.splitlines(), wanted, strict=True)
        ]
    assert (json.loads(found) if format == "squad" else found) == wanted


INTERLINEAR = {module.FORMAT.name: module for module in (flextext, sfm, eaf)}
TEXTS = Path(__file__).parents[2] / "corpora" / "formats" / "interlinear"


@pytest.fixture(params=INTERLINEAR)
def interlinear(request):
    """A text of linguists, and the module that reads its format."""
    return TEXTS / f"wolof.{request.param}", INTERLINEAR[request.param]


def text_of_linguists(store, tmp_path, path):
    desk = came(store, path, "pos")
    desk.folder = tmp_path
    return desk


def repair(desk, cut):
    """Tag the first sentence of the pool on other words; return the words."""
    row = next(desk.store.examples(desk.project.id, split="pool"))
    words = cut(list(content.from_json(row.content).words))
    annotation = {"upos": ["X"] * len(words), "words": words, "ranges": []}
    desk.keep(*desk.draw((desk.ids.index(row.id), "pos", "ana")), annotation)
    return words


def test_repaired_words_keep_the_glosses_of_their_text_in_every_format(store, tmp_path):
    desk = text_of_linguists(store, tmp_path, TEXTS / "wolof.flextext")
    words = repair(desk, lambda words: [*words[:2], "le", "kk", *words[3:]])
    for name, module in {"conllu": conllu, **INTERLINEAR}.items():
        (found,) = module.read(desk.export(format=name))
        glosses = [one.get("Gloss", "") for one in interlinear_of(found).words]
        assert (found.words, found.upos) == (tuple(words), ("X",) * len(words))
        assert glosses[:4] == ["child", "CL.PL-DEF=***", "eat", ""]


def test_one_sentence_with_repaired_words_leaves_the_others_as_they_came(store, tmp_path, interlinear):
    path, module = interlinear
    desk, name = text_of_linguists(store, tmp_path, path), module.FORMAT.name
    words = repair(desk, lambda words: [*words[:-1], "ab", "cd"])
    if name == "eaf":
        with pytest.raises(FewshotError, match=r"out.eaf: wolof-1: its words were repaired, .* export as CoNLL-U$"):
            desk.export(part="all", format=name)
        return
    out = desk.export(part="all", format=name)
    first, *others = module.read(out)
    assert (first.words, first.upos) == (tuple(words), ("X",) * len(words))
    assert [one.interlinear for one in others] == [one.interlinear for one in module.read(path)[1:]]
    text, given = out.read_text(encoding="utf-8"), path.read_text(encoding="utf-8")
    begin = {"flextext": "<phrase ", "sfm": "\\ref"}[name]
    first_begin = given.index(begin)
    assert text.startswith(given[:first_begin]) and text.endswith(given[given.index(begin, first_begin + 1) :])


def test_a_file_is_continued_finished_sentences_are_trained_on_and_the_begun_one_opens_with_its_tags(
    store, uploaded_file, tmp_path
):
    """Four of ten sentences are finished, one is tagged in part, and one by a model."""
    whole = made_up(10, seed=1, shortest=4)
    partly = whole[4].annotated(upos=("NOUN", *["_"] * (whole[4].length - 1)))
    guessed = replace(whole[5], predicted=("upos",))
    found = [*whole[:4], partly, guessed, *(one.annotated(upos=()) for one in whole[6:])]
    desk = uploaded_file("in.conllu", found, "pos", hides_gold=False)
    project = desk.project
    assert continue_upload(store, project, "ana") == 4
    assert len(training_data(store, project, "pos").shots) == 4
    assert len(candidates(store, project, "pool")) == 6
    assert not simulation.is_possible(store, project, "pos", training_data(store, project, "pos"))
    opened = desk.open(session.items(store, project, "pos", "ana")[0])
    assert (opened.item.status, opened.annotation["upos"]) == ("done", list(whole[0].upos))
    assert desk.export(part="all").read_bytes() == (tmp_path / "in.conllu").read_bytes()

    draw_round(store, project, 6, "random", 0)
    items = session.items(store, project, "pos", "ana")
    opened = [desk.open(item) for item in items if item.status == "open"]
    assert len(opened) == 6
    (begun,) = (one for one in opened if one.annotation)
    tags = begun.annotation["upos"]
    assert tags[:2] == ["NOUN", "_"]
    assert begun.example.heads == whole[4].heads  # of a task the project does not have
    desk.send(begun.item, {"upos": [tag if tag != "_" else "X" for tag in tags]})
    assert desk.status(begun.item) == "done"
    differ = changed((tmp_path / "in.conllu").read_text(), desk.export(part="all").read_text())
    assert len(differ) == len(tags) - 1
    assert all(old.replace("\t_\t_\t_", "\t_\tX\t_", 1) == new for old, new in differ)


def only_first(change):
    return lambda one, place: one if place else change(one)


@pytest.mark.parametrize(
    ("task", "change", "annotated", "whole"),
    [
        ("pos", lambda one, place: one, 4, 4),
        ("pos", only_first(lambda one: one.annotated(upos=())), 3, 3),
        ("pos", only_first(lambda one: one.annotated(upos=("X", *["_"] * (one.length - 1)))), 4, 3),
        ("pos", lambda one, place: replace(one, predicted=("upos",)), 0, 0),
        ("pos", lambda one, place: replace(one, lemmas=()), 4, 4),
        ("pos+lemma", lambda one, place: replace(one, lemmas=()), 4, 0),
        ("pos+feats", lambda one, place: replace(one, feats=()), 4, 0),
        ("pos+lemma", lambda one, place: replace(one, feats=()), 4, 4),
    ],
)
def test_a_file_is_gold_if_it_has_all_labels_of_the_task(task, change, annotated, whole):
    found = uploaded.AnnotationCount.of([task])
    sentences = [change(with_morphology(one), place) for place, one in enumerate(made_up(4, seed=1))]
    assert len(list(found.count(sentences))) == 4
    assert (found.read, found.annotated, found.whole, found.is_gold) == (4, annotated, whole, whole == 4)


@pytest.mark.parametrize(
    "format", [name for name in formats.list_export_formats([tasks.get("ner")]) if not formats.FORMATS[name].gaps]
)
def test_formats_without_gaps_refuse_unannotated_sentences(uploaded_file, format):
    desk = uploaded_file("in.conllu", [one.annotated(entities=()) for one in made_up(4, seed=1)], "ner")
    annotate(desk)
    with pytest.raises(
        FewshotError, match=r"^s-1: .* cannot mark a sentence as not annotated; export annotated sentences"
    ):
        desk.export(part="all", format=format)
    assert "PER" in desk.export(format=format).read_text()


def test_a_sentence_that_is_finished_in_one_task_is_drawn_for_the_other(store, tmp_path):
    found = [one.annotated(heads=(), deprels=()) for one in made_up(4, seed=1)]
    examples = [made_up(5, seed=1)[4], *found]
    project = new_project(store, examples, "pos", "dep", people=("ana",), double_share=0.0)
    assert continue_upload(store, project, "ana") == 1
    draw_round(store, project, 4, "random", 0)
    for task, count in {"pos": 4, "dep": 0}.items():
        opened = [session.open_item(store, project, item) for item in session.items(store, project, task, "ana")[1:]]
        assert sum(one.annotation is not None for one in opened) == count
