"""What Python sends to the editors, for their tests in node: ``payloads.json``.

    python tests/editors/payloads.py

writes the file anew. Each name holds a list with the payload of every item of a project, as `view.view` makes it.
"""

from __future__ import annotations

import json
import sys
import tempfile
from contextlib import closing
from pathlib import Path

import storing

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from storing import made_items, made_project

from annotate.editing import content, guidelines, session, view
from annotate.quality import adjudication
from annotate.store import ENCODER, LLM, Store
from fewshot import tasks
from fewshot.corpora.formats import conllu
from fewshot.corpora.tokenization import repair
from fewshot.corpora.types import Article, Document, Pair, Paragraph, Question, Sentence

PATH = Path(__file__).with_name("payloads.json")
ME = "anna"
SCOPE = "1 20260101000000"


def plain(text, *words, **columns):
    """Return a sentence of words that are written apart, or of the words that are given."""
    return Sentence(text.split()[0], text, words or tuple(text.split()), **columns)


def from_conllu(text):
    """Return the sentences of a CoNLL-U file; of words with fewer columns the others are empty."""
    rows = []
    for line in text.strip().splitlines():
        cells = line.split()
        is_row = line[:1].isdigit()
        rows.append("\t".join([*cells[:-1], *["_"] * (10 - len(cells)), cells[-1]]) if is_row else line)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "in.conllu"
        path.write_text("\n".join(rows) + "\n\n", encoding="utf-8")
        return list(conllu.read(path))


YORK = plain("She loves New York.", "She", "loves", "New", "York", ".")
SNOW = plain("It will snow tonight.", "It", "will", "snow", "tonight", ".")
SNOW_TREE = {"heads": [3, 3, 0, 3, 3], "deprels": ["nsubj", "aux", "root", "obl", "punct"]}
FINNISH = plain("talossa ui .")
FINNISH_GOLD = {
    "upos": ["NOUN", "VERB", "PUNCT"],
    "feats": ["Case=Ine|Number=Sing", "Mood=Ind|Number=Sing", ""],
    "lemmas": ["talo", "uida", "."],
}
ARABIC = plain("قرأت سلمى كتابا في دمشق .")
CHINESE = Sentence("zh-1", "昨天我在𠮷野大学见到了李小龙。", ("昨天", "我", "在𠮷野", "大学见", "到", "了李小龙", "。"))
THAI = Sentence("th-1", "สมชายไปกรุงเทพมหานครเมื่อวาน ฝนตก", ("สมชายไป", "กรุงเทพ", "มหานครเมื่อ", "วาน", "ฝนตก"))
MIXED = Sentence("zh-2", "他用iPhone12拍照。", ("他", "用iPhone12", "拍照", "。"))
ROY = plain("Ana Roy lives in Lima .")
SPANISH = plain("voy al mar")
TEXT = Document("t1", "el mar canta")
LIMA = Article("a1", (Paragraph("Ana vive en Lima", (Question("q1", "quien?", ()), Question("q2", "donde?", ()))),))
FAMILY = Article(
    "family",
    (
        Paragraph(
            "👩‍👩‍👧 Ayumi und Jürgen wohnen seit 2019 in 東京 🗼, sagt Jürgen.",
            tuple(Question(name, text) for name, text in (("who", "Wer?"), ("where", "Wo?"), ("why", "Warum?"))),
        ),
    ),
)
HINDI = Article("hi", (Paragraph("सीता ने दिल्ली में किताब पढ़ी।", (Question("what", "क्या?"),)),))
PAIRS = [
    Pair("p1", "A man sings.", "Somebody sings.", "entailment"),
    Pair("p2", "It rains.", "It is dry.", "contradiction"),
]
DOG = from_conllu("""
# sent_id = s1
# text = El perro ladra, el gato no.
1 El el DET _ _ 2 det _ Gloss=the
2 perro perro NOUN _ _ 3 nsubj _ Gloss=dog|Typo=Yes
3 ladra ladrar VERB _ _ 0 root _ NER=O|SpaceAfter=No
4 , , PUNCT _ _ 6 punct _ _
5 el el DET _ _ 6 det _ _
6 gato gato NOUN _ _ 3 conj _ _
7 no no PART _ _ 6 advmod _ NER=O|SpaceAfter=No
8 . . PUNCT _ _ 3 punct _ _
""")
ENHANCED_FILE = """
# sent_id = s1
# text = Ana canta y baila en casa.
1 Ana _ PROPN _ _ 2 nsubj 2:nsubj|4:nsubj _
2 canta _ VERB _ _ 0 root 0:root _
3 y _ CCONJ _ _ 4 cc 4:cc _
4 baila _ VERB _ _ 2 conj 2:conj:y _
4.1 ella _ PRON _ _ _ _ 4:nsubj _
5 en _ ADP _ _ 6 case 6:case _
6 casa _ NOUN _ _ 4 obl 4:obl:en SpaceAfter=No
7 . _ PUNCT _ _ 2 punct 2:punct _
"""
MWT = from_conllu("# sent_id = s1\n# text = voy al mar\n1 voy _\n2-3 al _\n2 a _\n3 el _\n4 mar _")
FRENCH = from_conllu("""
# sent_id = p1
# text = Elle boit env.
1 Elle elle _ _ _ _ _ _ Gloss=she
2 boit boire _ _ _ _ _ _ Gloss=drinks
3 env environ _ _ _ _ _ _ Gloss=about|SpaceAfter=No
4 . . _ _ _ _ _ _ _

# sent_id = p2
# text = du vin
1-2 du _
1 de de _ _ _ _ _ _ Gloss=of
2 le le _ _ _ _ _ _ Gloss=the
3 vin vin _ _ _ _ _ _ Gloss=wine

# sent_id = p3
# text = Oui
1 Oui oui _ _ _ _ _ _ Gloss=yes
""")
FRENCH_TREES = [
    {"heads": [2, 0, 2, 2], "deprels": ["nsubj", "root", "advmod", "punct"]},
    {"heads": [3, 3, 0], "deprels": ["case", "det", "root"]},
    None,
]


