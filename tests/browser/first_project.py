"""A reader who does what pages say: clicks what is bold, looks for what is slanted, presses and types what is code."""

import re

from serving import ROOT
from waiting import wait_until

STEP = re.compile(r"\*\*(?P<click>.+?)\*\*|\*(?P<read>.+?)\*|`(?P<code>.+?)`|\b(?P<verb>press|type|give|brings)\b")
GIVEN = re.compile(r"^Save this as `([^`]+)`[^\n]*:\n\n```\n(.*?)^```", re.M | re.S)
PICTURE = re.compile(r"!\[[^\]]*\]\([^)]*\)")


def steps(text):
    """Return the numbered steps of a page."""
    return [PICTURE.sub("", " ".join(step.split())) for step in re.findall(r"^\d+\. (.*(?:\n   .*)*)", text, re.M)]


class Reader:
    """Somebody with the page open who does what it says."""

    def __init__(self, page, folder):
        self.page, self.folder, self.verb, self.downloads = page, folder, "", []
        page.on("download", lambda coming: self.downloads.append(coming))

    def save(self, text):
        """Prepare the files that a page gives."""
        for name, content in GIVEN.findall(text):
            (self.folder / name).write_text(content, encoding="utf-8")

    def take(self, step):
        """Take a step."""
        for part in STEP.finditer(step):
            ((kind, text),) = ((kind, text) for kind, text in part.groupdict().items() if text)
            if kind == "verb":
                self.verb = text
            else:
                getattr(self, kind)(text)

    def click(self, name):
        self._wait(lambda: self._find(name), name).click()

    def _find(self, name):
        """Return the button, link, field or text of this name that can be seen."""
        page, every = self.page, {"name": name, "exact": True}
        fields = [page.get_by_role(role, **every) for role in ("combobox", "textbox", "spinbutton")]
        places = [page.get_by_role("button", **every), page.get_by_role("link", **every), *fields]
        texts = page.get_by_text(name, exact=True).and_(page.locator(":not(h4, h4 *)"))  # a heading is no button
        for place in (*places, texts):
            for one in place.all():
                if one.is_visible() and one.is_enabled():
                    return one
        return None

    def read(self, text):
        self._wait(lambda: text in self._seen(), text)

    def _seen(self):
        parts = [self.page.locator("body").inner_text(), *self.page.locator(".frame .note").all_text_contents()]
        return " ".join(" ".join([*parts, *self.page.locator(".frame .form").all_text_contents()]).split())

    def code(self, text):
        getattr(self, self.verb)(text)

    def press(self, key):
        self.page.keyboard.press(key.replace("Ctrl", "Control").replace("→", "ArrowRight"))

    def type(self, text):
        self.page.keyboard.type(text)

    def give(self, name):
        file = self.folder / name
        fields = self.page.get_by_test_id("stFileUploader").filter(has=self.page.get_by_text(re.compile("^Files?$")))
        fields.locator("input[type=file]").first.set_input_files(file if file.exists() else ROOT / name)

    def brings(self, name):
        self._wait(lambda: self.downloads, name)
        coming = self.downloads.pop()
        assert coming.suggested_filename == name
        coming.save_as(self.folder / "made" / name)

    def _wait(self, look, what):
        """Return what `look` finds, once it finds something."""
        try:
            return wait_until(lambda: self.page.evaluate("1") and look())  # the browser's news come with its answers
        except AssertionError:
            raise AssertionError(f"not on the screen: {what}") from None
