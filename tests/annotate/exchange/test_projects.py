from dataclasses import replace

import pytest
import storing
from making import made_up, with_morphology
from storing import made_items

from annotate.editing import content, session
from annotate.exchange import deletion, project_data, projects
from annotate.exchange.exporting import export_annotations
from annotate.exchange.importing import import_annotations
from annotate.quality import gold
from annotate.rounds.draw import candidates
from annotate.worker import files, queue
from fewshot.corpora.formats import conllu
from fewshot.corpora.segmentation import Segmentation
from fewshot.corpora.types import Sentence
from fewshot.errors import FewshotError


@pytest.fixture
def new():
    return projects.settings("Wolof", "wo", ["pos"], k=2)


def find(new, *files, **options):
    return project_data.find([str(file) for file in files], new.lang, new.tasks, **options)


def make(store, new, data, test=0, limits=(None, None), people=("ana",), **options):
    """Make a project; return it and what was taken of the data."""
    taken = project_data.take(data, new.tasks, test, 0, *limits)
    return projects.make(store, new, data, taken, people, suggest=False, **options), taken


def made(store, new, *files, **options):
    return make(store, new, find(new, *files), **options)[0]


def add(store, project, *files):
    data = find(project, *files)
    taken = project_data.more(store, project, data)
    projects.add(store, project, data, taken)
    return taken.intake.count


def texts(store, project, split):
    return [content.from_json(row.content).text for row in store.examples(project.id, split=split)]


def written(sentences, path):
    conllu.write(sentences, path)
    return path


def test_every_task_of_a_project_reads_its_files_and_a_wrong_label_is_named_with_the_line_of_its_word(
    store, new, tmp_path
):
    row = "{}\t{}\t_\t{}\t_\t_\t_\t_\t_\tNER={}\n"
    path = tmp_path / "a.conllu"
    path.write_text(row.format(1, "eins", "X", "PER") + "\n" + row.format(1, "zwei", "X", "O") + "\n")
    both = projects.settings("both", "de", ["pos", "ner"], labels={"ner": ["PER"]}, k=1)
    faults = []
    project, _ = make(store, both, find(both, path, report=faults.append), limits=(1,))
    assert ({one.where for one in faults}, project.pool_size) == ({f"{path}:1"}, 1)
    for task in both.tasks:
        taken = import_annotations(store, project, task, path, "ben")
        assert (taken.saved, taken.unread, [one.where for one in taken.problems]) == (1, 1, [f"{path}:1"])
    path.write_text("# text = aa\n" + row.format(1, "a", "NOUN", "O") + row.format(2, "a", "VREB", "O") + "\n")
    project, taken = make(store, new, find(new, path), limits=(1,))
    assert "a.conllu:3: UPOS 'VREB'" in project_data.faults(taken)[0]
    assert [one.where for one in import_annotations(store, project, "pos", path, "ben").problems] == [f"{path}:3"]


@pytest.mark.parametrize(("annotated", "left"), [(4, 2), (6, 6)])
def test_a_whole_gold_test_set_is_hidden_and_the_rest_of_half_a_one_can_be_drawn(store, new, tmp_path, annotated, left):
    gold = made_up(6, seed=2, shortest=4)
    test = written([*gold[:annotated], *(one.unannotated() for one in gold[annotated:])], tmp_path / "test.conllu")
    (tmp_path / "raw.txt").write_text("one two three\nfour five six\nseven eight nine\n")
    project = make(store, new, find(new, tmp_path / "raw.txt", test=str(test)))[0]
    assert project.hides_gold == (annotated == 6)
    drawn, *others = candidates(store, project, "test")
    assert len(others) == left - 1
    (item,) = made_items(store, project, [(drawn.id, "pos", "ana", True)], purpose="test")
    assert session.open_item(store, project, item).annotation is None


