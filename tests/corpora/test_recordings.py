from dataclasses import replace

import pytest
from corpora.formats.elan import tier, transcript

from annotate.editing import content
from fewshot.corpora.formats import conllu, eaf, flextext, sfm
from fewshot.corpora.recordings import Recording, base_name, join_recordings, seconds, stretch
from fewshot.corpora.tokenization.joining import with_following


def heard(module, path):
    return [sentence.recording for sentence in module.read(path)]


NAMES = {
    "rice.wav": "rice.wav", " 'my rice.wav' ": "my rice.wav", "../../etc/passwd": "passwd", "/etc/shadow": "shadow",
    "..\\..\\boot.ini": "boot.ini", r"C:\Users\ana\rice.wav": "rice.wav", "C:rice.wav": "rice.wav",
    "file:///C:/my%20rice%23.wav": "my rice#.wav", "file:///home/ana/rice #2.wav": "rice #2.wav",
    "file:\\rice.wav": "rice.wav", "100%.wav": "100%.wav", "https://x.org/a/rice.mp3?to=/etc/passwd#t=3": "rice.mp3",
    "https://x.org/a%2F..%2Fpasswd": "passwd", "https://x.org/data/883c5f61": "883c5f61",
    "..": "", "/tmp/": "", "a\x00.wav": "", "": "",
}  # fmt: skip
TIMES = {
    "1.5": 1.5, "0": 0, "00:01:02.250": 62.25, "2:03": 123, "nan": None, "1e9": None, "-1": None, "": None,
}  # fmt: skip


def test_of_a_path_or_url_its_last_part_counts_and_times_are_seconds_or_read_from_a_clock():
    assert {named: base_name(named) for named in NAMES} == NAMES
    assert {written: seconds(written) for written in TIMES} == TIMES


def test_what_has_no_length_is_not_heard_and_sentences_together_from_the_first_to_the_last():
    assert {stretch(*one) for one in (("a.wav", 2, 2), ("a.wav", 3, 2), ("a.wav", -1, 2), ("..", 1, 2))} == {None}
    assert stretch("b/a.wav") == Recording("a.wav", 0.0, None)
    parts = [Recording("a.wav", 2, 3), None, Recording("a.wav", 3, 4.5), Recording("b.wav", 0, 9)]
    assert join_recordings(parts) == Recording("a.wav", 2, 4.5)
    assert join_recordings([Recording("a.wav", 2, 3), Recording("a.wav", 3)]) == Recording("a.wav", 2, None)


HEADER = '<HEADER MEDIA_FILE="" TIME_UNITS="{units}">{media}</HEADER>'
FILM = '<MEDIA_DESCRIPTOR MEDIA_URL="file:///D:/x/film.mp4" MIME_TYPE="video/mp4"/>'
SOUND = (
    '<MEDIA_DESCRIPTOR MEDIA_URL="file:///D:/x/rice%201.wav" RELATIVE_MEDIA_URL="./old.wav" MIME_TYPE="audio/x-wav"'
    "{origin}/>"
)


def spoken(tmp_path, media, units="milliseconds", times=(500, 1250, "", 2000)):
    """A transcript of three sentences of one word, one after the other."""
    texts = tier("tx", *(f"{id} t{n}-t{n + 1} x" for n, id in enumerate("abc")))
    words = tier("words", *(f"w{id} {id} {id}" for id in "abc"), of="tx", type="part")
    slots = " ".join(f"t{n}={time}" for n, time in enumerate(times))
    return transcript(tmp_path, slots, texts, words, header=HEADER.format(units=units, media=media))


@pytest.mark.parametrize(
    ("media", "stretches"),
    [
        (FILM + SOUND.format(origin=""), [("rice 1.wav", 0.5, 1.25), *[("rice 1.wav", 1.25, 2.0)] * 2]),
        (SOUND.format(origin=' TIME_ORIGIN="1000"'), [("rice 1.wav", 1.5, 2.25), *[("rice 1.wav", 2.25, 3.0)] * 2]),
        (FILM, [("film.mp4", 0.5, 1.25), *[("film.mp4", 1.25, 2.0)] * 2]),
    ],
    ids=["neighbours tell the time of a slot without one", "a recording begins elsewhere", "the sound of a film"],
)
def test_elan_says_it_by_time_slots(tmp_path, media, stretches):
    assert heard(eaf, spoken(tmp_path, media)) == [Recording(*one) for one in stretches]


