from pathlib import Path

import pytest
import sounds
from making import examples, made_up

from annotate import accounts
from annotate.editing import content
from annotate.exchange import recordings
from annotate.exchange.importing import Imported
from annotate.store import Store
from annotate.store.backup import restore
from fewshot import tasks
from fewshot.corpora import formats
from fewshot.corpora.formats import BadRows, conllu
from fewshot.corpora.lexicon import LexiconEntry


@pytest.fixture
def jobs(monkeypatch):
    started = []
    monkeypatch.setattr("annotate.worker.queue.start", lambda *job: started.append(job[2:]) or True)
    return started


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def file(jobs):
    conllu.write(made_up(30, seed=1, shortest=8), "wolof.conllu")


@pytest.fixture
def wolof(ok, file):
    ok("projects", "new", "wolof.conllu", "--lang", "wo", "--task", "dep", "--name", "wolof", "--test-size", "5")


@pytest.fixture
def no_model(monkeypatch):
    """No language model is named in the environment, nor is one after the test."""
    for name in ("FEWSHOT_LLM", "FEWSHOT_LLM_URL", "FEWSHOT_LLM_CAP", "FEWSHOT_JOBS_ELSEWHERE"):
        monkeypatch.setenv(name, "")


def only(store):
    (project,) = store.projects(archived=None)
    return project


def texts(store, project, split=None):
    return [content.from_json(row.content) for row in store.examples(project.id, split=split)]


def test_a_lab_makes_annotates_and_exports_a_project_by_commands_alone(ok, store, jobs):
    gold = made_up(40, seed=1, shortest=8)
    for name, some in {"a": gold[:20], "b": gold[20:30], "test": gold[30:]}.items():
        conllu.write(some, f"{name}.conllu")
    made = ok(
        *("projects", "new", "a.conllu", "b.conllu", "--lang", "wo", "--task", "pos,dep", "--k", "12"),
        *("--name", "Wolof", "--sampler", "longest", "--test", "test.conllu", "--people", "ana, ben", "--no-suggest"),
    )
    assert made.splitlines() == ["project 1, Wolof: pool 30 sentences, test set 10", "12 drawn by longest"]
    project = only(store)
    assert (project.lang, project.tasks, project.k, project.sampler) == ("wo", ("pos", "dep"), 12, "longest")
    assert (project.source, store.project_people(1)) == ("a.conllu, b.conllu", ["ana", "ben"])
    assert [one.words for one in texts(store, project, "test")] == [one.words for one in gold[30:]]
    assert jobs == []
    for task in ("pos", "dep"):
        done = ok("import", "Wolof", "a.conllu", "--task", task, "--annotator", "ana")
        assert done == "20 saved, 0 not in Wolof, 0 not valid"
    ok("export", "Wolof", "--task", "pos,dep", "--to", "conllu", "--out", "out.conllu", "--annotator", "ana")
    assert conllu.read("out.conllu") == gold[:20]
    store.reopen(store.items(1, task="pos", annotator="ana")[0].id)
    begun = ("export", "Wolof", "--to", "conllu", "--out", "out.conllu")
    assert ok(*begun).endswith("1 are begun and not in the file; export them too with --as-it-is")
    assert ok(*begun, "--as-it-is").endswith("1 are marked as begun")
    assert [one.begun for one in conllu.read("out.conllu")].count(True) == 1


def test_a_model_draws_the_first_round_where_the_sampler_asks_one(ok, store, jobs):
    done = ok("projects", "new", "sample", "--lang", "ja", "--task", "ner", "--name", "Namen", "--labels", "PER,KIN")
    assert done.splitlines()[-1] == "a model reads the pool and draws 10"
    assert [(kind, args["sampler"]) for kind, args in jobs] == [("draw", "confused")]
    assert only(store).labels["ner"][:2] == ["PER", "KIN"]


