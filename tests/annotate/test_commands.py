"""Users, projects, export and import from the command line."""

import pytest
from storing import made_project
from typer.testing import CliRunner

from annotate import accounts
from annotate.editing import content
from annotate.exchange import intake as pool
from annotate.rounds import draw as rounds
from annotate.store import Store
from fewshot.cli import app
from fewshot.corpora.formats import conllu
from fewshot.corpora.load import load


@pytest.fixture
def url(tmp_path, monkeypatch):
    place = f"sqlite:///{tmp_path / 'fewshot.db'}"
    monkeypatch.setenv("FEWSHOT_DB_URL", place)
    return place


@pytest.fixture
def store(url):
    made = Store.open(url)
    yield made
    made.close()


@pytest.fixture
def project(store):
    """Two Japanese sentences, annotated by ana as their treebank is."""
    corpus = load("ja", "sample")
    rows = pool.both(corpus.pool[:2], corpus.test[:1])
    made = made_project(store, rows, name="Japanese pilot", tasks=("pos", "dep"), kind="sentences")
    store.set_project_people(made.id, ["ana"])
    rounds.draw(store, made, 2, "random", 0)
    for item in store.items(made.id):
        example = content.from_json(next(store.examples(made.id, ids=[item.example_id])).content)
        annotation = content.annotation_of(item.task, example)
        store.save(item.id, "ana", "page", 1, annotation, done=True, seconds=10.0, edits=1)
    return made


def run(*words, typed=""):
    return CliRunner().invoke(app, list(words), input=typed, env={"COLUMNS": "200"})


def test_people_are_added_and_get_passwords_and_roles(store):
    assert run("users", "add", "ana", "--role", "curator", typed="long enough\n").exit_code == 0
    assert accounts.sign_in(store, "ana", "long enough").role == "curator"
    assert run("users", "password", "ana", typed="another one\n").exit_code == 0
    assert accounts.sign_in(store, "ana", "long enough") is None
    assert run("users", "role", "ana", "admin").exit_code == 0
    assert run("users", "shut-out", "ana").exit_code == 0
    assert accounts.sign_in(store, "ana", "another one") is None
    assert run("users", "let-in", "ana").exit_code == 0
    assert accounts.sign_in(store, "ana", "another one").role == "admin"
    assert "ana" in run("users", "list").output


def test_whoever_signs_in_with_their_organisation_needs_no_password(store):
    assert run("users", "add", "ana@uni.edu", "--oidc").exit_code == 0
    _, stored = store.credentials("ana@uni.edu")
    assert not accounts.matches("", stored)
    assert accounts.known(store, accounts.token(store, "ana@uni.edu")).name == "ana@uni.edu"


@pytest.mark.parametrize(
    ("words", "typed", "reason"),
    [
        (("users", "add", "ben"), "short\n", "the password has 5 characters; take at least 8"),
        (("users", "add", "ben", "--oidc"), "", "ben is no e-mail address"),
        (("users", "add", "ben", "--role", "boss"), "long enough\n", "unknown role 'boss'"),
        (("users", "role", "ben", "admin"), "", "unknown user 'ben'"),
        (("export", "nope", "--task", "pos", "--to", "conllu", "--out", "x"), "", "unknown project 'nope'"),
        (("export", "1", "--task", "ner", "--to", "conllu", "--out", "x"), "", "unknown task of Japanese pilot 'ner'"),
        (("export", "1", "--task", "pos", "--to", "docx", "--out", "x"), "", "unknown format 'docx'"),
        (("export", "1", "--task", "pos", "--to", "squad", "--out", "x"), "", "SQuAD 1.1 cannot hold annotation"),
        (("import", "1", "nope.conllu", "--task", "pos", "--annotator", "ana"), "", "no such file"),
    ],
)
def test_what_cannot_be_done_is_one_line(project, words, typed, reason):
    result = run(*words, typed=typed)
    assert result.exit_code == 2
    assert reason in result.output
    assert len(result.output.strip().splitlines()) == 1


def test_what_is_exported_is_what_was_annotated(project, tmp_path):
    result = run("export", "Japanese pilot", "--task", "pos,dep", "--to", "conllu", "--out", str(tmp_path / "x.conllu"))
    assert result.exit_code == 0, result.output
    exported = conllu.read(tmp_path / "x.conllu")
    original = {one.id: one for one in load("ja", "sample").pool[:2]}
    assert {one.id: (one.upos, one.heads, one.deprels) for one in exported} == {
        key: (one.upos, one.heads, one.deprels) for key, one in original.items()
    }


def test_an_import_is_a_revision_of_the_annotator(store, project, tmp_path):
    changed = [one.annotated(upos=("X",) * one.length) for one in load("ja", "sample").pool[:3]]
    conllu.write(changed, tmp_path / "x.conllu")
    result = run("import", "1", str(tmp_path / "x.conllu"), "--task", "pos", "--annotator", "ana")
    assert result.output.strip() == "2 saved, 1 not in Japanese pilot, 0 not valid"
    newest = store.latest_of(project.id, "pos")
    assert {tag for revision in newest.values() for tag in revision.annotation["upos"]} == {"X"}
    assert all(len(store.history(item)) == 2 for item in newest)


def test_projects_are_listed_with_what_is_done(project):
    assert "Japanese pilot" in run("projects").output
    assert "4 of 4" in run("projects").output
