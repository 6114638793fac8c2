import pytest
from desk import new_project

from annotate.editing import content
from annotate.quality import adjudication, gold
from fewshot.corpora.formats import conllu
from fewshot.corpora.tokenization.repair import retokenized
from fewshot.errors import FewshotError

FILE = """# sent_id = s1
1\tAna\t_\tPROPN\t_\t_\t2\tnsubj\t2:nsubj|4:nsubj\t_
2\tcanta\t_\tVERB\t_\t_\t0\troot\t0:root\t_
3\ty\t_\tCCONJ\t_\t_\t4\tcc\t4:cc\t_
4\tbaila\t_\tVERB\t_\t_\t2\tconj\t2:conj:y\t_
4.1\tella\t_\tPRON\t_\t_\t_\t_\t4:nsubj\t_

"""
TREE = {"heads": [2, 0, 4, 2], "deprels": ["nsubj", "root", "cc", "conj"]}
OTHER = {"heads": [4, 4, 4, 0], "deprels": ["nsubj", "ccomp", "cc", "root"]}
STAYS = OTHER | {"heads": [2, 4, 4, 0]}


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "ana.conllu"
    path.write_text(FILE, encoding="utf-8")
    return path


@pytest.fixture
def project(store, path):
    return new_project(store, conllu.read(path), "dep")


@pytest.fixture
def items(desk):
    return desk.draw((0, "dep", "ana"), (0, "dep", "ben"))


def exported(desk):
    lines = desk.export(who="ana", part="all").read_text().splitlines()
    return {line.split("\t")[0]: line.split("\t")[8] for line in lines if "\t" in line}


def warned(desk, item):
    return [problem["message"] for problem in desk.show(item)["problems"] if "enhanced" in problem["message"]]


def test_a_changed_tree_takes_its_arcs_along_warns_of_those_that_stay_or_miss_and_refuses_wrong_ones(desk, items):
    item, _ = items
    desk.send(item, TREE)
    assert exported(desk)["1"] == "2:nsubj|4:nsubj" and not warned(desk, item)
    desk.send(item, OTHER)
    assert exported(desk) == {"1": "4:nsubj", "2": "4:ccomp", "3": "4:cc", "4": "0:root", "4.1": "4:nsubj"}
    desk.send(item, TREE | {"deprels": ["nsubj", "root", "cc", "parataxis"]})
    assert exported(desk)["4"] == "2:parataxis:y"
    assert "is still enhanced 'parataxis:y', as when it was 'conj'" in warned(desk, item)[1]
    desk.send(item, STAYS)
    assert exported(desk)["1"] == "2:nsubj|4:nsubj"
    assert warned(desk, item) == [
        "'Ana' (word 1) is still enhanced 'nsubj' of 'baila', as before 'baila' was attached otherwise; "
        "check that this is meant"
    ]
    desk.send(item, STAYS | {"deps": ["=", None, None, None]})
    assert exported(desk)["1"] == "2:nsubj" and not warned(desk, item)
    desk.send(item, TREE | {"deps": ["4.1:nsubj", None, None, "4.1:conj"]})
    assert warned(desk, item) == ["no enhanced dependencies lead from the root to 'Ana' (1); give it some"]
    with pytest.raises(FewshotError, match="the head of '5:x' is not a word or empty node"):
        desk.send(item, TREE | {"deps": ["5:x", None, None, None]})


def test_editors_get_arcs_and_nodes_of_the_file_unless_gold_is_hidden(new_desk, desk, items, tmp_path):
    shown = desk.show(items[0])["example"]
    assert shown["deps"] == ["=|4:nsubj", "=", "=", "=:y"]
    assert shown["nodes"] == ["_", "_", "_", "4.1\tella\t_\tPRON\t_\t_\t_\t_\t4:nsubj\t_"]
    sentences = conllu.read(tmp_path / "ana.conllu")
    hidden = new_desk(sentences, "dep", hides_gold=True)
    (item,) = hidden.draw((0, "dep", "ana"))
    hidden.send(item, STAYS)
    shown = hidden.show(item)["example"]
    assert shown["deps"] == shown["nodes"] == ["_"] * 4
    assert not warned(hidden, item)


