import shutil
from dataclasses import replace

import pytest
from making import examples, made_up, write_treebanks

from fewshot import tasks
from fewshot.corpora.formats import bio, conllu, tsv
from fewshot.experiments.data_folders import DataFolders


def test_folders_are_chosen_by_language_task_and_collection(tmp_path):
    write_treebanks(tmp_path)
    for lang in ("en", "fi"):
        (tmp_path / f"{lang}_all").mkdir()
        shutil.copy(tmp_path / f"{lang}_made" / "test.conllu", tmp_path / f"{lang}_all")
    for name in ("aaa_en", "wiki_en", "wiki_fi"):
        (tmp_path / name).mkdir()
        for split in ("train", "test"):
            bio.write(made_up(12, seed=len(name), name=name), tmp_path / name / f"{split}.bio")
    folders = DataFolders([tmp_path], ["en", "fi"], pytest.fail)
    pos, ner = tasks.get("pos"), tasks.get("ner")
    train = folders.find_train(pos, "en", 20, within=False)
    assert train.folder.name == "en_made" and len(train.examples) == 20
    assert folders.find_test(pos, "fi", train.folder).folder.name == "fi_all"
    assert folders.find_test(pos, "en", train.folder).folder.name == "en_made"
    assert folders.find_train(ner, "en", 20, within=False).folder.name == "wiki_en"
    (tmp_path / "fi_made" / "test.conllu").unlink()
    again = DataFolders([tmp_path], ["en", "fi"], pytest.fail)
    assert again.find_train(pos, "fi", 20, within=False).folder.name == "fi_made"
    assert again.find_train(pos, "fi", 20, within=True) is None
    (tmp_path / "fi_all" / "test.conllu").unlink()
    assert DataFolders([tmp_path], ["en", "fi"], pytest.fail).find_test(pos, "fi", train.folder) is None


def test_files_with_other_labels_are_left_out_and_said(tmp_path):
    write_treebanks(tmp_path)
    wrong = [replace(sentence, upos=("FOO",) * sentence.length) for sentence in made_up(3, seed=0)]
    conllu.write(wrong, tmp_path / "en_made" / "train.conllu")
    shutil.copytree(tmp_path / "fi_made", tmp_path / "zz_en")
    said = []
    folders = DataFolders([tmp_path], ["en"], said.append)
    for _ in range(2):
        assert folders.find_train(tasks.get("pos"), "en", 20, within=False).folder.name == "zz_en"
    assert len(said) == 1 and "FOO" in said[0] and "train.conllu:3" in said[0]


def test_languages_are_known_by_their_longer_codes_and_in_names_of_files(tmp_path):
    (tmp_path / "sib200_jpn_Jpan").mkdir()
    tsv.write(examples("documents", 3, seed=0), tmp_path / "sib200_jpn_Jpan" / "test.tsv")
    tsv.write(examples("pairs", 3, seed=0), tmp_path / "pairs.sw.tsv")
    folders = DataFolders([tmp_path], ["ja", "swh"], pytest.fail)
    assert folders.find_test(tasks.get("topic"), "ja").folder.name == "sib200_jpn_Jpan"
    assert folders.find_test(tasks.get("nli"), "swh").folder.name == "pairs.sw.tsv"
    assert folders.find_test(tasks.get("nli"), "ja") is None


def test_folders_of_treebanks_are_known_by_their_names(tmp_path):
    for name in ("UD_Japanese-GSD", "UD_Ancient_Greek-PROIEL", "UD_Notes", "sv_gsd", "UD_Swedish-Talbanken"):
        (tmp_path / name).mkdir()
        conllu.write(made_up(3, seed=0), tmp_path / name / "test.conllu")
    folders = DataFolders([tmp_path], ["ja", "grc", "sv"], pytest.fail)
    found = {lang: folders.find_test(tasks.get("pos"), lang).folder.name for lang in ("ja", "grc", "sv")}
    assert found == {"ja": "UD_Japanese-GSD", "grc": "UD_Ancient_Greek-PROIEL", "sv": "sv_gsd"}  # of ja's collection
