"""``fewshot projects``."""

import json
from pathlib import Path

import pytest
import sounds
from making import examples, made_up

from annotate.editing import content
from annotate.exchange import recordings
from annotate.store import Store
from annotate.store.backup import restore
from fewshot import tasks
from fewshot.corpora import formats
from fewshot.corpora.formats import conllu
from fewshot.tasks.dep import RELATIONS


@pytest.fixture
def jobs(monkeypatch):
    """The jobs that commands start, without their processes."""
    started = []
    monkeypatch.setattr("annotate.worker.queue.start", lambda store, project, kind, args: started.append((kind, args)))
    return started


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def wolof(run, jobs):
    """A project of thirty sentences."""
    conllu.write(made_up(30, seed=1, shortest=8), "wolof.conllu")
    done = run(
        "projects", "new", "wolof.conllu", "--lang", "wo", "--task", "dep", "--name", "wolof", "--test-size", "5"
    )
    assert done.exit_code == 0, done.output


def only(store):
    (project,) = store.projects(archived=None)
    return project


def texts(store, project, split=None):
    return [content.from_json(row.content) for row in store.examples(project.id, split=split)]


def test_a_lab_makes_annotates_and_exports_a_project_by_commands_alone(run, store, jobs):
    gold = made_up(40, seed=1, shortest=8)
    for name, some in {"a": gold[:20], "b": gold[20:30], "test": gold[30:]}.items():
        conllu.write(some, f"{name}.conllu")
    made = run(
        *("projects", "new", "a.conllu", "b.conllu", "--lang", "wo", "--task", "pos,dep", "--k", "12"),
        *("--name", "Wolof", "--sampler", "longest", "--test", "test.conllu", "--people", "ana, ben", "--no-suggest"),
    )
    assert made.exit_code == 0, made.output
    assert made.output.splitlines() == ["project 1, Wolof: pool 30 sentences, test set 10", "12 drawn by longest"]
    project = only(store)
    assert (project.lang, project.tasks, project.k, project.sampler) == ("wo", ("pos", "dep"), 12, "longest")
    assert (project.source, store.project_people(1)) == ("a.conllu, b.conllu", ["ana", "ben"])
    assert [one.words for one in texts(store, project, "test")] == [one.words for one in gold[30:]]
    assert jobs == []
    for task in ("pos", "dep"):
        done = run("import", "Wolof", "a.conllu", "--task", task, "--annotator", "ana")
        assert done.output.strip() == "20 saved, 0 not in Wolof, 0 not valid"
    done = run("export", "Wolof", "--task", "pos,dep", "--to", "conllu", "--out", "out.conllu", "--annotator", "ana")
    assert done.exit_code == 0, done.output
    assert conllu.read("out.conllu") == gold[:20]


def test_what_is_not_said_is_as_in_the_form(run, store, jobs, wolof):
    project = only(store)
    assert (project.sampler, project.k, project.blind_share, project.double_share) == ("random", 10, 0.2, 0.0)
    assert (project.currency, project.level, project.encoder, project.seed) == ("USD", 2, "mini", 0)
    assert (project.pool_size, project.test_size, len(store.drawn(project.id))) == (25, 5, 10)
    assert jobs == [("suggest", {"tasks": ["dep"]})]


def test_a_model_draws_the_first_round_where_the_sampler_asks_one(run, store, jobs):
    done = run("projects", "new", "sample", "--lang", "ja", "--task", "ner", "--name", "Namen", "--labels", "PER,KIN")
    assert done.output.splitlines()[-1] == "a model reads the pool and draws 10"
    assert [(kind, args["sampler"]) for kind, args in jobs] == [("draw", "confused")]
    assert only(store).labels["ner"][:2] == ["PER", "KIN"]


@pytest.mark.parametrize(
    ("words", "labels"),
    [((), ["health", "sports"]), (("--labels", "law, music"), ["law", "music", "health", "sports"])],
)
def test_labels_are_those_that_are_named_and_those_of_the_files(run, store, jobs, words, labels):
    formats.export(examples("documents", 20, seed=1), [tasks.get("topic")], "tsv", "topics.tsv")
    done = run("projects", "new", "topics.tsv", "--lang", "wo", "--task", "topic", "--name", "x", *words)
    assert done.exit_code == 0, done.output
    assert only(store).labels == {"topic": labels}


