import json
from itertools import accumulate, pairwise

import pytest
from corpora import official
from corpora.trees import cut, is_forest, letters, recuts, treebank_lines
from hypothesis import given
from hypothesis import strategies as st
from serving import ROOT

from fewshot.corpora.documents.alignment import aligned, blocks
from fewshot.corpora.documents.cells import pairs
from fewshot.corpora.formats import conllu
from fewshot.corpora.tokenization.repair import retokenized
from fewshot.corpora.types import Sentence, ranges_of
from fewshot.errors import CorpusError

SEA = """# newdoc
# sent_id = a1
# text = vámonos al mar azul.
# text_en = let us go to the blue sea
1-2\tvámonos\t_\t_\t_\t_\t_\t_\t_\tTranslit=vamonos
1\tvamos\tir\tVERB\t_\tMood=Imp\t0\troot\t0:root\tA=1|A=2|NER=O
2\tnos\tnosotros\tPRON\t_\t_\t1\tobj\t1:obj|2.1:nsubj\tNER=O
2.1\tya\tya\tADV\t_\t_\t_\t_\t1:conj\t_
3-4\tal\t_\t_\t_\t_\t_\t_\t_\t_
3\ta\ta\tADP\tIN\t_\t5\tcase\t5:case\tNER=O
4\tel\tel\tDET\tDT\tGender=Masc\t5\tdet\t5:det\tNER=O
5\tmar\tmar\tNOUN\t_\t_\t1\tobl\t1:obl:a\tNER=B-LOC|Gloss=sea
6\tazul\tazul\tADJ\t_\t_\t5\tamod\t5:amod\tNER=I-LOC|SpaceAfter=No
7\t.\t.\tPUNCT\t_\t_\t1\tpunct\t1:punct\tNER=O

"""
WORDS = ("vamos", "nos", "a", "el", "mar", "azul", ".")
RANGES = [(1, 2, "vámonos"), (3, 4, "al")]


def read_one(text, path):
    path.write_bytes(text.encode())
    return conllu.read(path)[0]


def metadata(sentence):
    return conllu.to_model(sentence).metadata


def misc_of(sentence):
    return [word.misc.text for word in conllu.to_model(sentence).words]


@pytest.fixture
def sea(parse):
    return parse(SEA)[0]


def body(sentence):
    return [line.rstrip("\n").split("\t") for line in sentence.lines if line.strip() and line[0] != "#"]


def cells(text):
    return text.split()


def row(sentence, name):
    return next(columns for columns in body(sentence) if columns[0] == name)


def test_what_editors_show_is_read_from_the_lines(sea):
    assert ranges_of(sea) == RANGES
    assert metadata(sea) == {"sent_id": "a1", "text": "vámonos al mar azul.", "text_en": "let us go to the blue sea"}
    assert pairs(misc_of(sea)[4]) == {"NER": "B-LOC", "Gloss": "sea"}
    made = Sentence("n", "a b", ("a", "b"))
    assert (ranges_of(made), metadata(made)["text"], misc_of(made)) == ([], "a b", ["_", "_"])


def test_a_split_word_leaves_its_annotation_with_the_first_part_and_the_rest_open_but_for_entities(sea):
    assert retokenized(sea, WORDS, RANGES) is sea
    split = retokenized(sea, ("vamos", "nos", "a", "el", "m", "ar", "azul", "."), RANGES)
    assert split.upos == ("VERB", "PRON", "ADP", "DET", "NOUN", "_", "ADJ", "PUNCT")
    assert split.heads == (0, 1, 5, 5, 1, -1, 5, 1)
    assert split.deprels == ("root", "obj", "case", "det", "obl", "_", "amod", "punct")
    assert split.entities == ("O", "O", "O", "O", "B-LOC", "I-LOC", "I-LOC", "O")
    assert row(split, "5") == cells("5 m _ NOUN _ _ 1 obl 1:obl:a NER=B-LOC|Gloss=sea|SpaceAfter=No")
    assert row(split, "6") == cells("6 ar _ _ _ _ _ _ _ NER=I-LOC")
    assert row(split, "7") == cells("7 azul azul ADJ _ _ 5 amod 5:amod NER=I-LOC|SpaceAfter=No")


def test_merged_words_keep_the_annotation_of_the_part_whose_head_is_outside(sea):
    merged = retokenized(sea, ("vamos", "nos", "a", "el", "mar azul", "."), RANGES)
    assert merged.heads == (0, 1, 5, 5, 1, 1)
    rest = "_ NOUN _ _ 1 obl 1:obl:a NER=B-LOC|Gloss=sea|SpaceAfter=No"
    assert row(merged, "5") == ["5", "mar azul", *rest.split()]
    again = retokenized(merged, WORDS, RANGES)
    assert [columns[0] for columns in body(again) if "SpaceAfter=No" in columns[9]] == ["6"]  # that of the text
    upwards = sea.annotated(heads=(0, 1, 6, 6, 6, 1, 1), deprels=("root", "obj", "case", "det", "amod", "obl", "punct"))
    other = retokenized(upwards, ("vamos", "nos", "a", "el", "mar azul", "."), RANGES)
    assert (other.upos[4], pairs(misc_of(other)[4])) == ("ADJ", {"NER": "B-LOC", "Gloss": "sea", "SpaceAfter": "No"})