def seen(tanaka, with_, heads, relations, entities):
    """Return a sentence of which two people see the telescope differently."""
    relations = f"{relations[0]} root {relations[1]} flat case det {relations[2]} punct"
    return plain(
        "She saw Ayumi Tanaka with a telescope .",
        upos=("PRON", "VERB", "PROPN", tanaka, with_, "DET", "NOUN", "PUNCT"),
        heads=(2, 0, 2, 3, 7, 7, heads, 2),
        deprels=tuple(relations.split()),
        entities=("O", "O", *entities.split(), "O", "O", "O", "O"),
    )


SEEN = [
    seen("PROPN", "ADP", 2, ("nsubj", "obj", "obl"), "B-PER I-PER"),
    seen("NOUN", "SCONJ", 3, ("nsubj", "iobj", "nmod"), "O B-PER"),
]
CANNOT = [
    plain("You cannot go .", upos=("PRON", "NOUN", "VERB", "PUNCT"), heads=(3, 3, 0, 3),
          deprels=("nsubj", "aux", "root", "punct")),
    Sentence("You", "You cannot go .", ("You", "can", "not", "go", "."), upos=("PRON", "AUX", "PART", "VERB", "PUNCT"),
             heads=(4, 4, 4, 0, 4), deprels=("nsubj", "aux", "advmod", "root", "punct")),
]  # fmt: skip
GO = plain("Go. Stay", "Go", ".", "Stay", upos=("VERB", "PUNCT", "VERB"))
STREET = [
    Sentence("s1", "Go St.", ("Go", "St."), where="a:1"),
    Sentence("s2", "John now", ("John", "now"), where="a:2"),
]
TOGETHER = {"words": ["Go", "St.", "John", "now"], "ranges": [], "joined": 1}

RANKED = {
    "confidence": [0.9, 0.8, 0.95, 0.4, 0.99],
    "heads_ranked": [[[3, 0.9]], [[3, 0.8], [1, 0.1]], [[0, 0.95]], [[3, 0.4], [1, 0.3], [0, 0.2]], [[3, 0.99]]],
    "deprels_ranked": [[["nsubj", 0.9]], [["aux", 0.9]], [["root", 0.9]], [["obl", 0.5]], [["punct", 1.0]]],
}  # fmt: skip


def both(first, second):
    return {"first": first, "second": second}


def arcs(*relations):
    return {"heads": [0, 3, 1], "deprels": list(relations)}


def answers(**given):
    return {"answers": given}


def answer(text, start):
    return {"text": text, "start": start}


