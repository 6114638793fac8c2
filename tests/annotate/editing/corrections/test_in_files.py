"""Corrections in exported and imported files."""

import pytest
from corrections import AUX, FILE, MORE, TAGS, TREE, VERB

from annotate.quality import gold
from annotate.search.settings import Setting


def test_an_export_of_trees_alone_has_the_tags_of_the_whole_export_where_a_tree_corrects(both):
    desk, tags, tree = both

    def trees(*names, **options):
        """Return an export of everybody, which is that of ana."""
        everybody, anas = (desk.export(*names, who=who, **options).read_text() for who in (None, "ana"))
        assert everybody == anas
        return anas

    desk.send(tree, TREE | VERB | {"xpos": MORE["xpos"]})
    desk.send(tags, {"upos": ["X", "AUX", "ADP", "DET", "NOUN"]}, done=False)
    assert "1\tAna\tAna\tPROPN\tNP\t_\t2\tnsubj" in trees("dep")
    assert "2\tva\tir\tVERB\tVMI" in trees("dep")
    assert "2\tva\tir\tAUX\tVMI" in trees("dep", as_it_is=True)
    desk.send(tags, {"upos": ["X", "AUX", "ADP", "DET", "NOUN"]})
    assert "2\tva\tir\tAUX\tVMI" in trees()
    assert "1\tAna\tAna\tPROPN" in trees("dep") and "2\tva\tir\tAUX\tVMI" in trees("dep")


@pytest.mark.parametrize("tags_done", [False, True])
@pytest.mark.parametrize("tree_done", [False, True])
def test_an_export_as_it_is_has_the_newest_value_of_a_corrected_word(both, tags_done, tree_done):
    desk, tags, tree = both

    def has(tag):
        """Return whether every export has a tag: of everybody and of ana, of both tasks and of each."""
        wanted = ((who, names) for who in (None, "ana") for names in ((), ("pos",), ("dep",)))
        return all(f"\t{tag}\t" in desk.export(*names, who=who, as_it_is=True).read_text() for who, names in wanted)

    desk.send(tags, AUX, done=tags_done)
    desk.send(tree, TREE | VERB, done=tree_done)
    assert has("VERB")
    desk.send(tags, AUX, done=tags_done)
    assert has("AUX")


def test_an_export_as_it_is_has_a_correction_of_a_word_whose_begun_tag_is_open(both):
    desk, tags, tree = both
    desk.send(tree, TREE | VERB)
    desk.send(tags, {"upos": ["X", "_", "_", "_", "_"]}, done=False)
    assert "2\tva\tir\tVERB" in desk.export(as_it_is=True).read_text()


def test_a_tree_never_corrects_the_decision_of_a_curator_in_an_export_of_trees_alone_or_as_it_is(new_desk, sentences):
    desk = new_desk(sentences, "pos", "dep")
    *tags, tree = desk.draw((0, "pos", "ana"), (0, "pos", "ben"), (0, "dep", "ana"))
    for item, made in zip(tags, (TAGS, AUX), strict=True):
        desk.send(item, made)
    desk.decide("pos", AUX)
    desk.send(tree, TREE | VERB, done=False)
    assert "2\tva\tir\tAUX" in desk.export(as_it_is=True).read_text()
    desk.send(tree, TREE | VERB)
    for names in ((), ("dep",)):
        assert "2\tva\tir\tAUX" in desk.export(*names).read_text()


def test_an_export_as_it_is_comes_back_with_its_corrections(desk, item):
    desk.send(item, TREE | MORE, done=False)
    text = desk.export(part="all", as_it_is=True).read_text()
    (bens,) = desk.draw((0, "dep", "ben"))
    desk.take(text, who="ben")
    assert desk.latest(bens) == TREE | MORE | {"feats": [None, "Mood=Ind", "Foreign=Yes", None, None]}
    assert desk.status(bens) == "open"


def test_a_word_without_values_in_an_imported_file_keeps_its_own(store, desk, item):
    (bens,) = desk.draw((0, "dep", "ben"))
    blank = FILE.replace("va\tva\tNOUN\tNN", "va\t_\t_\t_").replace("mar\tmar\tNOUN\tNN", "mar\tmar\tPROPN\tNN")
    desk.take(blank)
    assert desk.latest(item) == TREE | {"upos": [*[None] * 4, "PROPN"]}
    desk.send(bens, desk.latest(item))
    assert not gold.gold(store, desk.project, "dep").open


def test_tags_of_a_model_in_an_imported_file_correct_nothing(new_desk, sentences):
    desk = new_desk(sentences, "dep")
    item, second = desk.draw((0, "dep", "ana"), (1, "dep", "ana"))
    own = {"heads": [0, 1], "deprels": ["root", "punct"], "upos": ["ADJ", None]}
    desk.send(second, own)
    text = FILE.replace("va\tva\tNOUN", "va\tva\tVERB").replace("قرأ\tNOUN", "قرأ\tX")
    desk.take(text.replace("# sent_id = s2", "# sent_id = s2\n# predicted = UPOS"))
    assert desk.latest(item) == TREE | {"upos": VERB["upos"]}
    assert desk.latest(second) == own


def test_a_bulk_change_of_relations_keeps_corrections(desk, item):
    desk.send(item, TREE | VERB)
    assert desk.change(desk.find('pattern { X [form="mar"] }'), Setting("X", "deprels", "obj")).changed == 1
    assert desk.latest(item) == TREE | VERB | {"deprels": ["nsubj", "root", "case", "det", "obj"]}