def test_labels_are_those_that_are_named_and_those_of_the_files(ok, store, jobs):
    formats.export(examples("documents", 20, seed=1), [tasks.get("topic")], "tsv", "topics.tsv")
    new = ("projects", "new", "topics.tsv", "--lang", "wo", "--task", "topic", "--name", "x")
    ok(*new, "--labels", "law, music")
    assert only(store).labels == {"topic": ["law", "music", "health", "sports"]}
    Path("more.tsv").write_text("text\tlabel\nmbedd mi\tgeography\n", encoding="utf-8")
    ok("projects", "add", "x", "more.tsv")
    assert only(store).labels == {"topic": ["law", "music", "health", "sports", "geography"]}


def test_sentences_that_several_files_call_alike_stay_apart_also_when_they_come_back(run, ok, store, jobs):
    for name, seed in (("a", 1), ("b", 2)):
        conllu.write(made_up(8, seed, shortest=8), f"{name}.conllu")
    conllu.write(made_up(8, 3, shortest=8), "c.conllu")
    run("projects", "new", "a.conllu", "b.conllu", "--lang", "wo", "--name", "x", "--test-size", "0")
    assert ok("projects", "add", "x", "c.conllu") == "8 sentences added to x"
    ids = [one.id for one in texts(store, only(store))]
    assert (ids[0], ids[8], ids[16], len(set(ids))) == ("s-0", "s-0-2", "s-0-3", 24)
    for name in "abc":
        run("import", "x", f"{name}.conllu", "--task", "pos", "--annotator", "ana")
    run("export", "x", "--task", "pos", "--to", "conllu", "--out", "out.conllu")
    assert [one.id for one in conllu.read("out.conllu")] == ids
    assert run("import", "x", "out.conllu", "--task", "pos", "--annotator", "ben").output.startswith("24 saved, 0 not")


def test_what_is_added_is_what_the_project_has_not_yet_and_its_test_set_stays(ok, refused, store, wolof):
    conllu.write([*made_up(30, seed=1, shortest=8), *made_up(4, seed=2, shortest=8, name="new")], "more.conllu")
    said = ok("projects", "add", "wolof", "more.conllu")
    assert said == "4 sentences added to wolof; left out: 25 repeated, 5 with a text of the test set"
    assert (only(store).pool_size, only(store).test_size) == (29, 5)
    assert "nothing to annotate: of 34 examples" in refused("projects", "add", "wolof", "more.conllu")


def test_people_who_cannot_sign_in_are_named_where_there_are_users(ok, store):
    conllu.write(made_up(12, seed=1, shortest=8), "a.conllu")
    new = ("projects", "new", "a.conllu", "--lang", "wo", "--no-suggest", "--people", "ana,bne", "--name")
    assert "warning" not in ok(*new, "one")
    store.add_user("ana", accounts.hash_password("long enough"), "annotator")
    assert "warning: bne cannot sign in to the app; fewshot users add adds people" in ok(*new, "two")
    taken = ("import", "two", "a.conllu", "--task", "pos", "--annotator")
    assert "warning" not in ok(*taken, "ana") and "warning: bne cannot sign in" in ok(*taken, "bne")


@pytest.mark.parametrize("command", ["new", "add"])
def test_bad_rows_are_listed_and_end_the_command_unless_they_are_left_out(run, ok, store, wolof, command):
    good = "".join(map(conllu.to_text, made_up(4, seed=7, shortest=8)))
    Path("bad.conllu").write_text(f"{good}1\tbroken\n\n", encoding="utf-8")
    words = ("add", "wolof", "bad.conllu")
    if command == "new":
        words = ("new", "bad.conllu", "--lang", "wo", "--name", "other", "--test-size", "0")
    done = run("projects", *words)
    assert done.exit_code == 2
    first, last = done.output.strip().splitlines()
    assert "bad.conllu:" in first and "2 tab-separated columns where CoNLL-U has 10" in first
    assert last == "error: 1 bad row; correct the file, or use --leave-out to skip them"
    assert [project.pool_size for project in store.projects()] == [25]
    Path("all_bad.conllu").write_text("1\tbroken\n\n", encoding="utf-8")
    only_bad = run("projects", *("all_bad.conllu" if word == "bad.conllu" else word for word in words))
    assert only_bad.output.strip().splitlines()[-1] == last
    ok("projects", *words, "--leave-out")
    assert sum(project.pool_size for project in store.projects()) == 29