ONE_ITEM = {
    "pos_rtl": ("pos", ARABIC, {}),
    "pos_suggested": ("pos", YORK, {"first": {"upos": ["PRON", "VERB", "PROPN", "PROPN", "PUNCT"]}}),
    "morphology": ("pos+feats+lemma", FINNISH, {}),
    "morphology_suggested": ("pos+feats+lemma", FINNISH, {"first": FINNISH_GOLD}),
    "lemma": ("pos+lemma", plain("– _ ui"), {}),
    "dep_rtl": ("dep", ARABIC, {}),
    "dep_suggested": ("dep", SNOW, {"first": SNOW_TREE, "more": RANKED}),
    "dep_ends": ("dep", plain("She left. He very stayed much", "She", "left", ".", "He", "very", "stayed", "much"), {}),
    "dep_known": ("dep", DOG[0], {}),
    "enhanced": ("dep", from_conllu(ENHANCED_FILE)[0], {"hides_gold": False}),
    "unenhanced": ("dep", Sentence("s1", "Ana canta", ("Ana", "canta")), {"hides_gold": False}),
    "misc_pos": ("pos", DOG[0], {}),
    "multiword": ("pos", MWT[0], {}),
    "ner": ("ner", plain("In New York Ana sleeps"), {}),
    "ner_nested": ("ner", plain("In New York Ana sleeps"), {"nested": True}),
    "ner_rtl": ("ner", ARABIC, {}),
    "ner_suggested": ("ner", ROY, {"first": {"entities": ["B-PER", "I-PER", "O", "O", "B-LOC", "O"]}}),
    "ner_chinese": ("ner", CHINESE, {"lang": "zh"}),
    "ner_chinese_suggested": (
        "ner", CHINESE, {"lang": "zh", "first": {"entities": ["B-LOC", "B-PER", "B-ORG", "I-ORG", "O", "B-PER", "O"]}},
    ),
    "ner_thai": ("ner", THAI, {"lang": "th"}),
    "ner_mixed": ("ner", MIXED, {"lang": "zh"}),
    "topic_suggested": ("topic", TEXT, {"first": {"label": "sports"}}),
    "qa": ("qa", FAMILY, {"lang": "de"}),
    "qa_hindi": ("qa", HINDI, {"lang": "hi"}),
    "second_pos": ("pos", SPANISH, both({"upos": ["VERB", "ADP", "VERB"]}, {"upos": ["VERB", "ADP", "NOUN"]})),
    "second_dep": ("dep", SPANISH, both(arcs("root", "case", "nsubj"), arcs("root", "case", "obl"))),
    "second_ner": ("ner", SPANISH, both({"entities": ["O", "O", "B-PER"]}, {"entities": ["O", "B-LOC", "I-LOC"]})),
    "several_suggested": ("topic+several", TEXT, {"first": {"label": "health|sports"}}),
    "second_topic": ("topic", TEXT, both({"label": "sports"}, {"label": "health"})),
    "second_qa": ("qa", LIMA, both(answers(q1=[answer("Lima", 12)]), answers(q1=[answer("Ana", 0)], q2=[]))),
    "llm": ("pos", SPANISH, {"second": {"upos": ["VERB", "ADP", "NOUN"]}, "suggester": "llm"}),
}  # fmt: skip
"""Task, example, and what else is special about the project: suggestions of one or two models, settings."""

REVIEWS = {
    "review_pos": ("pos", SEEN),
    "review_dep": ("dep", SEEN),
    "review_ner": ("ner", SEEN),
    "review_words": ("pos", CANNOT),
    "review_words_dep": ("dep", CANNOT),
    "review_ends": ("pos", [GO, GO.annotated(ends=(2,), upos=("VERB", "PUNCT", "AUX"))]),
    "review_topic": ("topic", [Document("t", "el mar", "sports"), Document("t", "el mar", "health")]),
}
"""Task, and what anna and ben made of one example."""


def labels_of(task):
    return list(tasks.get(task).choices) or [one.name for one in guidelines.label_info(tasks.get(task))]


def made(store, names, examples, *, people=(ME,), test=(), lang="en", first=None, second=None, more=None, **changes):
    """Make a project with every example as an item of each person."""
    suggester = "both" if first and second else "encoder"
    labels = {name: labels_of(name) for name in names}
    parts = [[one.unannotated() for one in part] for part in (examples, test)]
    settings = {
        "lang": lang,
        "labels": labels,
        "kind": tasks.get(names[0]).example.kind,
        "suggester": suggester,
        "hides_gold": False,
    } | changes
    project = made_project(store, storing.split_rows(*parts), people, tasks=tuple(names), **settings)
    ids = [row.id for row in store.examples(project.id, "pool")]
    made_items(store, project, [(one, name, who) for name in names for one in ids for who in people])
    for source, annotation, model in ((ENCODER, first, "mini"), (LLM, second, "tiny")):
        if annotation:
            sizes = len(getattr(examples[0], "words", "1"))
            sure = {"confidence": [0.9] * sizes} if source == ENCODER else {}
            data = {"annotation": annotation} | sure | (more or {})
            store.add_suggestions([(one, names[0], f"{names[0]} {model} 1", data) for one in ids], source)
    return project