def test_of_an_added_file_only_the_new_is_added_and_finished_sentences_are_continued(store, new, tmp_path):
    first, *rest = made_up(4, seed=1, shortest=8)
    short = Sentence("t", "too short", ("too", "short"))
    file = written([first, *(one.unannotated() for one in (*rest, short))], tmp_path / "a.conllu")
    project = made(store, new, file)
    before = store.latest(store.items(project.id)[0].id)
    more = [*made_up(3, seed=3, shortest=8, name="m"), Sentence("u", "short too", ("short", "too"))]
    both = written([*conllu.read(file), *more], tmp_path / "b.conllu")
    add(store, project, both)
    everything = [one.id for one in export_annotations(store, project, ["pos"], None, "all").examples]
    assert sorted(everything) == sorted(one.id for one in conllu.read(both))
    assert len(texts(store, project, "pool")) == 7
    done = [item for item in store.items(project.id) if item.status == "done"]
    assert len(done) == 4
    assert store.latest(done[0].id) == before


def test_a_text_is_recognized_when_its_words_are_cut_elsewhere(store, new, tmp_path):
    (tmp_path / "a.txt").write_text("".join(f"Mae'r gath {number} yma.\n" for number in range(8)))
    data = find(new, tmp_path / "a.txt", segmentation=Segmentation(clitics="'r"))
    project, _ = make(store, new, data, test=3)
    (tmp_path / "b.txt").write_text((tmp_path / "a.txt").read_text() + "Mae'r ci yno.\n")
    count = add(store, project, tmp_path / "b.txt")
    assert (count.kept, count.repeated, count.in_test) == (1, 5, 3)
    assert len(list(store.examples(project.id))) == 9
    assert "Mae'r ci yno." in texts(store, project, "pool")


def test_limits_of_length_hold_for_the_pool_of_a_folder_and_its_test_set_is_whole(store, new, tmp_path):
    (tmp_path / "wo").mkdir()
    short = [Sentence(f"t{number}", f"one {number}", ("one", str(number))) for number in range(3)]
    written([*made_up(4, seed=1, shortest=8), *short], tmp_path / "wo" / "pool.conllu")
    test = [*made_up(3, seed=2, shortest=8, name="g"), Sentence("g", "one", ("one",))]
    written(test, tmp_path / "wo" / "test.conllu")
    project = made(store, new, tmp_path / "wo", limits=(2, 50))
    assert (project.pool_size, project.test_size) == (7, 4)
    assert project.hides_gold


def test_a_project_whose_first_round_cannot_be_drawn_is_not_made(store, tmp_path):
    file = written(made_up(6, seed=1, shortest=4), tmp_path / "a.conllu")
    none = projects.settings("Wolof", "wo", ["pos"], k=-1)
    with pytest.raises(FewshotError, match="draw at least one"):
        made(store, none, file)
    assert store.projects(archived=None) == []


@pytest.mark.parametrize("large", [{"k": 2**31}, {"seed": 2**63}])
def test_a_number_that_no_backup_could_hold_is_refused(large):
    with pytest.raises(FewshotError, match=r"^(k|seed) is \d+; choose a number of at most \d+$"):
        projects.settings("Wolof", "wo", ["pos"], **large)


def test_a_deletion_takes_models_labelled_files_and_logs_and_nothing_of_another_project(store, new, tmp_path):
    file = written(made_up(6, seed=1, shortest=4), tmp_path / "a.conllu")
    gone, kept = (made(store, replace(new, name=name), file) for name in ("gone", "kept"))
    logs = []
    for project in (gone, kept):
        job = storing.add_job(store, project_id=project.id, kind="train", args={})
        logs.append(queue.log_file(job.id))
        for path in (files.training(project) / "pos-1" / "model", files.labelled(project) / "pos", logs[-1]):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("x")
    assert deletion.holdings(store, gone).endswith("and its models and answers on this machine")
    deletion.delete(store, gone)
    assert not (files.present(gone) or logs[0].exists())
    assert (files.training(kept) / "pos-1" / "model").exists() and files.labelled(kept).exists() and logs[1].exists()
    assert store.projects() == [kept]