def test_an_imported_file_brings_its_own_arcs(desk, items, path):
    changed = FILE.replace("2:nsubj|4:nsubj", "2:nsubj|4.1:nsubj").replace("4\tcc\t4:cc", "2\tcc\t2:cc")
    path.write_text(changed, encoding="utf-8")
    desk.take(path)
    assert desk.latest(items[0])["deps"] == ["=|4.1:nsubj", None, None, None]
    assert desk.export(who="ana", part="all").read_text() == changed


def test_people_differ_only_in_arcs_that_are_not_as_before(store, desk, items):
    desk.send(items[0], TREE | {"deps": [None] * 4})
    desk.send(items[1], TREE)
    assert not gold.gold(store, desk.project, "dep").open
    desk.send(items[0], TREE | {"deps": ["=", None, None, None]})
    (case,) = adjudication.cases(store, desk.project, "dep")
    assert case.differ
    first, second = (version.revision.annotation for version in case.versions)
    assert adjudication.merged(second, first)["deps"] == ["=", None, None, None]


def node(id, form, deps):
    return "\t".join((id, form, *"______", deps, "_"))


def test_empty_nodes_are_made_changed_and_deleted_with_their_arcs(desk, items):
    item, _ = items
    made = [
        node("0.1", "Y", "2:cc"),
        None,
        None,
        f"{node('4.1', 'ella', '4:nsubj')}\n{node('4.2', 've', '2:conj|4.1:x')}",
    ]
    desk.send(item, TREE | {"nodes": made, "deps": [None, None, None, "=|4.2:obj"]})
    assert exported(desk) == {
        "0.1": "2:cc", "1": "2:nsubj|4:nsubj", "2": "0:root", "3": "4:cc", "4": "2:conj|4.2:obj", "4.1": "4:nsubj",
        "4.2": "2:conj|4.1:x",
    }  # fmt: skip
    desk.send(item, TREE | {"nodes": [None, None, None, "_"]})
    assert exported(desk) == {"1": "2:nsubj|4:nsubj", "2": "0:root", "3": "4:cc", "4": "2:conj:y"}
    split = {"words": ["Ana", "canta", "y", "bai", "la"], "ranges": [], "upos": [*[None] * 4, "PRON"]}
    tree = {"heads": [2, 0, 4, 2, 4], "deprels": [*TREE["deprels"], "obj"]}
    desk.send(item, split | tree | {"nodes": [node("0.1", "Y", "2:cc"), *[None] * 4]})
    assert exported(desk)["0.1"] == "2:cc" and exported(desk)["5.1"] == "4:nsubj"
    assert not warned(desk, item)