def save(store, item, who, annotation, seq=1, done=True, **more):
    store.save(item.id, who, "page of python", seq, annotation, done=done, seconds=10.0, edits=1, **more)


def payloads(store, project, task):
    """Return what is sent of each item of an annotator, in order."""
    found = [session.open_item(store, project, item) for item in session.items(store, project, task, ME)]
    return [view.view(project, opened) for opened in found]


def review(store, project, task):
    """Return what the page of reviews sends of the only disputed example, see `annotate.pages.review`."""
    (case,) = adjudication.cases(store, project, task)
    opened = session.open_item(store, project, adjudication.open_review(store, project, task, case, ME))
    versions = adjudication.versions_to_decide(case, opened.example)
    merged = adjudication.merged(*(version["annotation"] for version in versions))
    return [view.view(project, opened) | {"versions": versions, "annotation": merged}]


def disputed(store, task, versions, **more):
    """Make a project whose first example anna and ben have annotated differently."""
    project = made(store, [task], [versions[0]], people=("anna", "ben"), **more)
    for who, version in zip(("anna", "ben"), versions, strict=True):
        item = store.items(project.id, annotator=who, task=task)[0]
        same = not isinstance(version, Sentence) or repair.named(version) == repair.named(versions[0])
        save(store, item, who, content.annotation_of(task, version) | ({} if same else repair.named(version)))
    return project


def several(store):
    """Return the payloads of projects with several items, by name."""
    found = {}
    for task in ("pos", "dep"):
        found[task] = payloads(store, made(store, [task], [YORK, SNOW]), task)
    found["nli"] = payloads(store, made(store, ["nli"], PAIRS), "nli")
    taught = made(store, ["pos+xpos"], [FINNISH, plain("puu")])
    save(store, store.items(taught.id)[0], ME, {"upos": FINNISH_GOLD["upos"], "xpos": ["NN", "VB", "PUNCT"]})
    found["xpos"] = payloads(store, taught, "pos+xpos")[1:]
    found["join"] = payloads(store, made(store, ["pos"], FRENCH), "pos")
    attached = made(store, ["dep"], FRENCH)
    for item, tree in zip(store.items(attached.id), FRENCH_TREES, strict=True):
        if tree:
            save(store, item, ME, tree)
    found["join_dep"] = payloads(store, attached, "dep")[:1]
    found["join_refused"] = payloads(store, made(store, ["ner"], FRENCH[:1], test=[FRENCH[1]]), "ner")
    street = disputed(store, "pos", [STREET[0].annotated(upos=("VERB", "PROPN"))] * 2)
    store.add_examples(street.id, storing.split_rows([STREET[1]], []))
    (item,) = store.items(street.id, annotator="ben")
    save(store, item, "ben", {"upos": ["VERB", "PROPN", "PROPN", "ADV"]} | TOGETHER, seq=2, joined=1)
    found["review_join"] = review(store, street, "pos")
    return found


def collect(folder):
    """Return everything that the file holds: labels by task, and payloads by name."""
    with closing(Store.open(f"sqlite:///{folder}/payloads.db")) as store:
        found = several(store)
        for name, (task, example, more) in ONE_ITEM.items():
            found[name] = payloads(store, made(store, [task], [example], **more), task)
        for name, (task, versions) in REVIEWS.items():
            found[name] = review(store, disputed(store, task, versions), task)
    labels = {}
    for one in (one for several in found.values() for one in several):
        one["scope"] = SCOPE
        names = ",".join(label["name"] for label in one["labels"])
        one["labels"] = labels.setdefault(names, (len(labels), one["labels"]))[0]
    return {"labels": [made for _, made in labels.values()], "payloads": found}


def written(found):
    """Return the text of the file, with a line for each payload."""
    items = [f"{json.dumps(name)}: {json.dumps(made, ensure_ascii=False)}" for name, made in found["payloads"].items()]
    labels = json.dumps(found["labels"], ensure_ascii=False)
    return f'{{"labels": {labels},\n"payloads": {{\n' + ",\n".join(items) + "\n}}\n"


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made_in:
        PATH.write_text(written(collect(made_in)), encoding="utf-8")