def test_a_relation_that_ud_has_not_is_named_beside_those_of_ud(run, store, jobs, wolof):
    done = run("projects", "new", "wolof.conllu", "--lang", "wo", "--task", "dep", "--name", "x", "--labels", "foo")
    assert done.exit_code == 0, done.output
    assert store.projects()[-1].labels == {"dep": [*RELATIONS, "foo"]}


def test_a_task_that_takes_no_others_refuses_labels(run, store, jobs, wolof):
    done = run("projects", "new", "wolof.conllu", "--lang", "wo", "--name", "y", "--labels", "FOO")
    assert done.exit_code == 2
    assert "'FOO' cannot be a label of POS tagging" in done.output
    assert "y" not in [project.name for project in store.projects()]


def test_sentences_that_several_files_call_alike_stay_apart_also_when_they_come_back(run, store, jobs):
    for name, seed in (("a", 1), ("b", 2)):
        conllu.write(made_up(8, seed, shortest=8), f"{name}.conllu")
    conllu.write(made_up(8, 3, shortest=8), "c.conllu")
    run("projects", "new", "a.conllu", "b.conllu", "--lang", "wo", "--name", "x", "--test-size", "0")
    assert run("projects", "add", "x", "c.conllu").output.strip() == "8 sentences added to x"
    ids = [one.id for one in texts(store, only(store))]
    assert (ids[0], ids[8], ids[16], len(set(ids))) == ("s-0", "s-0-2", "s-0-3", 24)
    for name in "abc":
        run("import", "x", f"{name}.conllu", "--task", "pos", "--annotator", "ana")
    run("export", "x", "--task", "pos", "--to", "conllu", "--out", "out.conllu")
    assert [one.id for one in conllu.read("out.conllu")] == ids
    assert run("import", "x", "out.conllu", "--task", "pos", "--annotator", "ben").output.startswith("24 saved, 0 not")


def test_what_is_added_is_what_the_project_has_not_yet_and_its_test_set_stays(run, store, wolof):
    test = texts(store, only(store), "test")
    conllu.write([*made_up(30, seed=1, shortest=8), *made_up(4, seed=2, shortest=8, name="new")], "more.conllu")
    done = run("projects", "add", "wolof", "more.conllu")
    said = "4 sentences added to wolof; left out: 25 repeated, 5 with a text of the test set"
    assert done.output.strip() == said
    project = only(store)
    assert (project.pool_size, texts(store, project, "test")) == (29, test)
    assert [one.id for one in texts(store, project, "pool")][-4:] == [f"new-{n}" for n in range(4)]
    again = run("projects", "add", "wolof", "more.conllu")
    assert again.exit_code == 2
    assert "nothing to annotate: of 34 examples" in again.output


def test_labels_that_added_files_bring_become_the_projects(run, store, jobs):
    formats.export(examples("documents", 20, seed=1), [tasks.get("topic")], "tsv", "topics.tsv")
    run("projects", "new", "topics.tsv", "--lang", "wo", "--task", "topic", "--name", "x")
    Path("more.tsv").write_text("text\tlabel\nmbedd mi\tlaw\n", encoding="utf-8")
    assert run("projects", "add", "x", "more.tsv").exit_code == 0
    assert only(store).labels == {"topic": ["health", "sports", "law"]}


@pytest.mark.parametrize("command", ["new", "add"])
def test_bad_rows_are_listed_and_end_the_command_unless_they_are_left_out(run, store, wolof, command):
    good = "".join(map(conllu.to_text, made_up(4, seed=7, shortest=8)))
    Path("bad.conllu").write_text(f"{good}1\tbroken\n\n", encoding="utf-8")
    words = ("add", "wolof", "bad.conllu")
    if command == "new":
        words = ("new", "bad.conllu", "--lang", "wo", "--name", "other", "--test-size", "0")
    done = run("projects", *words)
    assert done.exit_code == 2
    first, last = done.output.strip().splitlines()
    assert "bad.conllu:" in first and "2 tab-separated columns where CoNLL-U has 10" in first
    assert last == "error: 1 bad row; correct what is wrong, or --leave-out takes the others alone"
    assert [project.pool_size for project in store.projects()] == [25]
    assert run("projects", *words, "--leave-out").exit_code == 0
    assert sum(project.pool_size for project in store.projects()) == 29


