"""What is found of a text, an expression or a pattern, and by whom."""

import pytest
from storing import made_items, made_project

from annotate.exchange import pool
from annotate.search import queries
from annotate.store import Wanted
from fewshot.corpora import patterns
from fewshot.corpora.formats import conllu
from fewshot.corpora.types import Article, Document, Pair, Paragraph, Sentence
from fewshot.errors import FewshotError
from fewshot.tasks.dep import RELATIONS
from fewshot.tasks.pos import UPOS

POS = Wanted("pos")
LABELS = {"pos": list(UPOS), "dep": list(RELATIONS)}


def find(store, project, kind, query, wanted=POS):
    return queries.find(store, project, kind, query, wanted)


def contexts(found):
    return [(hit.before, hit.found, hit.after) for hit in found.hits]


def test_a_text_is_found_in_its_context_whatever_the_case_of_its_letters(store, project, ids):
    found = find(store, project, queries.TEXT, "MAR")
    assert contexts(found) == [("voy al ", "mar", ""), ("el ", "mar", " canta")]
    assert (found.total, found.examples) == (2, 2)


def test_an_expression_minds_the_case(store, project):
    assert contexts(find(store, project, queries.EXPRESSION, r"\bh\w+")) == [
        ("canta mucho ", "hoy", ""),
        ("", "hoy", " voy yo"),
    ]
    assert find(store, project, queries.EXPRESSION, "Hoy").total == 0


@pytest.mark.parametrize(
    ("kind", "query", "message"),
    [
        (queries.TEXT, " ", "nothing to look for"),
        (queries.EXPRESSION, "(", "no regular expression"),
        (queries.PATTERN, "X [", "column 4"),
    ],
)
def test_what_is_no_query_is_refused(store, project, kind, query, message):
    with pytest.raises(FewshotError, match=message):
        find(store, project, kind, query)


def test_a_pattern_finds_what_each_annotator_has_made_in_all_tasks(store, project, annotated):
    found = find(store, project, queries.PATTERN, "X [upos=ADP]")
    assert [(hit.version.annotator, hit.found, dict(hit.words)) for hit in found.hits] == [("ana", "al", {"X": 2})]
    found = find(store, project, queries.PATTERN, "X [upos=ADP]; Y -[case]-> X; Y [upos=NOUN]")
    assert [(hit.version.annotator, hit.before, hit.found) for hit in found.hits] == [("ana", "voy ", "al")]
    assert find(store, project, queries.PATTERN, "X [upos=X]", Wanted("pos", annotator="ana")).total == 0
    assert find(store, project, queries.PATTERN, "X [upos=X]").hits[0].version.annotator == "ben"


def test_a_pattern_sees_the_words_as_they_were_repaired(store, project, annotated, keep):
    keep(
        annotated[0],
        {"upos": ["VERB", "ADP", "DET", "NOUN"], "words": ["voy", "a", "el", "mar"], "ranges": [[2, 3, "al"]]},
    )
    found = find(store, project, queries.PATTERN, 'pattern { X [form="el"]; Y -[case]-> Z }')
    assert [hit.found for hit in found.hits] == ["el"]


def test_hidden_gold_is_not_found(store):
    sentence = Sentence("s", "voy al mar", ("voy", "al", "mar"), upos=("VERB", "ADP", "NOUN"))
    shown = made_project(store, pool.both([sentence], []), labels=LABELS, hides_gold=False, name="shown")
    hidden = made_project(store, pool.both([sentence], []), labels=LABELS, name="hidden")
    assert find(store, shown, queries.PATTERN, "X [upos=ADP]").total == 1
    assert find(store, hidden, queries.PATTERN, "X [upos=ADP]").total == 0


def test_hidden_gold_hides_the_lemmas_and_features_of_its_file_too(store, tmp_path):
    path = tmp_path / "a.conllu"
    path.write_text("1\tvoy\tir\tVERB\tV\tTense=Pres\t0\troot\t_\tGloss=go\n\n", encoding="utf-8")
    sentences = conllu.read(path)
    shown = made_project(store, pool.both(sentences, []), labels=LABELS, hides_gold=False, name="shown")
    hidden = made_project(store, pool.both(sentences, []), labels=LABELS, name="hidden")
    for query in ("X [lemma=ir]", "X [xpos=V]", "X [Tense=Pres]", "X [Gloss=go]"):
        assert find(store, shown, queries.PATTERN, query).total == 1
        assert find(store, hidden, queries.PATTERN, query).total == 0


QUERIES = [
    "X [upos=NOUN]", "X [upos=NOUN|X]", 'X [form="mar"]', 'X [form=re"m.*"]', "X -[case]-> Y", "X -> Y", "X [!upos]",
    "X [upos<>NOUN]", "X [lemma=mar]", "X [Number=Sing]", "pattern { X [upos=VERB] } without { X [form=voy] }",
]  # fmt: skip


@pytest.mark.parametrize("hides_gold", [True, False])
@pytest.mark.parametrize("query", QUERIES)
def test_what_the_database_leaves_out_has_no_match(store, tmp_path, query, hides_gold):
    """The same is found as where every sentence is read."""
    path = tmp_path / "a.conllu"
    rows = ["1\tmar\tmar\tNOUN\t_\tNumber=Sing\t0\troot\t_\t_\n\n", "1\tVoy\tir\t_\t_\t_\t_\t_\t_\t_\n\n"]
    rows.append("1\tal\ta\tADP\t_\t_\t2\tcase\t_\t_\n2\tmar\tmar\tNOUN\t_\t_\t0\troot\t_\t_\n\n")
    path.write_text("".join(rows), encoding="utf-8")
    project = made_project(store, pool.both(conllu.read(path), []), labels=LABELS, hides_gold=hides_gold)
    ids = [id for id, _ in store.lengths(project.id, "pool")]
    (item,) = made_items(store, project, [(ids[1], "pos", "ana")])
    store.save(item.id, "ana", "page", 1, {"upos": ["X"]}, True, 1.0, 1)
    find_all = patterns.matches(patterns.parse(query))
    everything = queries.versions(store, project, POS)
    expected = [match for one in everything for match in find_all(queries.searched(project, one.example))]
    assert [hit.words for hit in find(store, project, queries.PATTERN, query).hits] == expected


