import pytest
from desk import new_project

from annotate.search import queries, typed
from annotate.store import ExampleFilter
from fewshot.corpora import patterns
from fewshot.corpora.formats import conllu
from fewshot.corpora.types import Article, Document, Pair, Paragraph, Sentence
from fewshot.errors import FewshotError

POS = ExampleFilter("pos")


def find(store, project, kind, query, wanted=POS):
    return queries.find(store, project, kind, query, wanted)


def contexts(found):
    return [(hit.before, hit.text, hit.after) for hit in found.hits]


HOY = [("canta mucho ", "hoy", ""), ("", "hoy", " voy yo")]


def test_a_text_is_found_in_any_case_and_signs_are_those_of_expressions_alone(store, project):
    for kind, query, expected in (
        (queries.TEXT, "MAR", [("voy al ", "mar", ""), ("el ", "mar", " canta")]),
        *((queries.TEXT, query, []) for query in ("m.r", "(", "^hoy")),
        (queries.EXPRESSION, r"\bh\w+", HOY),
        (queries.EXPRESSION, "Hoy", []),
        (queries.PATTERN, "X [form=hoy]", HOY),
    ):
        found = find(store, project, kind, query)
        assert (contexts(found), found.total, found.examples) == (expected, len(expected), len(expected)), query
        assert (found.cut_off, found.whole) == (False, True)


def test_letters_with_accents_are_found_however_they_are_written(store):
    forms = ("ain", "aín", "ai\u0301n")
    project = new_project(store, [Sentence(form, form, (form,)) for form in forms], "pos")
    _, *accented = (row.id for row in store.examples(project.id))
    for query in ("ÍN", "i\u0301n", "X [form=aín]", "X [form=ai\u0301n]"):
        kind = queries.PATTERN if "[" in query else queries.TEXT
        assert [hit.version.row.id for hit in find(store, project, kind, query).hits] == accented, query
    assert [hit.text for hit in find(store, project, queries.TEXT, "i").hits] == ["i"]


def test_an_invalid_query_is_refused(store, project):
    for kind, query, message in (
        (queries.TEXT, " ", "nothing to look for"),
        (queries.EXPRESSION, "(", "invalid regular expression"),
        (queries.PATTERN, "X [", "column 4"),
    ):
        with pytest.raises(FewshotError, match=message):
            find(store, project, kind, query)


def test_a_pattern_finds_what_each_annotator_has_made_in_all_tasks_on_their_words(store, project, desk, annotated):
    def hits(query, **wanted):
        found = find(store, project, queries.PATTERN, query, ExampleFilter("pos", **wanted)).hits
        return [(hit.version.annotator, hit.before, hit.text) for hit in found]

    (found,) = find(store, project, queries.PATTERN, "X [upos=ADP]").hits
    assert dict(found.words) == {"X": 2}
    assert hits("X [upos=ADP]; Y -[case]-> X; Y [upos=NOUN]") == [("ana", "voy ", "al")]
    assert hits("X [upos=X]", annotator="ana") == []
    assert hits("X [upos=X]") == [("ben", "voy ", "al")]
    words = {"words": ["voy", "a", "el", "mar"], "ranges": [[2, 3, "al"]]}
    desk.keep(annotated[0], {"upos": ["VERB", "ADP", "DET", "NOUN"], **words})
    assert [found for *_, found in hits('pattern { X [form="el"]; Y -[case]-> Z }')] == ["el"]


def test_entities_are_found_whatever_the_scheme_of_their_file(store):
    sentences = [
        Sentence(tag, "Ana canta", ("Ana", "canta"), entities=(tag, "O"), scheme=scheme)
        for scheme, tag in (("IOB1", "I-PER"), ("BIOES", "S-PER"))
    ]
    project = new_project(store, sentences, "ner")
    assert find(store, project, queries.PATTERN, 'X [NER="B-PER"]', ExampleFilter("ner")).total == 2


def test_hidden_gold_is_not_found_nor_what_else_its_file_has(store, tmp_path):
    path = tmp_path / "a.conllu"
    path.write_text("1\tvoy\tir\tVERB\tV\tTense=Pres\t0\troot\t_\tGloss=go\n\n", encoding="utf-8")
    for hides_gold, total in ((False, 1), (True, 0)):
        project = new_project(store, conllu.read(path), "pos", hides_gold=hides_gold, name=f"{hides_gold}")
        for query in ("X [upos=VERB]", "X [lemma=ir]", "X [xpos=V]", "X [Tense=Pres]", "X [Gloss=go]"):
            assert find(store, project, queries.PATTERN, query).total == total


QUERIES = [
    "X [upos=NOUN]", "X [upos=NOUN|X]", 'X [form="mar"]', 'X [form=re"m.*"]', "X -[case]-> Y", "X -> Y", "X [!upos]",
    "X [upos<>NOUN]", "X [lemma=mar]", "X [Number=Sing]", "pattern { X [upos=VERB] } without { X [form=voy] }",
]  # fmt: skip


