"""What a person does in the app, for tests."""

from waiting import wait_until

from annotate.editing import content, guidelines
from annotate.store import Store
from fewshot import tasks

PASSWORD = "correct horse"
"""Everybody's."""

PATIENCE = 120_000
"""Milliseconds in which a page shows what is waited for, also on a busy machine."""

WATCH = """
const drawn = (then) => requestAnimationFrame(() => requestAnimationFrame(then));
window.WebSocket = class extends WebSocket {
  constructor(...given) {
    super(...given);
    this.addEventListener("message", ({ data }) => {
      const bytes = new Uint8Array(data);
      let at = 0;
      while (bytes[at] === 0x0a || bytes[at] === 0x12) at += 2 + bytes[at + 1]; // hash and metadata
      if (bytes[at] === 0x30 && bytes[at + 1] === 2) window.asked = {}; // a run ended for another one to begin
      if (bytes[at] !== 0x22) return;
      const begun = window.asked; // a run of the page's script begins; the page says so once it has drawn that
      drawn(() => (window.asked = window.asked === begun ? null : window.asked));
    });
    this.addEventListener("close", () => (window.asked = null));
  }
  send(data) {
    if (data[0] === 0x5a) window.asked = {}; // asks for a run
    super.send(data);
  }
};
"""
"""Watches Streamlit's messages: `window.asked` is the run that was asked for and has not begun, or null."""

EDITOR = ".frame:visible"
"""The open editor. Streamlit may keep that of another task in the page, hidden, if a run ends for the next one."""

ROW = 35
"""Pixels of a row of a table."""


def begin(page, app):
    """Open the form of a new project."""
    page.goto(f"{app.address}/new")
    page.get_by_role("button", name="Create project").wait_for()


def create(page, app, name):
    """Make a project of the Japanese sample."""
    begin(page, app)
    page.get_by_label("Name", exact=True).fill(name)
    page.keyboard.press("Tab")
    page.get_by_role("button", name="Create project").click()
    page.locator(".frame").wait_for()


def annotate(page, app, project, task=None, path="annotate"):
    """Open the annotate page of a project, or that of its reviews, and wait until its editor has the keyboard."""
    page.goto(f"{app.address}/{path}?project={project.id}")
    page.locator(".frame").wait_for()
    if task:
        choose(page, task)
    page.locator(".frame:focus").wait_for()


def choose(page, task):
    """Choose one of the tasks of a project."""
    title = tasks.get(task).title
    page.get_by_role("radio", name=title).click()
    page.get_by_role("application", name=f"{title} editor").wait_for()
    settle(page)
    page.locator(".frame:focus").wait_for()


def press(page, *keys):
    """Press keys, one after the other."""
    for key in keys:
        page.keyboard.press(key)


def press_as(page, key, code, held):
    """Press a key where another keyboard has it; `held` is the sum of the keys that are held: Alt 1, Control 2."""
    _press(page, text=key, key=key, code=code, modifiers=held)


def press_in_composition(page, key):
    """Press a key that belongs to an input method."""
    _press(page, key=key, windowsVirtualKeyCode=229)


def _press(page, **event):
    devtools = page.context.new_cdp_session(page)
    for kind in ("keyDown", "keyUp"):
        devtools.send("Input.dispatchKeyEvent", {"type": kind, **event})
    devtools.detach()


def keys_of(task, labels=None):
    """Return the key of each label that has one of its own."""
    return {one.name: one.key for one in guidelines.label_info(tasks.get(task), labels) if one.key}


def tag(page, tags):
    """Tag the words from the cursor on."""
    keys = keys_of("pos")
    press(page, *(keys[name] for name in tags))


def sure(page):
    """Return the tags that are no suggestions."""
    return page.locator(f"{EDITOR} .token.sure .tag").all_inner_texts()


def finish(page):
    """Save the item as done, and wait for the next one or for the news that none is left."""
    press_and_leave(page, "Control+Enter")


def words(page):
    """Return the words that the editor shows."""
    return page.locator(f"{EDITOR} .form").all_inner_texts()


def box(page, selector):
    """Return where something of the editor is, looked up in one go: it may be drawn anew at any time."""
    return page.locator(EDITOR).evaluate(
        "(frame, selector) => frame.querySelector(selector).getBoundingClientRect().toJSON()", selector
    )


def saved(page):
    """Wait until the editor says that everything is saved."""
    page.locator(f"{EDITOR} .state.saved").wait_for()


def press_button(page, name):
    """Press the button of this name."""
    page.get_by_role("button", name=name, exact=True).click()