def test_pairs_and_documents_are_found_by_their_text(store):
    pair = Pair("p", "Ana canta mucho", "Ana sings\na lot")
    made = made_project(store, pool.both([pair], []), kind="pairs", tasks=("nli",), labels={"nli": ["a", "b"]})
    found = find(store, made, queries.TEXT, "sings", Wanted("nli"))
    assert contexts(found) == [("Ana canta mucho Ana ", "sings", " a lot")]
    assert queries.kinds(made) == [queries.TEXT, queries.EXPRESSION]
    document = Document("d", "x" * 100 + " mar " + "y" * 100)
    made = made_project(
        store, pool.both([document], []), kind="documents", tasks=("topic",), labels={"topic": ["a", "b"]}
    )
    ((before, match, after),) = contexts(find(store, made, queries.TEXT, "mar", Wanted("topic")))
    assert (before, match, after) == ("…" + "x" * 59 + " ", "mar", " " + "y" * 59 + "…")


def test_articles_are_found_by_the_text_of_all_paragraphs(store):
    article = Article("a", (Paragraph("Ana canta.", ()), Paragraph("Ben come pan.", ())))
    made = made_project(store, pool.both([article], []), kind="articles", tasks=("qa",), labels={"qa": []})
    assert contexts(find(store, made, queries.TEXT, "PAN", Wanted("qa"))) == [("Ana canta.  Ben come ", "pan", ".")]


def test_hits_of_a_pattern_are_counted_up_to_a_number(store, project, monkeypatch):
    for counted, expected in ((24, (24, True)), (23, (23, False)), (2, (2, False))):
        monkeypatch.setattr(queries, "COUNTED", counted)
        found = find(store, project, queries.PATTERN, "X []; Y []")  # six in each of four sentences
        assert (found.total, found.complete) == expected
        assert found.hits


@pytest.mark.parametrize("drawn", [True, False])
def test_lemmas_and_features_are_found_that_stand_in_no_line(store, drawn):
    """Of a project whose task asks for them, as they were annotated or as they came."""
    both = {"lemmas": ("ir",), "feats": ("Tense=Pres",)}
    sentence = Sentence("s", "voy", ("voy",), ("VERB",), **({} if drawn else both))
    tasks = ("pos+lemma+feats",)
    labels = {tasks[0]: list(UPOS)}
    made = made_project(store, pool.both([sentence], []), labels=labels, tasks=tasks, hides_gold=drawn)
    if drawn:
        (item,) = made_items(store, made, [(store.lengths(made.id, "pool")[0][0], tasks[0], "ana")])
        annotation = {"upos": ["VERB"], **{name: list(value) for name, value in both.items()}}
        store.save(item.id, "ana", "page", 1, annotation, True, 1.0, 1)
    for query, total in (("X [lemma=ir]", 1), ("X [Tense=Pres]", 1), ("X [Tense=Past]", 0), ("X [!lemma]", 0)):
        assert find(store, made, queries.PATTERN, query, Wanted(tasks[0])).total == total, query


@pytest.mark.parametrize("scheme", ["IOB1", "BIOES"])
def test_entities_are_found_whatever_the_scheme_of_their_file(store, scheme):
    tag = {"IOB1": "I-PER", "BIOES": "S-PER"}[scheme]
    sentence = Sentence("s", "Ana canta", ("Ana", "canta"), entities=(tag, "O"), scheme=scheme)
    made = made_project(store, pool.both([sentence], []), labels={"ner": ["PER"]}, tasks=("ner",), hides_gold=False)
    assert find(store, made, queries.PATTERN, 'X [NER="B-PER"]', Wanted("ner")).total == 1


SLOW = "(a|aa)+$"


@pytest.mark.parametrize(
    ("kind", "query"),
    [
        (queries.EXPRESSION, f"b|{SLOW}"),
        (queries.PATTERN, f'X [form="b"|re"{SLOW}"]'),
        (queries.PATTERN, "A << B; B << C; C << D; D << E; E << F; F << G; G << H; H << A"),
    ],
)
def test_a_search_ends_at_its_deadline_with_what_was_found_by_then(store, kind, query):
    """Of sentences each of which would take years."""
    forms = ("b", *("a" * 60 + f"c{n}" for n in range(99)))
    sentences = [Sentence("s", "b", ("b",))]
    sentences += [Sentence(f"s{n}", " ".join(forms), forms, ("X",) * 100) for n in range(3)]
    made = made_project(store, pool.both(sentences, []), labels=LABELS, hides_gold=False)
    found = queries.find(store, made, kind, query, POS, seconds=0.5)
    assert (found.cut_off, found.complete, found.whole) == (True, False, False)
    assert found.total == len(found.hits) < 100
    assert found.total or "A" in query


def test_a_search_that_gets_to_the_end_is_not_cut_off(store, project):
    for kind, query in ((queries.TEXT, "mar"), (queries.EXPRESSION, "mar"), (queries.PATTERN, "X [form=mar]")):
        found = queries.find(store, project, kind, query, POS)
        assert (found.total, found.cut_off, found.whole) == (2, False, True)