@pytest.mark.parametrize("hides_gold", [True, False])
def test_sentences_that_the_database_leaves_out_have_no_match(store, new_desk, tmp_path, hides_gold):
    path = tmp_path / "a.conllu"
    rows = ["1\tmar\tmar\tNOUN\t_\tNumber=Sing\t0\troot\t_\t_\n\n", "1\tVoy\tir\t_\t_\t_\t_\t_\t_\t_\n\n"]
    rows.append("1\tal\ta\tADP\t_\t_\t2\tcase\t_\t_\n2\tmar\tmar\tNOUN\t_\t_\t0\troot\t_\t_\n\n")
    path.write_text("".join(rows), encoding="utf-8")
    desk = new_desk(conllu.read(path), "pos", "dep", hides_gold=hides_gold)
    desk.keep(*desk.draw((1, "pos", "ana")), {"upos": ["X"]})
    everything = list(queries.versions(store, desk.project, POS))
    for query in QUERIES:
        find_all = patterns.matches(patterns.parse(query))
        expected = [match for one in everything for match in find_all(queries.hide_gold(desk.project, one.example))]
        assert [hit.words for hit in desk.find(query, "pos")] == expected, query


TYPED = {
    queries.TEXT: ("mar", "a.b", "X:", "e.g. X", "3 > 2", "pattern", "/", '"', "-> X"),
    queries.PATTERN: (
        "X [upos", "X -> Y", "* -[case]-> X", "X < Y", "e: X -> Y", 'X.form = "a"', "pattern { X [] }", "rule r {"
    ),
}  # fmt: skip


def test_what_is_typed_is_recognized(project):
    expected = {text: (kind, text) for kind, texts in TYPED.items() for text in texts}
    expected['"X [upos=ADP]"'] = queries.TEXT, "X [upos=ADP]"
    expected |= {"/h.y/": (queries.EXPRESSION, "h.y"), "/h.y/i": (queries.EXPRESSION, "(?i)h.y")}
    assert {text: typed.recognize(project, text) for text in expected} == expected


def test_texts_are_found_without_accents_when_asked_and_cut_between_letters(store):
    project = new_project(store, [Sentence("s", "ní" + "e\u0301" * 100 + " ni", ("ní", "é" * 100, "ni"))], "pos")
    assert [hit.text for hit in find(store, project, queries.TEXT, "ni").hits] == ["ni"]
    hits = queries.find(store, project, queries.TEXT, "NI", POS, accents=False).hits
    assert [hit.text for hit in hits] == ["ní", "ni"]
    assert hits[1].before == "…" + "e\u0301" * 59 + " "
    assert hits[0].after == "e\u0301" * 60 + "…"


LONG = Document("d", "x" * 100 + " mar " + "y" * 100)
ARTICLE = Article("a", (Paragraph("Ana.", ()), Paragraph("Ben come pan.", ())))


def test_pairs_documents_and_articles_are_found_by_their_text(store):
    pair = Pair("p", "Ana canta mucho", "Ana sings\na lot")
    for task, example, query, context in (
        ("nli", pair, "sings", ("Ana canta mucho Ana ", "sings", " a lot")),
        ("topic", LONG, "mar", ("…" + "x" * 59 + " ", "mar", " " + "y" * 59 + "…")),
        ("qa", ARTICLE, "PAN", ("Ana.  Ben come ", "pan", ".")),
    ):
        project = new_project(store, [example], task, name=task)
        assert contexts(find(store, project, queries.TEXT, query, ExampleFilter(task))) == [context]
        assert typed.recognize(project, "X [upos=NOUN]")[0] == queries.TEXT


def test_hits_of_a_pattern_are_counted_up_to_a_number(store, project, monkeypatch):
    for counted, expected in ((24, (24, True)), (23, (23, False)), (2, (2, False))):
        monkeypatch.setattr(queries, "MAX_COUNTED", counted)
        found = find(store, project, queries.PATTERN, "X []; Y []")  # six in each of four sentences
        assert (found.total, found.complete) == expected
        assert found.hits


@pytest.mark.parametrize("drawn", [True, False])
def test_lemmas_and_features_of_a_task_are_found_as_annotated_or_as_they_came(new_desk, drawn):
    both, task = {"lemmas": ("ir",), "feats": ("Tense=Pres",)}, "pos+lemma+feats"
    sentence = Sentence("s", "voy", ("voy",), ("VERB",), **({} if drawn else both))
    desk = new_desk([sentence], task, hides_gold=drawn)
    if drawn:
        annotation = {"upos": ["VERB"], **{name: list(value) for name, value in both.items()}}
        desk.keep(*desk.draw((0, task, "ana")), annotation)
    for query, total in (("X [lemma=ir]", 1), ("X [Tense=Pres]", 1), ("X [Tense=Past]", 0), ("X [!lemma]", 0)):
        assert len(desk.find(query)) == total, query


SLOW = "(a|aa)+$"


def test_a_search_ends_at_its_deadline_with_what_was_found_by_then(store):
    forms = ("b", *("a" * 60 + f"c{n}" for n in range(99)))
    sentences = [Sentence("s", "b", ("b",))]
    sentences += [Sentence(f"s{n}", " ".join(forms), forms, ("X",) * 100) for n in range(3)]
    made = new_project(store, sentences, "pos")
    for kind, query in (
        (queries.EXPRESSION, f"b|{SLOW}"),
        (queries.PATTERN, f'X [form="b"|re"{SLOW}"]'),
        (queries.PATTERN, "A << B; B << C; C << D; D << E; E << F; F << G; G << H; H << A"),
    ):
        found = queries.find(store, made, kind, query, POS, seconds=0.2)
        assert (found.cut_off, found.complete, found.whole) == (True, False, False)
        assert found.total == len(found.hits) < 100
        assert found.total or "A" in query