def test_projects_are_listed_renamed_archived_and_brought_back(ok, project):
    assert "Japanese pilot" in ok("projects", "list") and "4 of 4" in ok("projects", "list")
    assert ok("projects", "rename", "Japanese pilot", "Second") == "Japanese pilot is now named Second"
    said = "Second is archived; fewshot projects bring-back 1 lists it again"
    assert ok("projects", "archive", "Second") == said
    assert "Second" not in ok("projects", "list")
    assert "Second" in ok("projects", "list", "--archived")
    ok("projects", "bring-back", "Second")
    assert "Second" in ok("projects", "list")


def test_a_deletion_says_what_goes_asks_and_leaves_a_backup(run, ok, store, wolof, tmp_path):
    ok("import", "wolof", "wolof.conllu", "--task", "dep", "--annotator", "ana")
    said = "project 1, wolof: 30 sentences, 3 rounds and 30 saved annotations of ana"
    kept = run("projects", "delete", "wolof", typed="n\n")
    assert kept.exit_code == 2
    assert kept.output.splitlines()[0] == said
    assert "nothing was deleted" in kept.output
    assert store.projects() and not list(tmp_path.glob("*.gz"))
    assert ok("projects", "delete", "wolof", typed="y\n").splitlines()[-1] == "wolof is deleted"
    assert store.projects() == []
    (file,) = tmp_path.glob("wolof-*.gz")
    again = Store.open(f"sqlite:///{tmp_path / 'again.db'}")
    restore(file, again)
    assert len(again.newest_revisions(1, "dep")) == 30
    again.close()


def test_a_script_deletes_without_a_question_and_without_a_backup(run, ok, store, wolof, tmp_path):
    (tmp_path / "b.gz").write_text("other")
    kept = run("projects", "delete", "wolof", "--yes", "--backup", "b.gz")
    assert kept.exit_code == 2 and "b.gz: the file exists; nothing was deleted" in kept.output
    assert store.projects()
    ok("projects", "delete", "wolof", "--yes", "--no-backup")
    assert store.projects() == []
    assert [one.name for one in tmp_path.glob("*.gz")] == ["b.gz"]


NEW = "new wolof.conllu --lang wo --name x"


IMPOSSIBLE = {
    "new . wolof.conllu --lang wo --name x": "a folder has its own test set",
    f"{NEW} --task pos,topic": "pos and topic are about documents and sent",
    f"{NEW} --sampler chess": "unknown sampler 'chess'",
    f"{NEW} --task pos,ner --labels KIN": "such as pos=KIN",
    f"{NEW} --suggester both": "choose a language model with --llm",
    f"{NEW} --suggester me --worker": "suggester 'me'",
    f"{NEW} --source-model Finnish": "Finnish is not a known language code; Finnish is fi; write auto",
    "delete dinka": "unknown project 'dinka'",
    "delete wolof --backup x --no-backup": "contradict each other",
}


def test_what_cannot_be_done_is_one_line_and_changes_nothing(refused, no_model, store, wolof):
    before = store.projects()
    said = {words: refused("projects", *words.split(" ")) for words in IMPOSSIBLE}
    assert [(words, line) for words, line in said.items() if IMPOSSIBLE[words] not in line] == []
    assert store.projects() == before