@pytest.mark.parametrize(
    ("media", "given"),
    [("", {}), (FILM, {"units": "PAL-frames"}), (FILM, {"times": ("",) * 4}), (FILM, {"times": ("x",) * 4})],
)
def test_elan_without_media_or_times_says_nothing(tmp_path, media, given):
    assert heard(eaf, spoken(tmp_path, media, **given)) == [None, None, None]


WORD = '<words><word><item type="txt" lang="wo">ba</item></word></words>'
TIMED = 'begin-time-offset="500" end-time-offset="1750"'
TWO = '<media guid="m1" location="file:///C:/a.wav"/><media guid="m2" location="/x/b.wav"/>'


@pytest.mark.parametrize(
    ("media", "attributes", "stretches"),
    [
        (TWO, [f'{TIMED} media-file="m2"', TIMED, 'media-file="m1"', f'{TIMED} media-file="m3"'],
         [Recording("b.wav", 0.5, 1.75), None, None, None]),
        ('<media guid="m" location="a.wav"/>', [TIMED], [Recording("a.wav", 0.5, 1.75)]),  # the only one needs no name
    ],
)  # fmt: skip
def test_flex_says_it_of_phrases(upload, media, attributes, stretches):
    made = "".join(f"<phrase {each}>{WORD}</phrase>" for each in attributes)
    body = f"<paragraphs><paragraph><phrases>{made}</phrases></paragraph></paragraphs>"
    files = f'<media-files offset-type="milliseconds">{media}</media-files>'
    text = f'<document version="2"><interlinear-text>{body}{files}</interlinear-text></document>'
    assert heard(flextext, upload(text, "rice.flextext")) == stretches


TOOLBOX = {
    "\\sound my rice.wav 9.371 15.509\n\\tx ba": ("my rice.wav", 9.371, 15.509),
    "\\ELANBegin 00:00:01.500\n\\ELANEnd 00:01:02.250\n\\tx ba\n\\sound D:\\x\\rice.wav": ("rice.wav", 1.5, 62.25),
    "\\snd ba.wav\n\\tx ba": ("ba.wav", 0.0, None),
    "\\ELANBegin 1.0\n\\ELANEnd 2.0\n\\tx ba": None,
    "\\sf ba\n\\tx ba": None,
    "\\sound a.wav 1 2\n\\tx ba\n\\sound a.wav 2 3.5\n\\tx bu": ("a.wav", 1.0, 3.5),
}


def test_toolbox_says_it_by_a_marker_or_as_elan_exports_it(upload):
    blocks = [f"\\ref {number}\n{block}\n" for number, block in enumerate(TOOLBOX)]
    found = heard(sfm, upload("\n".join(blocks), "rice.sfm"))
    assert found == [one and Recording(*one) for one in TOOLBOX.values()]


def row(number, misc):
    return f"{number}\tba" + "\t_" * 7 + f"\t{misc}"


def test_conllu_says_it_by_a_comment_and_words_and_it_stays_with_a_sentence_and_its_lines(upload, tmp_path):
    blocks = [
        ["# sound_url = https://x.org/mp3/JOS_10.mp3", row(1, "AlignBegin=7082|AlignEnd=7379|Gloss=and"), row(2, "_"),
         row("3-4", "AlignBegin=7400|AlignEnd=8000"), row(3, "_"), row(4, "AlignBegin=x|AlignEnd=_")],
        ["# sound_url = https://x.org/mp3/JOS_10.mp3", row(1, "AlignBegin=8000|AlignEnd=9000")],
        ["# audio = ../clips/3.ogg", row(1, "_")],
        ["# sent_id = x", row(1, "AlignBegin=1|AlignEnd=2")],
    ]  # fmt: skip
    path = upload("".join("\n".join(block) + "\n\n" for block in blocks))
    expected = [Recording("JOS_10.mp3", 7.082, 8.0), Recording("JOS_10.mp3", 8.0, 9.0), Recording("3.ogg", 0.0, None)]
    assert heard(conllu, path) == [*expected, None]
    first, second, *_ = conllu.read(path)
    joined = with_following(replace(first, following=(second,)), 1)
    assert joined.recording == Recording("JOS_10.mp3", 7.082, 9.0)
    kept = [content.from_json(content.to_json(sentence)) for sentence in conllu.read(path)]
    assert [sentence.recording for sentence in kept] == [*expected, None]
    conllu.write(kept, tmp_path / "out.conllu")
    assert (tmp_path / "out.conllu").read_bytes() == path.read_bytes()