def test_two_people_who_make_a_project_of_one_name_at_once_make_one(store, new, tmp_path, monkeypatch):
    file, create = written(made_up(6, seed=1, shortest=4), tmp_path / "a.conllu"), store.create_project

    def create_later(*given, **options):
        monkeypatch.undo()
        made(store, new, file)
        return create(*given, **options)

    monkeypatch.setattr(store, "create_project", create_later)
    with pytest.raises(FewshotError, match="there is a project named 'Wolof' already; choose another name"):
        made(store, new, file)
    (kept,) = store.projects(archived=None)
    assert (kept.name, len(store.items(kept.id)) > 0) == ("Wolof", True)


def test_two_people_who_add_the_same_file_at_once_add_it_once(store, new, tmp_path):
    project = made(store, new, written(made_up(4, seed=1, shortest=4), tmp_path / "a.conllu"))
    data = find(project, written(made_up(3, seed=3, shortest=4, name="m"), tmp_path / "m.conllu"))
    first, second = (project_data.more(store, project, data) for _ in range(2))
    projects.add(store, project, data, first)
    sizes = len(list(store.examples(project.id))), store.project(project.id).pool_size
    with pytest.raises(FewshotError, match="somebody else has added examples in the meantime"):
        projects.add(store, project, data, second)
    assert (len(list(store.examples(project.id))), store.project(project.id).pool_size) == sizes


def test_a_window_that_is_older_than_a_deletion_deletes_no_other_project(store, new, tmp_path):
    file = written(made_up(6, seed=1, shortest=4), tmp_path / "a.conllu")
    gone = made(store, new, file)
    deletion.delete(store, gone)
    later = made(store, replace(new, name="later"), file)
    for _ in range(2):
        with pytest.raises(FewshotError, match="Wolof was deleted already"):
            deletion.delete(store, gone)
    assert (later.id, store.projects()) == (gone.id, [later]), "SQLite gives an id again"


def test_lemmas_and_features_of_a_file_are_continued_whatever_the_order_of_the_tasks(store, tmp_path):
    sentences = [with_morphology(one) for one in made_up(5, seed=1)]
    file = written(sentences, tmp_path / "a.conllu")
    for names in (["dep", "pos+feats+lemma"], ["pos+feats+lemma", "dep"]):
        project = made(store, projects.settings("-".join(names), "wo", names, k=2), file, hides_gold=False)
        item = session.items(store, project, "pos+feats+lemma", "ana")[0]
        annotation = session.open_item(store, project, item).annotation
        assert annotation in [content.annotation_of("pos+feats+lemma", one) for one in sentences]


def test_tags_alone_leave_features_open_and_words_without_features_come_back(store, tmp_path):
    name = "pos+feats"
    new = projects.settings("x", "wo", [name], k=2)

    def finished(project):
        return sorted(one[0].revision.annotation["feats"][0] for one in gold.versions(store, project, name).values())

    project = made(store, new, written(made_up(5, seed=1, shortest=8), tmp_path / "tags.conllu"))
    assert not project.hides_gold and not finished(project)
    for item, feats in zip(session.items(store, project, name, "ana"), ("", "Case=Nom"), strict=True):
        begun = session.open_item(store, project, item).annotation
        assert set(begun["feats"]) == {"_"} and "_" not in begun["upos"]
        annotation = begun | {"feats": [feats, *[""] * (len(begun["feats"]) - 1)]}
        store.save(item.id, "ana", "page", 1, annotation, True, 1.0, 1)
    everything = export_annotations(store, project, [name], None, "all").examples
    again = made(store, replace(new, name="again"), written(everything, tmp_path / "all.conllu"))
    assert (again.pool_size, again.hides_gold) == (5, False)
    assert finished(again) == finished(project) == ["", "Case=Nom"]
    taken = import_annotations(store, project, name, tmp_path / "all.conllu", "ben")
    assert (taken.saved, taken.wrong) == (2, 3)
