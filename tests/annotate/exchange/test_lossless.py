"""A file goes into a project, some of it is annotated, and all of it comes out: nothing but that has changed."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from making import made_up, with_morphology
from storing import made_items, made_project

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
from fewshot.errors import FewshotError

LEMMA, UPOS, XPOS, FEATS, HEAD, DEPREL, DEPS, MISC = range(2, 10)

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

ENTITIES = """\
-DOCSTART- -X- -X- O

# who was where
Ana NNP B-NP {0}
Sy NNP I-NP {1}
sleeps VBZ B-VP O

Ben NNP B-NP {2}
Lo NNP I-NP {1}
reads VBZ B-VP O

Dakar NNP B-NP {3}
is VBZ B-VP O
big JJ B-ADJP O
"""

SQUAD = {
    "version": "v2",
    "licence": "own",
    "data": [
        {
            "title": title,
            "url": "https://example.org",
            "paragraphs": [
                {
                    "context": f"Ana sleeps in {title} today.",
                    "note": 1,
                    "qas": [
                        {
                            "id": f"{title}-1",
                            "question": "Who?",
                            "answers": [{"text": "Ana", "answer_start": 0, "by": "x"}],
                            "is_impossible": False,
                        },
                        {"id": f"{title}-2", "question": "Why?", "answers": [], "is_impossible": True, "hard": 3},
                    ],
                }
            ],
        }
        for title in ("Dakar", "Thies", "Louga")
    ],
}

LINES = [
    '{"id": "a", "text": "Ana sleeps here", "words": ["Ana", "sleeps", "here"], "upos": ["X", "X", "X"], "k": [1]}',
    '{"text":"Ben reads here","words":["Ben","reads","here"],"upos":["X","X","X"],"accent":"\\u00e9"}',
    '{"text": "a  b   c", "entities": [{"start": 0, "end": 1, "label": "PER", "sure": 1}], "from": "é"}',
]

CHOICE = {"from_name": "label", "to_name": "text", "type": "choices", "value": {"choices": ["health"]}}

STUDIO = [
    {
        "id": number,
        "data": {"text": f"Ana sleeps in {place}", "meta": {"url": "x"}},
        "annotations": [
            {"id": 7, "completed_by": 3, "updated_at": "2026-01-01", "result": [CHOICE]},
            {"id": 6, "was_cancelled": True, "result": []},
        ],
        "meta": {"source": "web"},
    }
    for number, place in enumerate(["Dakar", "Thies", "Louga"], start=10)
]

LABELS = {
    "pos": [],
    "pos+feats+lemma+xpos": [],
    "dep": [],
    "ner": ["PER", "LOC"],
    "topic": ["health", "sports"],
    "nli": ["yes", "no"],
    "qa": [],
}


def came(store, path, task, **settings):
    """A project of a file as the form makes it, all of whose sentences of fitting length are its pool."""
    found, problems = formats.check(path, None, "wo", tasks.get(task))
    assert not problems
    rows = pool.rows(lambda: found, pool.intake(found, 0, 0, None, None))
    return made_project(
        store, rows, kind=found[0].kind, tasks=(task,), labels=LABELS, people=("ana",), double_share=0.0, **settings
    )


def another(task, example):
    """An annotation unlike that of the example."""
    size = example.length
    return {
        "pos": lambda: {"upos": ["SYM"] * size},
        "pos+feats+lemma+xpos": lambda: {
            "upos": ["SYM"] * size,
            "feats": ["A=B", *[""] * (size - 1)],
            "lemmas": ["x"] * size,
            "xpos": ["NN"] * size,
        },
        "dep": lambda: {"heads": [*[size] * (size - 1), 0], "deprels": ["dep"] * (size - 1) + ["root"]},
        "ner": lambda: {"entities": ["B-PER", "I-PER", *["O"] * (size - 2)]},
        "topic": lambda: {"label": "sports"},
        "nli": lambda: {"label": "no"},
        "qa": lambda: {"answers": {q.id: [{"text": "today", "start": p.context.index("today")}]
                                   for p in example.paragraphs for q in p.questions[:1]}},
    }[task]()  # fmt: skip


def annotate(store, project, task, every=3):
    """Annotate each n-th example of the pool; return their ids in the corpus."""
    rows = list(store.examples(project.id, split="pool"))[::every]
    items = made_items(store, project, [(row.id, task, "ana") for row in rows])
    for item, row in zip(items, rows, strict=True):
        store.save(item.id, "ana", "page", 1, another(task, content.from_json(row.content)), True, 1.0, 1)
    return [row.key for row in rows]


def exported(store, project, tmp_path, task, format, part="all"):
    path = tmp_path / f"out{formats.FORMATS[format].suffix}"
    examples = export_annotations(store, project, [task], None, part).examples
    formats.export(examples, [tasks.get(task)], format, path)
    return path


def changed(before, after):
    """The lines that differ, as (old, new)."""
    one, other = (data.split("\n") for data in (before, after))
    assert len(one) == len(other)
    return [(old, new) for old, new in zip(one, other, strict=True) if old != new]


def check_treebank(store, path, tmp_path, task):
    """Annotate every third sentence of a treebank; assert that the export differs in these columns of these alone."""
    project = came(store, path, task)
    annotated = {one.id: one for one in conllu.read(path)}
    lines = {line for key in annotate(store, project, task) for line in annotated[key].lines}
    columns = {
        "pos": [UPOS],
        "pos+feats+lemma+xpos": [LEMMA, UPOS, XPOS, FEATS],
        "dep": [HEAD, DEPREL, DEPS],
        "ner": [MISC],
    }[task]
    out = exported(store, project, tmp_path, task, "conllu")
    differ = changed(path.read_bytes().decode(), out.read_bytes().decode())
    assert differ
    for old, new in differ:
        assert old + "\n" in lines
        pairs = list(zip(old.split("\t"), new.split("\t"), strict=True))
        assert {place for place, (one, other) in enumerate(pairs) if one != other} <= set(columns)


@pytest.mark.parametrize("task", ["pos", "pos+feats+lemma+xpos", "dep", "ner"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_treebank_comes_back_but_for_what_was_annotated(store, tmp_path, task, end):
    path = tmp_path / "in.conllu"
    path.write_bytes(TREEBANK.replace("\n", end).encode())
    check_treebank(store, path, tmp_path, task)


@pytest.mark.parametrize("task", ["pos", "pos+feats+lemma+xpos", "dep"])
def test_treebanks_beside_the_project_come_back_but_for_what_was_annotated(shared, store, tmp_path, task):
    for path in sorted((shared / "ud").glob("*/*.conllu"), key=lambda path: path.stat().st_size)[:2]:
        check_treebank(store, path, tmp_path, task)


def test_an_annotated_treebank_keeps_what_it_had_of_the_sentences_annotated(store, tmp_path):
    path = tmp_path / "in.conllu"
    path.write_text(TREEBANK, encoding="utf-8")
    project = came(store, path, "dep")
    annotate(store, project, "dep")
    (first,) = conllu.read(exported(store, project, tmp_path, "dep", "conllu", "annotated"))
    assert first.upos == ("AUX", "PRON", "ADV", "VERB", "PUNCT")
    assert first.heads == (5, 5, 5, 5, 0)
    assert "5.1\tbëgg" in "".join(first.lines)


def test_what_two_people_dispute_is_open_in_all_that_came(store, tmp_path):
    path = tmp_path / "in.conllu"
    path.write_text(TREEBANK, encoding="utf-8")
    project = came(store, path, "pos", hides_gold=True)
    row = next(store.examples(project.id))
    words = content.from_json(row.content).length
    for name, tag in (("ana", "X"), ("ben", "SYM")):
        (item,) = made_items(store, project, [(row.id, "pos", name)])
        store.save(item.id, name, "page", 1, {"upos": [tag] * words}, True, 1.0, 1)
    first, *others = conllu.read(exported(store, project, tmp_path, "pos", "conllu"))
    came_first, *came_others = conllu.read(path)
    assert set(first.upos) == {"_"} and first.heads == came_first.heads
    assert [one.upos for one in others] == [one.upos for one in came_others]
    assert export_annotations(store, project, ["pos"], None, "all").disputed == 1


@pytest.mark.parametrize(
    ("scheme", "tags", "person"),
    [
        ("IOB1", ["I-PER", "I-PER", "I-PER", "I-LOC"], ["I-PER", "I-PER", "O"]),
        ("IOB2", ["B-PER", "I-PER", "B-PER", "B-LOC"], ["B-PER", "I-PER", "O"]),
        ("BIOES", ["B-PER", "E-PER", "B-PER", "S-LOC"], ["B-PER", "E-PER", "O"]),
        ("BILOU", ["B-PER", "L-PER", "B-PER", "U-LOC"], ["B-PER", "L-PER", "O"]),
    ],
)
@pytest.mark.parametrize(("suffix", "format"), [(".conll", "conll2003"), (".bio", "bio")])
def test_entities_come_back_in_their_scheme_with_every_column(store, tmp_path, scheme, tags, person, suffix, format):
    path = tmp_path / f"in{suffix}"
    given = ENTITIES.format(*tags)
    path.write_text(given)
    project = came(store, path, "ner")
    last = list(store.examples(project.id))[-1]
    (item,) = made_items(store, project, [(last.id, "ner", "ana")])
    store.save(item.id, "ana", "page", 1, {"entities": ["B-PER", "I-PER", "O"]}, True, 1.0, 1)
    assert changed(given, exported(store, project, tmp_path, "ner", format).read_text()) == [
        (f"Dakar NNP B-NP {tags[3]}", f"Dakar NNP B-NP {person[0]}"),
        ("is VBZ B-VP O", f"is VBZ B-VP {person[1]}"),
    ]


def test_a_table_comes_back_but_for_its_labels(store, tmp_path):
    given = "\ufeffurl\tcategory\ttext\tby\r\nx\thealth\t one \tana\r\ny\t\ttwo\tben\r\nz\t_\tthree\tzoe"
    path = tmp_path / "in.tsv"
    path.write_bytes(given.encode())
    project = came(store, path, "topic")
    annotate(store, project, "topic")
    wanted = given.replace("x\thealth", "x\tsports") + "\r\n"
    assert exported(store, project, tmp_path, "topic", "tsv").read_bytes().decode() == wanted


@pytest.mark.parametrize("format", ["jsonl"])
def test_lines_of_json_come_back_as_they_were_written(store, tmp_path, format):
    path = tmp_path / "in.jsonl"
    path.write_text("\n".join(LINES), encoding="utf-8")
    project = came(store, path, "pos")
    annotate(store, project, "pos", every=2)
    first, second, third = exported(store, project, tmp_path, "pos", format).read_text(encoding="utf-8").splitlines()
    assert first == LINES[0].replace('["X", "X", "X"]', '["SYM", "SYM", "SYM"]')
    assert second == LINES[1]
    assert json.loads(third) == json.loads(LINES[2]) | {"words": ["a", "b", "c"], "upos": ["SYM"] * 3}


INTERLINEAR = {module.FORMAT.name: module for module in (flextext, sfm, eaf)}
TEXTS = Path(__file__).parents[2] / "corpora" / "formats" / "interlinear"


@pytest.mark.parametrize("name", INTERLINEAR)
def test_texts_of_linguists_come_back_with_their_tags(store, tmp_path, name):
    path, module = TEXTS / f"wolof.{name}", INTERLINEAR[name]
    project = came(store, path, "pos")
    (annotated,) = annotate(store, project, "pos")
    out = exported(store, project, tmp_path, "pos", name)
    before, after = module.read(path), module.read(out)
    assert [one.words for one in after] == [one.words for one in before]
    assert {one.id.rpartition("-")[2]: set(one.upos) for one in after if set(one.upos) != {"_"}} == {
        annotated.rpartition("-")[2]: {"SYM"}
    }
    if name != "eaf":
        module.write([one.annotated(upos=()) for one in after], out)
        assert out.read_bytes() == path.read_bytes()
    lines = set(out.read_text(encoding="utf-8").splitlines())
    lost = [line for line in path.read_text(encoding="utf-8").splitlines() if line not in lines]
    assert len(lost) <= {"flextext": 0, "sfm": 0, "eaf": 1}[name], lost  # ELAN counts its annotations


@pytest.mark.parametrize("name", INTERLINEAR)
def test_trees_on_texts_of_linguists_go_to_conllu_with_their_glosses(store, tmp_path, name):
    project = came(store, TEXTS / f"wolof.{name}", "dep")
    annotate(store, project, "dep")
    first, *_ = conllu.read(exported(store, project, tmp_path, "dep", "conllu", "annotated"))
    assert first.heads[-1] == 0
    beside = conllu.interlinear(first)
    assert "eat" in [one.get("Gloss") for one in beside.words]
    assert any("children" in value for key, value in beside.lines.items() if key.startswith("text_"))


def test_words_that_somebody_repaired_keep_the_glosses_of_their_text(store, tmp_path):
    project = came(store, TEXTS / "wolof.flextext", "pos")
    row = next(store.examples(project.id, split="pool"))
    words = list(content.from_json(row.content).words)
    words[2:3] = ["le", "kk"]
    (item,) = made_items(store, project, [(row.id, "pos", "ana")])
    made = {"upos": ["X"] * len(words), "words": words, "ranges": []}
    store.save(item.id, "ana", "page", 1, made, True, 1.0, 1)
    for name, module in {"conllu": conllu, **INTERLINEAR}.items():
        (found,) = module.read(exported(store, project, tmp_path, "pos", name, "annotated"))
        glosses = [one.get("Gloss", "") for one in conllu.interlinear(found).words]
        assert (found.words, found.upos) == (tuple(words), ("X",) * len(words))
        assert glosses[:4] == ["child", "CL.PL-DEF=***", "eat", ""]


@pytest.mark.parametrize("name", INTERLINEAR)
def test_one_sentence_with_repaired_words_leaves_the_others_as_they_came(store, tmp_path, name):
    path, module = TEXTS / f"wolof.{name}", INTERLINEAR[name]
    project = came(store, path, "pos")
    row = next(store.examples(project.id, split="pool"))
    words = [*content.from_json(row.content).words[:-1], "ab", "cd"]
    (item,) = made_items(store, project, [(row.id, "pos", "ana")])
    made = {"upos": ["X"] * len(words), "words": words, "ranges": []}
    store.save(item.id, "ana", "page", 1, made, True, 1.0, 1)
    if name == "eaf":
        with pytest.raises(FewshotError, match=r"out.eaf: wolof-1: its words were repaired, .* export as CoNLL-U$"):
            exported(store, project, tmp_path, "pos", name)
        return
    out = exported(store, project, tmp_path, "pos", name)
    first, *others = module.read(out)
    _, *came_others = module.read(path)
    assert (first.words, first.upos) == (tuple(words), ("X",) * len(words))
    assert [one.interlinear for one in others] == [one.interlinear for one in came_others]
    text, given = out.read_text(encoding="utf-8"), path.read_text(encoding="utf-8")
    begins = {"flextext": "<phrase ", "sfm": "\\ref"}[name]
    before, behind = (given.index(begins, place) for place in (0, given.index(begins) + 1))
    assert text.startswith(given[:before]) and text.endswith(given[behind:])


def test_stretches_of_a_line_stay_stretches(store, tmp_path):
    path = tmp_path / "in.jsonl"
    path.write_text(LINES[2] + "\n", encoding="utf-8")
    project = came(store, path, "ner")
    annotate(store, project, "ner")
    (line,) = exported(store, project, tmp_path, "ner", "jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(line) == json.loads(LINES[2]) | {"entities": [{"start": 0, "end": 4, "label": "PER"}]}


def test_questions_come_back_but_for_their_answers(store, tmp_path):
    path = tmp_path / "in.json"
    path.write_text(json.dumps(SQUAD))
    project = came(store, path, "qa")
    annotate(store, project, "qa")
    found = json.loads(exported(store, project, tmp_path, "qa", "squad").read_text())
    wanted = json.loads(json.dumps(SQUAD))
    first, second = wanted["data"][0]["paragraphs"][0]["qas"]
    first["answers"] = [{"text": "today", "answer_start": 20}]
    second["is_impossible"] = False
    assert found == wanted


def test_tasks_of_label_studio_come_back_but_for_their_newest_annotation(store, tmp_path):
    path = tmp_path / "in.json"
    path.write_text(json.dumps(STUDIO))
    project = came(store, path, "topic")
    annotate(store, project, "topic")
    found = json.loads(exported(store, project, tmp_path, "topic", "label-studio").read_text())
    assert found[1:] == STUDIO[1:]
    assert {key: value for key, value in found[0].items() if key != "annotations"} == {
        key: value for key, value in STUDIO[0].items() if key != "annotations"
    }
    cancelled, newest = found[0]["annotations"]
    assert cancelled == STUDIO[0]["annotations"][1]
    assert newest["completed_by"] == 3
    assert newest["result"][0]["value"] == {"choices": ["sports"]}


@pytest.fixture
def half(store, tmp_path):
    """A project that continues ten sentences: four finished, one tagged in part, and one of a model."""
    whole = made_up(10, seed=1, shortest=4)
    partly = whole[4].annotated(upos=("NOUN", *["_"] * (whole[4].length - 1)))
    guessed = replace(whole[5], predicted=("upos",))
    found = [*whole[:4], partly, guessed, *(one.annotated(upos=()) for one in whole[6:])]
    conllu.write(found, tmp_path / "in.conllu")
    return came(store, tmp_path / "in.conllu", "pos", hides_gold=False)


def test_what_a_file_has_finished_is_learned_from_and_not_drawn_again(store, half):
    assert continue_upload(store, half, "ana") == 4
    assert len(training_data(store, half, "pos").shots) == 4
    assert len(candidates(store, half, "pool")) == 6
    assert not simulation.possible(store, half, "pos", training_data(store, half, "pos"))
    item = session.items(store, half, "pos", "ana")[0]
    opened = session.open_item(store, half, item)
    assert (item.status, opened.annotation["upos"]) == ("done", list(made_up(10, seed=1, shortest=4)[0].upos))


def test_what_a_file_has_begun_opens_as_far_as_it_is_and_a_models_tags_are_nobodys(store, half):
    continue_upload(store, half, "ana")
    draw_round(store, half, 6, "random", 0)
    rows = {row.id: row.key for row in store.examples(half.id)}
    opened = {
        rows[item.example_id]: session.open_item(store, half, item)
        for item in session.items(store, half, "pos", "ana")
        if item.status == "open"
    }
    assert len(opened) == 6
    assert {key for key, one in opened.items() if one.annotation} == {"s-4"}
    assert opened["s-4"].annotation["upos"][:2] == ["NOUN", "_"]
    assert opened["s-4"].example.heads == made_up(10, seed=1, shortest=4)[4].heads  # of another task than the project's


def test_a_continued_file_comes_back_as_it_came(store, half, tmp_path):
    continue_upload(store, half, "ana")
    assert exported(store, half, tmp_path, "pos", "conllu").read_bytes() == (tmp_path / "in.conllu").read_bytes()


def test_hidden_gold_is_not_shown_and_comes_back_where_nobody_annotated(store, tmp_path):
    conllu.write(made_up(4, seed=1), tmp_path / "in.conllu")
    project = came(store, tmp_path / "in.conllu", "pos", hides_gold=True)
    draw_round(store, project, 4, "random", 0)
    for item in session.items(store, project, "pos", "ana"):
        opened = session.open_item(store, project, item)
        assert opened.annotation is None and set(opened.example.upos) == {"_"}
    assert exported(store, project, tmp_path, "pos", "conllu").read_bytes() == (tmp_path / "in.conllu").read_bytes()


@pytest.mark.parametrize(
    ("change", "counts"),
    [
        (lambda one, place: one, (4, 4, 4)),
        (lambda one, place: one if place else one.annotated(upos=()), (4, 3, 3)),
        (lambda one, place: one if place else one.annotated(upos=("X", *["_"] * (one.length - 1))), (4, 4, 3)),
        (lambda one, place: replace(one, predicted=("upos",)), (4, 0, 0)),
    ],
)
def test_a_file_is_gold_if_it_has_all_labels(change, counts):
    found = uploaded.Found.of(["pos"])
    passed = list(found.count(change(one, place) for place, one in enumerate(made_up(4, seed=1))))
    assert len(passed) == 4
    assert (found.read, found.annotated, found.whole) == counts
    assert found.is_gold == (counts == (4, 4, 4))


@pytest.mark.parametrize(
    ("task", "blank", "is_gold"),
    [
        ("pos", "lemmas", True),
        ("pos+lemma", "lemmas", False),
        ("pos+feats", "feats", False),
        ("pos+lemma", "feats", True),
    ],
)
def test_tags_alone_are_no_gold_of_lemmas_or_features(task, blank, is_gold):
    found = uploaded.Found.of([task])
    for _ in found.count(replace(with_morphology(one), **{blank: ()}) for one in made_up(4, seed=1)):
        pass
    assert (found.annotated, found.whole, found.is_gold) == (4, 4 * is_gold, is_gold)


@pytest.mark.parametrize("format", ["conll2003", "webanno"])
def test_formats_without_gaps_refuse_what_nobody_has_annotated(store, tmp_path, format):
    path = tmp_path / "in.conllu"
    conllu.write([one.annotated(entities=()) for one in made_up(4, seed=1)], path)
    project = came(store, path, "ner")
    annotate(store, project, "ner")
    with pytest.raises(FewshotError, match=r"^s-1: .* cannot say that nobody has annotated a sentence; export what is"):
        exported(store, project, tmp_path, "ner", format)
    assert "PER" in exported(store, project, tmp_path, "ner", format, "annotated").read_text()


def test_a_sentence_that_one_task_has_finished_is_drawn_for_the_other(store, tmp_path):
    found = [one.annotated(heads=(), deprels=()) for one in made_up(4, seed=1)]
    rows = pool.both([made_up(5, seed=1)[4], *found], ())
    project = made_project(store, rows, labels=LABELS, people=("ana",), double_share=0.0, hides_gold=False)
    assert continue_upload(store, project, "ana") == 1
    draw_round(store, project, 4, "random", 0)
    for task, count in {"pos": 4, "dep": 0}.items():
        opened = [session.open_item(store, project, item) for item in session.items(store, project, task, "ana")[1:]]
        assert sum(one.annotation is not None for one in opened) == count


def test_what_was_begun_in_the_file_is_finished_in_the_editor(store, half, tmp_path):
    continue_upload(store, half, "ana")
    row = next(row for row in store.examples(half.id) if row.key == "s-4")
    (item,) = made_items(store, half, [(row.id, "pos", "ana")])
    begun = session.open_item(store, half, item).annotation["upos"]
    sent = {"upos": [tag if tag != "_" else "X" for tag in begun]}
    event = {"client": "page", "item": item.id, "seq": 1, "annotation": sent, "done": True, "edits": 1, "seconds": 1.0}
    event["seen"] = 0
    session.receive(store, half, "ana", event)
    assert store.item(item.id).status == "done"
    before, after = (tmp_path / "in.conllu").read_text(), exported(store, half, tmp_path, "pos", "conllu").read_text()
    differ = changed(before, after)
    assert len(differ) == len(begun) - 1
    assert all(old.replace("\t_\t_\t_", "\t_\tX\t_", 1) == new for old, new in differ)