def test_a_word_that_becomes_a_multiword_token_need_not_be_made_of_its_words(sea):
    single = retokenized(sea, ("vamos", "nos", "al", "mar", "azul", "."), RANGES[:1])
    assert [columns[0] for columns in body(single)] == ["1-2", "1", "2", "2.1", "3", "4", "5", "6"]
    assert row(single, "3") == ["3", "al", "_", "ADP", "IN", "_", "4", "case", "4:case|4:det", "NER=O"]
    again = retokenized(single, WORDS, RANGES)
    assert ranges_of(again) == RANGES
    assert again.heads == (0, 1, 5, -1, 1, 5, 1)
    assert row(again, "3")[3:6] == ["ADP", "_", "_"]  # XPOS and features were those of the whole
    assert [columns[1] for columns in body(again)] == [columns[1] for columns in body(sea)]


def test_a_multiword_token_can_be_made_and_removed_without_touching_words(sea):
    without = retokenized(sea, WORDS, RANGES[1:])
    assert without.content == sea.content
    assert row(without, "1")[9] == "A=1|A=2|NER=O|SpaceAfter=No"
    made = retokenized(without, WORDS, RANGES)
    assert body(made)[1:] == body(sea)[1:]
    assert body(made)[0] == ["1-2", "vámonos", *"________"]


def test_empty_nodes_and_multiword_tokens_move_with_their_words(sea):
    earlier = retokenized(sea, ("va", "mos", *WORDS[1:]), [(1, 3, "vámonos"), (4, 5, "al")])
    assert row(earlier, "1-3") == cells("1-3 vámonos _ _ _ _ _ _ _ Translit=vamonos")
    assert row(earlier, "3.1") == cells("3.1 ya ya ADV _ _ _ _ 1:conj _")
    assert row(earlier, "3")[8] == "1:obj|3.1:nsubj"
    longer = retokenized(sea, ("vamos", "no", "s", *WORDS[2:]), [(1, 3, "vámonos"), (4, 5, "al")])
    assert [columns[0] for columns in body(longer)][:6] == ["1-3", "1", "2", "3", "3.1", "4-5"]
    merged = retokenized(sea, ("vamos", "nosa", "el", "mar", "azul", "."), [])
    assert row(merged, "2.1")[1] == "ya"
    assert row(merged, "2")[8] == "1:obj|2.1:nsubj|4:case"


def test_comments_line_ends_and_what_follows_stay(parse):
    (windows,) = parse("\ufeff" + SEA.replace("\n", "\r\n") + "\r\n# end\r\n")
    merged = retokenized(windows, ("vamos", "nos", "a", "el", "mar", "azul."), RANGES)
    assert merged.lines[:4] == windows.lines[:4]
    assert merged.lines[-3:] == ("\r\n", "\r\n", "# end\r\n")
    assert all(line.endswith("\r\n") for line in merged.lines)


def test_a_boundary_that_moves_costs_no_annotation_also_where_a_file_gives_no_text_or_no_lines(sea, parse):
    moved = retokenized(sea, ("vamos", "nos", "a", "el", "mara", "zul", "."), RANGES)
    assert moved.content[1:] == sea.content[1:]
    (bare,) = parse(SEA.replace("# text = vámonos al mar azul.\n", ""))
    words = ("vamos", "nos", "a", "el", "m", "ar", "azul", ".")
    assert bare.text == sea.text
    assert body(retokenized(bare, words, RANGES)) == body(retokenized(sea, words, RANGES))
    made = Sentence("n", "don't stop", ("don't", "stop"), upos=("AUX", "VERB"), heads=(2, 0), deprels=("aux", "root"))
    split = retokenized(made, ("do", "n't", "stop"), [])
    assert metadata(split) == {"sent_id": "n", "text": "don't stop"}
    assert [columns[9] for columns in body(split)] == ["SpaceAfter=No", "_", "_"]


def test_a_head_that_would_close_a_cycle_becomes_open():
    made = Sentence("n", "a b c", ("a", "b", "c"), heads=(-1, 3, 1), deprels=("_", "obj", "obj"))
    merged = retokenized(made, ("ab", "c"), [])
    assert (merged.heads, merged.deprels) == ((-1, 1), ("_", "obj"))


