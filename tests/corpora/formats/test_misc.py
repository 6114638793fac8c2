import pytest

from fewshot.corpora import patterns
from fewshot.corpora.documents import misc
from fewshot.corpora.formats import conllu
from fewshot.corpora.formats.common.interlinear import interlinear
from fewshot.corpora.patterns import Deadline
from fewshot.corpora.tokenization.repair import retokenized

FILE = """# sent_id = s1
# text = vamos al mar.
1\tvamos\t_\t_\t_\t_\t_\t_\t_\tGloss=we.go|Bare
2-3\tal\t_\t_\t_\t_\t_\t_\t_\tGloss=to.the
2\ta\t_\t_\t_\t_\t_\t_\t_\tGloss=to
3\tel\t_\t_\t_\t_\t_\t_\t_\t_
4\tmar\t_\t_\t_\t_\t_\t_\t_\tNER=B-LOC|Gloss=sea|SpaceAfter=No
5\t.\t_\t_\t_\t_\t_\t_\t_\t_

"""


@pytest.fixture
def sentence(parse):
    return parse(FILE)[0]


def test_what_follows_from_the_text_and_from_entities_stays_where_people_change_the_rest():
    assert misc.editable("NER=B-LOC|Gloss=sea|SpaceAfter=No|Source=model") == "Gloss=sea"
    changed = misc.replace_editable("NER=B-LOC|Gloss=sea|SpaceAfter=No", "Gloss=lake|LId=2")
    assert changed == "Gloss=lake|LId=2|NER=B-LOC|SpaceAfter=No"
    assert misc.replace_editable("SpaceAfter=No|Gloss=sea", "_") == "SpaceAfter=No"
    assert misc.replace_editable("SpaceAfter=No|Gloss=sea", "Gloss=sea") == "SpaceAfter=No|Gloss=sea"


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("Gloss=sea|SpaceAfter=No", "'SpaceAfter=No' follows from the text"),
        ("Gloss=a|Gloss=b", "Gloss twice"),
        ("Gloss=a||LId=b", "an item without a key"),
        ("=a", "an item without a key"),
        ("Gloss= a", "a space around it"),
        ("Own=a|Own=b|Bare", ""),
        ("_", ""),
    ],
)  # fmt: skip
def test_what_cannot_stand_in_misc_is_named(value, said):
    assert said in misc.fault(value) and bool(misc.fault(value)) == bool(said)


def test_a_changed_word_is_written_found_and_carried_along_and_the_rest_stays_as_it_is(sentence):
    changed = sentence.annotated(misc=(None, None, "Gloss=the", "Gloss=beach", None))
    expected = FILE.replace("el\t_\t_\t_\t_\t_\t_\t_\t_", "el\t_\t_\t_\t_\t_\t_\t_\tGloss=the").replace(
        "NER=B-LOC|Gloss=sea|SpaceAfter=No", "Gloss=beach|NER=B-LOC|SpaceAfter=No"
    )
    assert conllu.to_text(changed) == expected
    assert [word.get("Gloss") for word in interlinear(changed).words] == ["we.go", "to", "the", "beach", None]
    for gloss, found in (("beach", [{"X": 4}]), ("sea", [])):
        find = patterns.matches(patterns.parse(f'pattern {{ X [Gloss="{gloss}"] }}'), Deadline(60))
        assert find(changed, 9) == found
    merged = retokenized(changed, ("vamos", "al", "mar", "."), [])
    assert merged.misc == (None, "Gloss=to", "Gloss=beach", None)
    assert conllu.to_model(merged).words[1].misc.text == "Gloss=to"