def test_of_two_people_one_deletes_the_node_at_which_an_arc_of_the_other_begins(store, desk, items):
    desk.send(items[0], TREE | {"nodes": [None, None, None, "_"]})
    desk.send(items[1], TREE | {"deps": [None, None, "=|4.1:x", None]})
    (case,) = adjudication.cases(store, desk.project, "dep")
    first, second = (version.revision.annotation for version in case.versions)
    for both in (adjudication.merged(first, second), adjudication.merged(second, first)):
        assert (both["nodes"], both.get("deps")) == ([None, None, None, "_"], None)  # of whom has other nodes
    (example,) = (content.from_json(row.content) for row in store.examples(desk.project.id))
    mixed = TREE | {"nodes": [None, None, None, "_"], "deps": [None, None, "=|4.1:x", None]}
    written = conllu.to_text(content.annotated("dep", example, mixed))
    assert "4.1" not in written and "\t2\tconj\t" in written
    with pytest.raises(FewshotError, match=r"the head of '4\.1:x' is not a word or empty node"):
        desk.send(items[1], mixed)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("4.1\tella", "2 tab-separated columns"),
        (node("3.1", "ella", "4:nsubj"), "empty node 3.1 must stand behind word 3"),
        (node("4.2", "ella", "4:nsubj") + "\n" + node("4.1", "so", "4:nsubj"), "empty node 4.1 behind 4.2"),
        (node("4", "ella", "4:nsubj"), "'4' is not the id of an empty node"),
        (node("4.1", "ella", "5.1:nsubj"), "the head of '5.1:nsubj' is not a word or empty node"),
        (node("4.1", "el\rla", "4:nsubj"), "an empty node with a line end in it"),
        (node("4.1", "ella", "="), "the arcs '=' of empty node 4.1; write head:relation"),
        (node("4.1", "ella", "4.1:nsubj"), "the arcs '4.1:nsubj' of empty node 4.1"),
        ("4.1\tella\t_\t_\t_\t_\t2\tobj\t4:nsubj\t_", "empty node 4.1 has a HEAD or DEPREL"),
        ("\n".join(node(f"4.{n}", "x", "4:x") for n in range(1, 202)), "201 empty nodes in a sentence; give it 200"),
    ],
)
def test_lines_that_are_no_empty_nodes_of_their_word_are_refused(desk, items, value, said):
    with pytest.raises(FewshotError, match=said):
        desk.send(items[0], TREE | {"nodes": [None, None, None, value]})


def test_a_sentence_that_has_arcs_only_of_a_new_node_gets_those_of_its_tree(new_desk, tmp_path):
    path = tmp_path / "plain.conllu"
    rows = (line.split("\t") for line in FILE.splitlines() if line[:1].isdigit() and not line.startswith("4.1"))
    path.write_text("\n".join("\t".join((*row[:8], "_", "_")) for row in rows) + "\n\n", encoding="utf-8")
    plain = new_desk(conllu.read(path), "dep")
    (item,) = plain.draw((0, "dep", "ana"))
    plain.send(item, TREE | {"nodes": [None, None, None, node("4.1", "ella", "4:nsubj")]})
    assert exported(plain) == {"1": "2:nsubj", "2": "0:root", "3": "4:cc", "4": "2:conj", "4.1": "4:nsubj"}


def test_a_file_with_other_empty_nodes_brings_them_and_their_arcs(desk, items, path):
    changed = FILE.replace("2:nsubj|4:nsubj", "2:nsubj|4.2:nsubj").replace(
        "\n\n", f"\n{node('4.2', 've', '2:conj')}\n\n"
    )
    path.write_text(changed, encoding="utf-8")
    imported = desk.take(path)
    assert imported.saved == 1 and not imported.problems
    assert desk.export(who="ana", part="all").read_text(encoding="utf-8") == changed
    path.write_text(changed.replace("4.2:nsubj", "4.3:nsubj"), encoding="utf-8")
    assert "'4.3:nsubj'" in desk.take(path).problems[0].message
    assert desk.show(items[0])["annotation"]["heads"] == TREE["heads"]


def test_a_file_with_a_node_that_cannot_be_is_imported_without_it(desk, items, path):
    changed = FILE.replace("2:nsubj|4:nsubj", "2:nsubj|4.2:nsubj")
    path.write_text(changed.replace("\n\n", f"\n{node('4.2', 've', '9:conj')}\n\n"), encoding="utf-8")
    imported = desk.take(path)
    assert imported.saved == 1 and "'9:conj'" in imported.problems[0].message
    path.write_text("".join(line for line in FILE.splitlines(keepends=True) if not line.startswith("4.1")), "utf-8")
    desk.take(path)
    assert "4.1" not in exported(desk)


def test_nodes_before_and_after_the_first_word_stay_when_it_is_split(path):
    lines = f"{node('0.1', 'Y', '2:cc')}\n{node('1.1', 've', '2:conj')}"
    made = content.annotated("dep", conllu.read(path)[0], TREE | {"nodes": [lines, None, None, None]})
    split = retokenized(made, ["A", "na", "canta", "y", "baila"], [])
    assert split.nodes == (node("0.1", "Y", "3:cc"), node("2.1", "ve", "3:conj"), None, None, None)