@pytest.mark.parametrize(
    ("words", "ranges", "problem"),
    [
        ((), [], "a1: a sentence without words"),
        (("vamos", " "), [], "' ' is not a word"),
        (("va\tmos",), [], "is not a word"),
        (WORDS, [(1, 1, "vamos")], "'vamos' is words 1-1 of 7; it must be two words or more"),
        (WORDS, [(1, 3, "x"), (3, 4, "al")], "'al' is words 3-4"),
        (WORDS, [(6, 8, "x")], "'x' is words 6-8 of 7"),
    ],
)
def test_bad_input_is_named(sea, words, ranges, problem):
    with pytest.raises(CorpusError, match=problem):
        retokenized(Sentence("a1", sea.text, sea.words), words, ranges)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("trees") / "x.conllu"


@given(st.data())
def test_any_other_words_keep_heads_legal_and_survive_a_file(path, data):
    sentence = read_one(data.draw(treebank_lines()), path)
    if data.draw(st.booleans()):
        heads = [-1 if data.draw(st.booleans()) else head for head in sentence.heads]
        sentence = sentence.annotated(heads=tuple(heads))
    words, ranges = data.draw(recuts(sentence.words))
    new = retokenized(sentence, words, ranges)
    assert list(new.words) == words
    assert ranges_of(new) == ranges
    assert new.text == sentence.text
    assert is_forest(new.heads)
    assert sum(head == 0 for head in new.heads) == sum(head == 0 for head in sentence.heads)
    conllu.write([new], path)
    (again,) = conllu.read(path)
    assert again == new
    assert new is sentence or again.lines == new.lines
    nodes = [columns[1] for columns in body(sentence) if "." in columns[0]]
    assert [columns[1] for columns in body(new) if "." in columns[0]] == nodes


@given(st.data())
def test_whole_trees_stay_valid_when_words_are_split_or_merged(path, data):
    sentence = read_one(data.draw(treebank_lines()), path)
    words, ranges, misc = list(sentence.words), ranges_of(sentence), misc_of(sentence)
    inside = {word for first, last, _ in ranges for word in range(first, last + 1)}
    glued = [word for word in range(1, len(words)) if pairs(misc[word - 1]).get("SpaceAfter") == "No"]
    tight = [word for word in glued if not inside & {word, word + 1}]
    long = [word for word in range(1, len(words) + 1) if len(words[word - 1]) > 1]
    if tight and data.draw(st.booleans()):
        w = data.draw(st.sampled_from(tight))
        words[w - 1 : w + 1] = ["".join(words[w - 1 : w + 1])]
        new = retokenized(sentence, words, [(a - (a > w), b - (b > w), form) for a, b, form in ranges])
    elif long and ".1\t" not in "".join(sentence.lines) and sentence.lines[-2].split("\t")[8] == "_":
        w = data.draw(st.sampled_from(long))
        words[w - 1 : w] = cut(words[w - 1], {1})
        new = retokenized(sentence, words, [(a + (a > w), b + (b >= w), form) for a, b, form in ranges])
        new = new.annotated(
            heads=tuple(w if head < 0 else head for head in new.heads),
            deprels=tuple("dep" if relation == "_" else relation for relation in new.deprels),
            upos=tuple("X" if tag == "_" else tag for tag in new.upos),
        )
    else:
        return
    conllu.write([new], path)
    assert official.faults(path) == []


forms = st.lists(letters, min_size=1, max_size=7)


@given(forms, st.data())
def test_words_of_one_text_are_aligned_by_the_characters_they_share(old, data):
    text = "".join(old)
    new = cut(text, data.draw(st.sets(st.integers(1, len(text) - 1)))) if len(text) > 1 else [text]

    def places(words):
        ends = list(accumulate(map(len, words)))
        return [set(range(end - len(word), end)) for word, end in zip(words, ends, strict=True)]

    shared = [[place for place, mine in enumerate(places(old)) if mine & one] for one in places(new)]
    assert aligned(old, new) == shared


@given(forms, forms)
def test_every_word_of_any_two_tokenizations_has_a_partner_and_partners_never_cross(old, new):
    alignment = aligned(old, new)
    assert len(alignment) == len(new)
    assert {word for partners in alignment for word in partners} == set(range(len(old)))
    assert all(partners == list(range(partners[0], partners[-1] + 1)) for partners in alignment)
    assert all(0 <= after[0] - before[-1] <= 1 for before, after in pairwise(alignment))
    runs = list(blocks(alignment))
    assert [word for olds, _ in runs for word in olds] == list(range(len(old)))
    assert [word for _, news in runs for word in news] == list(range(len(new)))


def test_the_library_keeps_of_an_annotation_what_an_editor_keeps():
    """The cases are those of tests/editors/repairs.test.js."""
    for case in json.loads((ROOT / "tests" / "repairs.json").read_text(encoding="utf-8")):
        given, made = case["before"], case["after"]
        columns = {name: given[name] for name in given.keys() - {"words", "ranges"}}
        written = retokenized(Sentence("s", case["text"], tuple(given["words"])), given["words"], given["ranges"])
        repaired = retokenized(written.annotated(**columns), made["words"], made["ranges"])
        assert {name: list(getattr(repaired, name)) for name in columns} == {name: made[name] for name in columns}, case
