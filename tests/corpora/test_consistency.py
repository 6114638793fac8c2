import pytest

from fewshot.corpora import consistency, patterns
from fewshot.corpora.consistency import MIN_COLUMN_COUNT, Inconsistency
from fewshot.corpora.types import Sentence


def sentence(text, upos="", heads=(), deprels="", entities="", lemmas=""):
    words = tuple(text.split())
    blank = ("_",) * len(words)
    return Sentence(
        text, text, words, tuple(upos.split()) or blank, tuple(heads) or (-1,) * len(words),
        tuple(deprels.split()) or blank, tuple(entities.split()) or blank, tuple(lemmas.split()),
    )  # fmt: skip


def places(sentences, finding):
    matches = {label: patterns.matches(patterns.parse(finding.pattern(label))) for label, _ in finding.labels}
    return tuple((label, sum(len(found(one)) for one in sentences)) for label, found in matches.items())


def test_a_word_with_several_tags_is_found_the_same_context_first():
    sentences = [
        sentence("they light a fire", "PRON VERB DET NOUN"),
        sentence("we light a fire", "PRON NOUN DET NOUN"),  # other words before, so that 'light' is less likely wrong
        sentence("they fire a light", "PRON VERB DET NOUN"),
        sentence("you fire a gun", "PRON VERB DET NOUN"),
        sentence("you fire a boss", "PRON NOUN DET NOUN"),
    ]
    found = consistency.find_inconsistencies(sentences, ["upos"])
    assert found == [
        Inconsistency("upos", ("fire",), (("NOUN", 3), ("VERB", 2)), alike=True),
        Inconsistency("upos", ("light",), (("NOUN", 2), ("VERB", 1))),
    ]
    assert [places(sentences, one) for one in found] == [one.labels for one in found]


def test_two_words_with_several_relations_are_found():
    sentences = [
        sentence("give her food", heads=(0, 1, 1), deprels="root iobj obj"),
        sentence("give her food now", heads=(0, 1, 1, 1), deprels="root obj obj advmod"),
        sentence("food is what you give her", heads=(0, 1, 1, 5, 3, 5), deprels="root cop nsubj nsubj acl obl"),
    ]
    (found,) = consistency.find_inconsistencies(sentences, ["deprels"])
    assert (found.column, found.words, found.alike) == ("deprels", ("give", "her"), True)
    assert dict(found.labels) == dict(places(sentences, found)) == {"iobj": 1, "obj": 1, "obl": 1}


@pytest.mark.parametrize(
    ("column", "several"),
    [
        ("lemmas", {"see": 1, "saw": 1}),
        ("xpos", {"VBD": 1, "VB": 1}),
        ("feats", {"Tense=Past|VerbForm=Fin": 1, "VerbForm=Fin": 1, "": 1}),
        ("feats", {"Tense-own[a-b]=Past": 1, "Tense=Past": 1}),
    ],
)
def test_a_word_with_several_lemmas_features_or_language_specific_tags_is_found_within_its_tag(column, several):
    sentences = [
        sentence("he saw it", "PRON VERB PRON").annotated(**{column: ("PRP", value, "PRP")}) for value in several
    ]
    sentences.append(sentence("it saw he", "PRON NOUN PRON").annotated(**{column: ("PRP", "x", "PRP")}))
    (found,) = [one for one in consistency.find_inconsistencies(sentences, ["upos", column]) if one.column == column]
    assert (found.words, dict(found.labels)) == (("saw", "VERB"), several)
    assert dict(places(sentences, found)) == several


def test_a_finding_names_the_first_place_of_its_rarest_label_also_where_no_pattern_can_find_it():
    labels = [("x:1", "S-PER", "A-b=1"), ("x:4", "S-PER", "A-b=1"), ("x:7", "S-LOC", "A-b=2"), ("x:9", "O", "A-b=1")]
    sentences = [sentence("Ana", "X", entities=tag).annotated(feats=(feats,), where=at) for at, tag, feats in labels]
    found = consistency.find_inconsistencies(sentences, ["entities", "feats"])
    assert {one.column: one.where for one in found} == {"feats": "x:7", "entities": "x:9"}


def test_a_name_that_is_an_entity_here_and_none_there_is_found_but_not_inside_a_longer_one():
    sentences = [
        sentence("New York is big", entities="B-LOC I-LOC O O"),
        sentence("in New York", entities="O O O"),
        sentence("the New York Times", entities="O B-ORG I-ORG I-ORG"),
        sentence("a New York Harbor", entities="O B-LOC I-LOC I-LOC"),
        sentence("in New York again", entities="_ _ _ _"),
    ]
    (found,) = consistency.find_inconsistencies(sentences, ["entities"])
    assert (found.words, dict(found.labels)) == (("New", "York"), {"LOC": 1, "O": 1})
    assert dict(places(sentences, found)) == dict(found.labels)


def test_a_long_name_has_a_pattern_and_what_is_not_annotated_is_not_counted():
    for length in (7, 8):
        name = " ".join(f"w{number}" for number in range(length))
        tags = " ".join(["B-ORG", *["I-ORG"] * (length - 1)])
        sentences = [sentence(name, entities=tags), sentence(name, entities=" ".join("O" * length))]
        (found,) = consistency.find_inconsistencies(sentences, ["entities"])
        assert places(sentences, found) == found.labels
    sentences = [sentence("a b", "NOUN _"), sentence("b a", "_ _"), sentence("a", "NOUN")]
    assert consistency.find_inconsistencies(sentences, ["upos", "deprels", "entities", "lemmas"]) == []


@pytest.mark.parametrize(("words", "rare"), [(MIN_COLUMN_COUNT - 1, []), (MIN_COLUMN_COUNT, [("X", 1)])])
def test_a_label_is_rare_among_many(words, rare):
    forms = " ".join(f"w{number}" for number in range(words))
    sentences = [sentence(forms, " ".join(["NOUN"] * (words - 1) + ["X"]))]
    found = consistency.find_inconsistencies(sentences, ["upos"])
    assert [label for one in found for label in one.labels] == rare
    assert all(places(sentences, one) == one.labels for one in found)


def test_rare_relations_and_entities_and_words_with_quotes_and_backslashes_have_patterns():
    sentences = [sentence("a b", "X X", (0, 1), "root foo:bar", "O B-DATE")]
    for column, label in (("deprels", "foo:bar"), ("entities", "DATE")):
        assert places(sentences, Inconsistency(column, (), ((label, 1),))) == ((label, 1),)
    sentences = [sentence('" \\ "', "PUNCT SYM X"), sentence("\\", "X")]
    found = consistency.find_inconsistencies(sentences, ["upos"])
    assert {one.words for one in found} == {('"',), ("\\",)}
    assert [dict(places(sentences, one)) for one in found] == [dict(one.labels) for one in found]
