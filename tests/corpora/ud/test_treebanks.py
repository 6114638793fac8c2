import csv
import re

import pytest

from fewshot.corpora.embedded import data_dir
from fewshot.corpora.ud.treebanks import ALIASES, Treebank, find, treebanks
from fewshot.errors import FewshotError, UnknownNameError

DEFAULTS = {
    "en": "English-EWT", "ar": "Arabic-PADT", "eu": "Basque-BDT", "zh": "Chinese-GSDSimp", "fi": "Finnish-TDT",
    "he": "Hebrew-HTB", "hi": "Hindi-HDTB", "it": "Italian-ISDT", "ja": "Japanese-GSD", "ko": "Korean-GSD",
    "ru": "Russian-GSD", "sv": "Swedish-Talbanken", "tr": "Turkish-IMST",
}  # fmt: skip
"""Treebanks of Lauscher et al. 2020."""
LANGS = "ar bg ca zh hr cs da nl en et fa fi fr de he hi hu id it ja ko la lv no pl pt ro ru sk sl es sv tr uk"
"""Languages of Muller et al., Ahmad et al. and Kim et al."""
PUD = "ar zh cs en fi fr de hi id it ja ko pl pt ru es sv th tr"
NAMED = "kk_ktb yo_ytb ru_syntagrus zh_gsd en_partut en_lines fr_gsd"
JAPANESE = ["ja", "JA", " ja ", "jpn", "Japanese", "japanese", "ja_gsd", "JA_GSD", "UD_Japanese-GSD", "ud_japanese-gsd"]
OTHER_NAMES = {"Ancient Greek": "grc_proiel", "cmn": "zh_gsdsimp", "nn": "no_nynorsk", "nb": "no_bokmaal"}


def test_treebanks_that_the_papers_name_are_listed():
    assert {lang: find(lang).name for lang in DEFAULTS} == {lang: f"UD_{name}" for lang, name in DEFAULTS.items()}
    assert [find(lang).lang for lang in LANGS.split()] == LANGS.split()
    assert {find(f"{lang}_pud").name[-4:] for lang in PUD.split()} == {"-PUD"}
    assert " ".join(find(code).code for code in NAMED.split()) == NAMED


def test_every_spelling_finds_the_treebank():
    expected = Treebank("ja", "Japanese", "UD_Japanese-GSD", "ja_gsd")
    assert [name for name in [*JAPANESE, "Japanese-GSD"] if find(name) != expected] == []
    assert {name: find(name).code for name in OTHER_NAMES} == OTHER_NAMES
    assert all(find(alias) for alias in ALIASES)


def test_an_unlisted_treebank_is_found_by_its_full_name_and_that_of_an_unlisted_language_with_its_code():
    assert find("UD_Czech-PDTC") == Treebank("cs", "Czech", "UD_Czech-PDTC", "cs_pdtc")
    assert find("UD_Ancient_Greek-New").code == "grc_new"
    expected = Treebank("sw", "Swahili", "UD_Swahili-OPUSGV", "sw_opusgv")
    assert find("UD_Swahili-OPUSGV=sw_opusgv") == expected
    assert find("UD_Swahili-OPUSGV", lang="sw") == expected


@pytest.mark.parametrize(
    ("name", "offered"),
    [("UD_Japanes_GSD", "UD_Japanese-GSD"), ("Japanes", "Japanese"), ("ja_gds", "ja_gsd"),
     ("UD_Swahili-OPUSGV", "UD_Swahili-OPUSGV=xx_opusgv")],
)  # fmt: skip
def test_a_misspelt_name_offers_the_nearest_and_an_unlisted_language_says_what_is_needed(name, offered):
    with pytest.raises(UnknownNameError, match=offered):
        find(name)


@pytest.mark.parametrize("name", ["", "xx", "UD_", "UD_../../etc-passwd", "UD_Swahili-OPUSGV=../x", "ja/../gsd"])
def test_what_is_no_treebank_is_refused_in_one_line(name):
    with pytest.raises(FewshotError) as error:
        find(name)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("lang", ["", "../../home/ana/sw", "sw/../x", "swahili"])
def test_a_language_code_is_no_path(lang):
    with pytest.raises(UnknownNameError, match="say how its files begin"):
        find("UD_Swahili-OPUSGV", lang=lang)


def test_the_table_keeps_the_naming_rules_of_universal_dependencies():
    rows = treebanks()
    assert len(rows) >= 120
    for t in rows:
        language, _, treebank = t.name.removeprefix("UD_").partition("-")
        assert re.fullmatch(r"UD_[A-Z][A-Za-z_]*-[A-Za-z0-9]+", t.name)
        assert t.language == language.replace("_", " ")
        assert t.code == f"{t.lang}_{treebank.lower()}"


def test_no_two_treebanks_share_a_name_code_or_language_name():
    with (data_dir() / "treebanks.csv").open(encoding="utf-8", newline="") as file:
        table = list(csv.DictReader(file))
    assert len({r["name"] for r in table}) == len({r["code"] for r in table}) == len(table)
    per_language = {(r["lang"], r["iso3"], r["language"]) for r in table}
    for column in zip(*per_language, strict=True):
        assert len(set(column)) == len(per_language)
    names = {n.casefold().replace(" ", "_") for row in per_language for n in row}
    assert not names & set(ALIASES)


def test_the_default_of_a_language_comes_first():
    assert all(treebanks(lang)[0] == find(lang) for lang in {one.lang for one in treebanks()})