def test_questions_that_nobody_has_answered_make_a_pool(run, store, jobs):
    asked = [{"id": "1", "question": "Lan?"}, {"id": "2", "question": "Fan?", "answers": []}]
    asked.append({"id": "3", "question": "Kan?", "answers": None, "is_impossible": False})
    paragraphs = [{"context": f"Dakar mooy péeyu Senegaal {n}.", "qas": []} for n in range(3)]
    for paragraph, one in zip(paragraphs, asked, strict=True):
        paragraph["qas"] = [one]
    articles = [{"title": one["context"], "paragraphs": [one]} for one in paragraphs]
    Path("questions.json").write_text(json.dumps({"version": "v2.0", "data": articles}), encoding="utf-8")
    done = run("projects", "new", "questions.json", "--lang", "wo", "--task", "qa", "--name", "q", "--test-size", "1")
    assert done.exit_code == 0, done.output
    project = only(store)
    assert (project.pool_size, project.test_size, len(store.drawn(project.id))) == (2, 1, 2)


def test_projects_are_listed_with_what_is_done(run, project):
    assert "Japanese pilot" in run("projects", "list").output
    assert "4 of 4" in run("projects", "list").output


def test_projects_are_renamed_archived_and_brought_back(run, store, wolof):
    assert run("projects", "rename", "wolof", "Wolof 2").output.strip() == "wolof is called Wolof 2 now"
    done = run("projects", "archive", "Wolof 2")
    assert done.output.strip() == "Wolof 2 is archived; fewshot projects bring-back 1 lists it again"
    assert "Wolof 2" not in run("projects", "list").output
    assert "Wolof 2" in run("projects", "list", "--archived").output
    assert run("projects", "bring-back", "Wolof 2").exit_code == 0
    assert "0 of 10" in run("projects", "list").output


def test_a_deletion_says_what_goes_asks_and_leaves_a_backup(run, store, wolof, tmp_path):
    run("import", "wolof", "wolof.conllu", "--task", "dep", "--annotator", "ana")
    said = "project 1, wolof: 30 sentences, 3 rounds and 30 saved annotations of ana"
    kept = run("projects", "delete", "wolof", typed="n\n")
    assert kept.exit_code == 2
    assert kept.output.splitlines()[0] == said
    assert "nothing was deleted" in kept.output
    assert store.projects() and not list(tmp_path.glob("*.gz"))
    gone = run("projects", "delete", "wolof", typed="y\n")
    assert gone.exit_code == 0, gone.output
    assert gone.output.strip().splitlines()[-1] == "wolof is deleted"
    assert store.projects() == []
    (file,) = tmp_path.glob("wolof-*.gz")
    again = Store.open(f"sqlite:///{tmp_path / 'again.db'}")
    restore(file, again)
    assert len(again.latest_of(1, "dep")) == 30
    again.close()


def test_a_script_deletes_without_a_question_and_without_a_backup(run, store, wolof, tmp_path):
    (tmp_path / "b.gz").write_text("other")
    refused = run("projects", "delete", "wolof", "--yes", "--backup", "b.gz")
    assert "b.gz: there is such a file; nothing was deleted" in refused.output
    assert store.projects()
    assert run("projects", "delete", "wolof", "--yes", "--no-backup").exit_code == 0
    assert store.projects() == []
    assert [one.name for one in tmp_path.glob("*.gz")] == ["b.gz"]


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("new", "none.conllu", "--lang", "wo"), "no such file"),
        (("new", ".", "wolof.conllu", "--lang", "wo"), "a folder has its own test set"),
        (("new", "wolof.conllu", "--lang", "wo", "--task", "pos,topic"), "pos and topic are about documents and sent"),
        (("new", "wolof.conllu", "--lang", "wo", "--task", "chess"), "unknown task 'chess'"),
        (("new", "wolof.conllu", "--lang", "wo", "--sampler", "chess"), "unknown sampler 'chess'"),
        (("new", "wolof.conllu", "--lang", "wo", "--task", "pos,ner", "--labels", "KIN"), "such as pos=KIN"),
        (("new", "wolof.conllu", "--lang", "wo", "--task", "ner", "--labels", "A B"), "'A B' cannot be a label"),
        (("rename", "wolof", " "), "cannot be the name of a project"),
        (("delete", "dinka"), "unknown project 'dinka'"),
        (("delete", "wolof", "--backup", "x", "--no-backup"), "contradict each other"),
    ],
)
def test_what_cannot_be_done_is_one_line_and_changes_nothing(run, store, wolof, words, reason):
    before = store.projects()
    result = run("projects", *words, *(("--name", "x") if words[0] == "new" else ()))
    assert result.exit_code == 2
    assert reason in result.output
    assert len(result.output.strip().splitlines()) == 1
    assert store.projects() == before