def click_row(page, row, x=15, table=0):
    """Click on a row of a table."""
    found = page.get_by_test_id("stDataFrame").nth(table)
    found.locator("canvas").first.wait_for()
    found.click(position={"x": x, "y": ROW * (row + 1.5)})


def choose_option(page, label, option):
    """Choose an option of a list."""
    field = page.get_by_role("combobox", name=label, exact=True)
    offered = page.get_by_role("option", name=option, exact=True)

    def is_chosen():
        field.blur()  # what was typed and not chosen goes
        if field.input_value() == option:
            return True
        field.fill(option)
        if not offered.is_visible():
            field.press("ArrowDown")  # opens the list where it has closed
        if offered.is_visible():
            clicked(offered, force=True)  # at once: the list may close at any time
        return False

    wait_until(is_chosen)


def press_until(button, is_done):
    """Press a button until something is done: Streamlit loses a click that comes beside a fragment's own run."""

    def pressed():
        if not is_done():
            clicked(button)
            settle(button.page)
        return is_done()

    wait_until(pressed)


def clicked(place, **options):
    """Click, and return whether the place was still there."""
    from playwright.sync_api import TimeoutError

    try:
        place.click(timeout=3000, **options)
    except TimeoutError:
        return False
    return True


def go_to(page, name, item):
    """Go to an item by the list of all."""
    page.get_by_role("button", name="Go to").click()
    page.get_by_label("Item").click()
    page.get_by_role("option", name=name).click()
    page.locator(f".frame[data-item='{item.id}']").wait_for()


def projects_of(app):
    """Return all projects."""
    store = Store.open(app.url)
    found = store.projects()
    store.close()
    return found


def gold_of(app, task):
    """Return the gold annotation of the examples of the only project, by words."""
    store = Store.open(app.url)
    project = store.projects()[0]
    examples = [content.from_json(row.content) for row in store.examples(project.id)]
    store.close()
    return {example.words: example for example in examples if tasks.get(task).is_annotated(example)}


def numbered(task):
    """Return the key of each label of a task: its own, else its number."""
    labels = guidelines.label_info(tasks.get(task))
    return {one.name: one.key or str(place) for place, one in enumerate(labels, start=1)}


def press_and_leave(page, key):
    """Press a key that leads to another item, and wait until that one is there."""
    item = page.locator(EDITOR).get_attribute("data-item")
    page.keyboard.press(key)
    page.locator(f".frame:not([data-item='{item}']):focus").or_(page.get_by_text("Nothing left to do")).first.wait_for()


def attach(page, word, head, relation, last):
    """Attach the word under the cursor: arrows lead to the head for even words, its number for odd ones."""
    target = head - 1 if head else word
    if head == 0 or word % 2:
        number = () if head == 0 else tuple(str(head))
    else:
        number = ("ArrowRight" if target > word else "ArrowLeft",) * abs(target - word)
    press(page, "Enter", *number, "Enter")
    if head:
        keys = keys_of("dep")
        press(page, *([keys[relation]] if relation in keys else ["l", *relation, "Enter"]))
    if not last:
        press(page, "ArrowRight")


def mark(page, first, last, key):
    """Select words and give them a type."""
    press(page, "Home", *["ArrowRight"] * first, *["Shift+ArrowRight"] * (last - first), key)


def sign_in(page, app, name, password=PASSWORD, path=""):
    """Sign in at the page that is shown to who is not known."""
    page.goto(app.address + path)
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label("Password", exact=True).fill(password)
    page.get_by_role("button", name="Sign in", exact=True).click()


def watched(context):
    """Return a browser context whose pages tell `settle` what was asked of the server; they wait for long."""
    context.add_init_script(WATCH)
    context.set_default_timeout(PATIENCE)
    return context


def settle(page, end=""):
    """Wait until the server has drawn all that was asked for: it would lose what is done meanwhile, or move it.

    Args:
        end: a text with which a page may end. Such a page has fragments no more, and Streamlit does not answer what is
            asked of them.
    """
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")  # it asks
    page.wait_for_function(
        "(end) => (end && document.body.innerText.includes(end)) || (!window.asked"
        " && document.querySelector('[data-testid=stApp][data-test-script-state=notRunning]'))",
        arg=end,
    )


def settled(act):
    """Return a method of a locator that first waits until it is there, and the app draws nothing, unless forced."""

    def act_when_settled(locator, *arguments, **options):
        if not options.get("force"):
            locator.wait_for(state="attached", timeout=options.get("timeout"))
            if locator.page.get_by_test_id("stApp").count():
                settle(locator.page)
        return act(locator, *arguments, **options)

    return act_when_settled