def test_recordings_are_kept_counted_and_removed_by_command(ok, refused, store, jobs):
    row = "# sound_url = https://x.org/{}.mp3\n1\tba{}" + "\t_" * 7 + "\tAlignBegin=0|AlignEnd=500\n\n"
    clips = enumerate(["rice", "rice", "river", "sea"])
    Path("speech.conllu").write_text("".join(row.format(clip, n) for n, clip in clips), encoding="utf-8")
    new = "projects new speech.conllu --lang wo --name speech --no-suggest --test-size 1 --shortest 1"
    ok(*new.split())
    for name in ("RICE.wav", "sea.wav"):
        Path(name).write_bytes(sounds.tone(0.5))
    place = recordings.folder(store, only(store))
    assert ok("projects", "recordings", "speech", "RICE.wav", "./sea.wav").splitlines() == [
        f"2 recordings in {place}",
        "3 of 4 sentences that name a recording can be heard",
        "  missing: river.mp3 (1 sentence)",
    ]
    removed = ok("projects", "recordings", "speech", "--remove", "RICE.wav")
    assert removed.splitlines()[1] == "1 of 4 sentences that name a recording can be heard"
    assert [path.name for path in place.iterdir()] == ["sea.wav"]
    assert "no such file" in refused("projects", "recordings", "speech", "river.wav")
    assert "no recording that browsers play" in refused("projects", "recordings", "speech", "speech.conllu")


def test_lexicons_are_kept_replaced_and_removed_by_command(ok, refused, store, wolof):
    Path("wo.tsv").write_text("mar\tmar\tNOUN\nmar\tmar\tVERB\n")
    assert ok("projects", "lexicon", "wolof", "wo.tsv") == "wo.tsv: 2 readings"
    Path("wo.tsv").write_text("Mar\tmar\tNOUN\n")
    assert ok("projects", "lexicon", "wolof", "wo.tsv") == "wo.tsv: 1 readings"
    assert store.lexicon_entries(only(store).id, ["MAR", "el"]) == [LexiconEntry("Mar", "mar", "NOUN")]
    assert "one.tsv" in refused("projects", "lexicon", "wolof", "--remove", "one.tsv")
    assert ok("projects", "lexicon", "wolof", "--remove", "wo.tsv") == ""


@pytest.mark.parametrize(("given", "kept"), [("auto", "auto"), ("fi, eng,en", "en,fi")])
def test_a_new_project_gets_the_source_model_and_the_suggesters_that_are_named(
    ok, no_model, store, jobs, file, given, kept
):
    said = ok(
        *("projects", "new", "wolof.conllu", "--lang", "wo", "--name", "wolof", "--source-model", given),
        *("--suggester", "both", "--llm", "tiny", "--llm-url", "http://localhost:9/v1"),
        "--no-learn",
    )
    assert "are read by tiny at http://localhost:9/v1" in said
    assert (only(store).suggester, [kind for kind, _ in jobs]) == ("both", ["suggest", "ask"])
    assert (only(store).source_model, only(store).learns) == (kept, False)


def test_what_an_import_leaves_open_is_said(ok, project, monkeypatch):
    taken = Imported(BadRows(), [], 0, saved=3, unfinished=2)
    monkeypatch.setattr("annotate.exchange.importing.import_annotations", lambda *_: taken)
    said = ok("import", "1", "x.json", "--task", "pos", "--annotator", "ana")
    assert said == "3 saved (2 of them left open), 0 not in Japanese pilot, 0 not valid"


def test_an_exchange_that_cannot_be_done_is_one_line(refused, project):
    for words, reason in {
        "export nope --task pos --to conllu --out x": "unknown project 'nope'",
        "export 1 --task ner --to conllu --out x": "unknown task of Japanese pilot 'ner'",
        "export 1 --task pos --to squad --out x": "SQuAD 1.1 cannot hold annotation",
        "import 1 nope.conllu --task pos --annotator ana": "no such file",
    }.items():
        assert reason in refused(*words.split())