def test_recordings_are_kept_counted_and_removed_by_command(run, store, jobs):
    word = "1\tba" + "\t_" * 7 + "\tAlignBegin=0|AlignEnd=500\n"
    clips = ["rice", "rice", "river", "sea"]
    blocks = [
        f"# sound_url = https://x.org/{clip}.mp3\n{word.replace('ba', f'ba{n}')}\n" for n, clip in enumerate(clips)
    ]
    Path("speech.conllu").write_text("".join(blocks), encoding="utf-8")
    made = run(
        *("projects", "new", "speech.conllu", "--lang", "wo", "--name", "speech", "--no-suggest"),
        *("--test-size", "1", "--shortest", "1"),
    )
    assert made.exit_code == 0, made.output
    for name in ("RICE.wav", "sea.wav"):
        Path(name).write_bytes(sounds.tone(0.5))
    place = recordings.folder(store, only(store))
    kept = run("projects", "recordings", "speech", "RICE.wav", "./sea.wav")
    assert kept.exit_code == 0, kept.output
    assert kept.output.splitlines() == [
        f"2 recordings in {place}",
        "3 of 4 sentences that name a recording can be heard",
        "  missing: river.mp3 (1 sentence)",
    ]
    removed = run("projects", "recordings", "speech", "--remove", "RICE.wav")
    assert removed.output.splitlines()[1] == "1 of 4 sentences that name a recording can be heard"
    assert [path.name for path in place.iterdir()] == ["sea.wav"]
    assert "no such file" in run("projects", "recordings", "speech", "river.wav").output
    assert "no recording that browsers play" in run("projects", "recordings", "speech", "speech.conllu").output
    run("projects", "delete", "speech", "--yes", "--no-backup")
    assert not place.exists()


@pytest.mark.parametrize(("given", "kept"), [("auto", "auto"), ("fi, eng,en", "en,fi")])
def test_the_source_model_of_a_new_project_can_be_said(run, store, jobs, given, kept):
    conllu.write(made_up(30, seed=1, shortest=8), "wolof.conllu")
    new = ("projects", "new", "wolof.conllu", "--lang", "wo", "--name", "wolof", "--test-size", "5", "--source-model")
    refused = run(*new, "Finnish")
    assert refused.exit_code == 2
    assert "Finnish is no language code that is known; Finnish is fi; a source model is auto, or" in refused.output
    assert run(*new, given).exit_code == 0
    assert only(store).source_model == kept


def test_whose_suggestions_a_new_project_shows_can_be_said(run, store, jobs, monkeypatch):
    for name in ("FEWSHOT_LLM", "FEWSHOT_LLM_URL", "FEWSHOT_LLM_CAP", "FEWSHOT_JOBS_ELSEWHERE"):
        monkeypatch.setenv(name, "")
    conllu.write(made_up(30, seed=1, shortest=8), "wolof.conllu")
    new = ("projects", "new", "wolof.conllu", "--lang", "wo", "--name", "wolof", "--test-size", "5", "--suggester")
    for options, reason in ((["both"], "name the language model with --llm"), (["me", "--worker"], "suggester 'me'")):
        refused = run(*new, *options)
        assert refused.exit_code == 2 and reason in refused.output
    asked = run(*new, "both", "--llm", "tiny", "--llm-url", "http://localhost:9/v1")
    assert "are read by tiny at http://localhost:9/v1" in asked.output
    assert (only(store).suggester, [kind for kind, _ in jobs]) == ("both", ["suggest", "ask"])
