"""The data page: what an import says of a file, and of each line that is wrong."""

from app_page import fill, open_page, press, says, values
from desk import Desk, new_project
from making import made_up

from fewshot.corpora.formats import conllu

SENTENCES = made_up(3, seed=1, shortest=4)


def test_an_imported_file_is_saved_but_for_what_is_broken_which_is_named(store, alone, tmp_path):
    project = new_project(store, [one.unannotated() for one in SENTENCES], "pos")
    Desk(store, project, tmp_path).draw(*((place, "pos", alone) for place in range(3)))
    lines = [conllu.to_text(one).splitlines(True) for one in SENTENCES]
    short = next(number for number, line in enumerate(lines[1]) if line.startswith("2\t"))
    lines[1][short] = "2\tmal\n"

    def take(name, content):
        page = fill(open_page("data", project), {"File": (name, content, "text/plain")})
        return press(page, "Import")

    page = take("broken.conllu", "".join(line for sentence in lines for line in sentence).encode())
    assert says(page.warning, "2 saved, 0 not in this project, 0 not valid, 0 without annotation, 1 not readable")
    wanted = f"broken.conllu:{len(lines[0]) + short + 1}: 2 tab-separated columns where CoNLL-U has 10"
    assert page.code[0].value.startswith(wanted)
    page = take("photo.conllu", bytes(range(256)) * 40)
    assert values(page.error) == ["photo.conllu:2: byte 0x80 is not UTF-8; save the file as UTF-8"]
    other = made_up(1, seed=2, shortest=4, name="other")
    page = take("whole.conllu", "".join(map(conllu.to_text, [*SENTENCES, *other])).encode())
    assert says(page.success, "3 saved, 1 not in this project, 0 not valid, 0 without annotation, 0 not readable")
    newest = [store.latest(item.id).annotation["upos"] for item in store.items(project.id)]
    assert newest == [list(one.upos) for one in SENTENCES]
