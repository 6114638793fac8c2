// How a window and the server agree on what is saved: whatever is lost, doubled, late, or made elsewhere meanwhile.

import assert from "node:assert/strict";
import { test } from "node:test";
import { copy, open, Page, payloads, resize, Server, tick, window } from "./harness.js";

const REPEAT = 2500; // milliseconds, as in requests.js
const BURST = 150; // milliseconds, as in runtime.js

/** Do what a row of the protocol holds: "n" is a key, "arrive 0" the first revision that was sent, "answer 0" what the
 * server said of it, "fail 0" that no answer comes, "503 0" a status without a revision. */
function follow(page, steps) {
  const answers = [];
  for (const step of [...steps, "wait 0"]) {
    const [what, number] = step.split(" ");
    if (number !== undefined) tick(BURST); // after the keys before it
    if (what === "wait") tick(Number(number));
    else if (what === "arrive") answers[number] = page.server.receive(page.sent[number]);
    else if (what === "answer") page.answered[number](answers[number]);
    else if (what === "fail") page.answered[number]({ status: 0 });
    else if (/^\d{3}$/.test(what)) page.answered[number]({ status: Number(what), error: `error ${what}` });
    else page.press(step);
  }
}

/** Show another item, as a button of the page does. */
function showItem(page, shown) {
  page.server.shown = shown;
  page.show();
}

const PROTOCOL = [
  ["one change", ["n", "arrive 0", "answer 0"], "1/1 saved", [1], 1],
  ["changes in one burst are one revision", ["n", "v", "n", "arrive 0", "answer 0"], "3/3 saved", [3], 1],
  ["so are changes while a revision is on its way", ["n", "wait 0", "v", "wait 0", "n", "arrive 0", "answer 0", "arrive 1", "answer 1"], "3/3 saved", [1, 3], 2],
  ["nothing is answered yet", ["n", "wait 0", "v", "arrive 0"], "2/0 saving", [1], 1],
  ["a lost revision is sent again", ["n", "fail 0", "wait 500", "arrive 1", "answer 1"], "1/1 saved", [1, 1], 1],
  ["so is one whose answer was lost, and is stored once", ["n", "arrive 0", "fail 0", "wait 500", "arrive 1", "answer 1"], "1/1 saved", [1, 1], 1],
  ["what is sent again is the newest", ["n", "fail 0", "v", "wait 500", "arrive 1", "answer 1"], "2/2 saved", [1, 2], 1],
  ["a doubled revision is stored once", ["n", "arrive 0", "arrive 0", "answer 0"], "1/1 saved", [1], 1],
  ["a revision that arrives after a newer one", ["n", "fail 0", "v", "wait 500", "arrive 1", "arrive 0", "answer 1"], "2/2 saved", [1, 2], 1],
  ["pauses grow while the server is away", ["n", "fail 0", "wait 500", "fail 1", "wait 500"], "1/0 server unreachable; kept in this window", [1, 1], 0],
  ["a server that does not answer for long", ["n", "wait 7500"], "1/0 server unreachable; kept in this window", [1], 0],
  ["a database that is locked", ["n", "503 0", "wait 500", "arrive 1", "answer 1"], "1/1 saved", [1, 1], 1],
  ["a session that has ended goes on after the next sign-in", ["n", "401 0", "wait 500", "arrive 1", "answer 1"], "1/1 saved", [1, 1], 1],
  ["what is refused is not sent again", ["n", "422 0", "wait 9000"], "1/0 not saved; kept in this window", [1], 0],
  ["but the next change is", ["n", "422 0", "v", "arrive 1", "answer 1"], "2/2 saved", [1, 2], 1],
  ["undo is a change", ["n", "arrive 0", "answer 0", "Ctrl+z", "arrive 1", "answer 1"], "2/2 saved", [1, 2], 2],
  ["nothing to do again", ["Ctrl+y"], "0/0 nothing to save", [], 0],
  ["the same again is no change", ["n", "arrive 0", "answer 0", "ArrowLeft", "n"], "1/1 saved", [1], 1],
];
for (const [name, steps, standing, sent, stored] of PROTOCOL)
  test(`saved until acknowledged: ${name}`, () => {
    const page = new Page(new Server(payloads("pos")), true);
    follow(page, steps);
    const { seq, acked } = page.frame.dataset;
    assert.equal(`${seq}/${acked} ${page.text(".state")}`, standing);
    assert.deepEqual(page.sent.map((event) => event.seq), sent);
    assert.equal(page.server.revisions, stored);
    if (seq === acked && stored) assert.deepEqual(page.server.item.annotation.upos.map((tag) => tag.replace("_", "·")), page.tags);
  });

test("why something is not saved is said until it is", () => {
  const page = new Page(new Server(payloads("pos")), true);
  follow(page, ["n", "503 0"]);
  assert.equal(page.note, "error 503");
  follow(page, ["wait 500", "arrive 1", "answer 1"]);
  page.deliver();
  assert.equal(page.note, "");
});

test("an answer of the page that is older than what was acknowledged since takes nothing back", () => {
  const page = open("pos");
  page.press("n").saved();
  const old = page.server.payload;
  page.press("v").saved();
  page.show(old);
  assert.deepEqual([page.tags.slice(0, 2), page.text(".state"), page.note], [["NOUN", "VERB"], "saved", ""]);
  page.press("n").saved();
  assert.equal(page.server.heard.at(-1).seen, page.server.revisions - 1);
});

test("what a window has changed since the server answered is sent with each revision", () => {
  const page = new Page(new Server(payloads("pos")), true);
  follow(page, ["n", "arrive 0", "answer 0", "v", "fail 1", "wait 500", "arrive 2", "answer 2", "Ctrl+z", "arrive 3"]);
  assert.deepEqual(page.sent.map(({ changed }) => changed), [{ upos: [0] }, { upos: [1] }, { upos: [1] }, { upos: [1] }]);
});

test("what was taken back before an answer came is sent as changed, since the server may have it", () => {
  const page = new Page(new Server(payloads("pos")), true);
  follow(page, ["n", "arrive 0", "fail 0", "Ctrl+z", "wait 500", "arrive 1", "answer 1", "v", "arrive 2"]);
  assert.deepEqual(page.sent.map(({ changed }) => changed), [{ upos: [0] }, { upos: [0] }, { upos: [0] }]);
  page.answered[2]({ status: 0 });
  follow(page, ["wait 500", "arrive 3", "answer 3", "n", "wait 200"]);
  assert.deepEqual(page.sent.at(-1).changed, { upos: [1] });
});

const WORD_4 = ["n", "v", "wait 0", "arrive 0", "answer 0", "End", "k", "fail 1"];
const DRAFTS = [
  ["what another task has changed meanwhile is not", WORD_4, "ADJ", { upos: [4] }],
  ["what was taken back is, where it was stored without an answer", ["n", "arrive 0", "fail 0", "Ctrl+z"], null, { upos: [0] }],
  ["what was taken back is, where it may be stored later", ["n", "wait 0", "fail 0", "Ctrl+z"], null, { upos: [0] }],
  ["what was stored without an answer is not", ["n", "arrive 0", "fail 0", "v"], "ADJ", { upos: [1] }],
];
const RETURNS = [
  ["a reload", (page) => page.reload()],
  ["a button that leads away, and back", (page) => [1, 0].forEach((shown) => showItem(page, shown))],
];
for (const [way, back] of RETURNS)
  for (const [name, steps, theirs, changed] of DRAFTS)
    test(`what is sent as changed after ${way}: ${name}`, () => {
      const page = new Page(new Server(payloads("pos")), true);
      follow(page, steps);
      if (theirs) page.server.item.annotation.upos[0] = theirs; // in a tree: it is no revision of this item
      back(page);
      tick(5000);
      assert.deepEqual(page.sent.at(-1).changed, changed);
    });

const OTHER_TASK = [
  ["the answer to a save", (page, annotation) => { page.server.values = { annotation }; }],
  ["the page, drawn anew", (page, { upos }) => {
    page.server.item.annotation.upos = upos.with(2, "_"); // in a tree: it is no revision of this item
    page.show();
  }],
];
for (const [way, tell] of OTHER_TASK)
  test(`a value that another task has set is shown where this window has not changed it, by ${way}`, () => {
    const page = open("pos");
    page.press("n", "v").saved();
    const { words, ranges } = page.sent.at(-1).annotation;
    tell(page, { words, ranges, upos: ["ADJ", "VERB", "NOUN", "_", "_"] });
    page.press("Home", ...Array(2).fill("ArrowRight"), "n").saved();
    page.server.values = {};
    assert.deepEqual([page.tags.slice(0, 3), page.sent.at(-1).changed], [["ADJ", "VERB", "NOUN"], { upos: [2] }]);
    page.press("Ctrl+z").saved();
    assert.deepEqual([page.tags.slice(0, 3), page.sent.at(-1).changed], [["ADJ", "VERB", "·"], { upos: [2] }]);
    page.press("Ctrl+z", "Ctrl+z").saved();
    assert.deepEqual([page.tags.slice(0, 3), page.sent.at(-1).changed], [["·", "·", "·"], { upos: [0, 1] }]); // it was this window's own
  });

test("a value that another task has set leaves what this window has changed since it was sent", () => {
  const page = new Page(new Server(payloads("pos")), true);
  follow(page, ["n", "wait 0", "arrive 0", "Home", "x"]);
  const { words, ranges } = page.sent[0].annotation;
  page.answered[0]({ status: 200, acknowledged: 1, revision: 1, done: false, problems: [], annotation: { words, ranges, upos: ["ADJ", "DET", "_", "_", "_"] } });
  follow(page, ["wait 0"]);
  assert.deepEqual([page.tags.slice(0, 3), page.sent.at(-1).changed], [["X", "DET", "·"], { upos: [0] }]);
});

test("tags below a tree, and its corrections, are those that another window has set by now", () => {
  const page = open("dep");
  Object.assign(page.server.item, { corrects: ["upos"], tags: [] });
  page.show();
  page.press("Home", "0").saved();
  const { example } = page.server.item;
  const { annotation } = page.sent.at(-1);
  const blank = annotation.words.map(() => null);
  page.server.values = { example: { ...example, upos: blank.map(() => "X") }, annotation: { ...annotation, upos: blank.with(1, "ADJ") } };
  page.press("ArrowRight", "1", "Enter").saved();
  assert.deepEqual(page.texts(".below").filter((text) => /[A-Z]/.test(text)), ["X", "ADJ", "X", "X", "X"]);
});

test("what the page says is stored is not sent as changed again", () => {
  const page = new Page(new Server(payloads("pos")), true);
  follow(page, ["n", "arrive 0", "fail 0"]);
  page.show();
  follow(page, ["v", "wait 5000"]);
  assert.deepEqual(page.sent.at(-1).changed, { upos: [1] });
});

test("what was taken back stays so where another window has saved over what was stored without an answer", () => {
  for (const isReloaded of [false, true]) {
    const page = new Page(new Server(payloads("pos")), true);
    follow(page, ["n", "arrive 0", "fail 0"]);
    page.server.save({ upos: ["NOUN", "VERB", "_", "_", "_"] });
    page.press("Ctrl+z");
    page.held = false;
    if (isReloaded) page.reload();
    tick(5000);
    assert.match(page.note, /both versions are merged here/);
    assert.deepEqual(page.saved().upos, ["_", "VERB", "_", "_", "_"]);
    page.close();
    localStorage.clear();
  }
});

test("what a window makes while the server is away is sent when the network is back", () => {
  const page = open("pos");
  page.held = true;
  navigator.onLine = false;
  follow(page, ["n", "fail 0"]);
  assert.equal(page.text(".state"), "server unreachable; kept in this window");
  assert.deepEqual(page.press("v", "n").tags.slice(0, 3), ["NOUN", "VERB", "NOUN"]); // drawn at once
  page.held = false;
  navigator.onLine = true;
  window.dispatchEvent(new window.Event("online"));
  assert.equal(page.saved().upos[2], "NOUN");
});

const LEAVING = [
  ["Ctrl+Enter", ["n", "n", "n", "n", "k"], "next", true],
  ["Alt+ArrowRight", ["n"], "next", false],
  ["Alt+s", ["n"], "skip", false],
  ["Alt+ArrowDown", ["n"], "task after", false],
  ["Alt+ArrowUp", ["n"], "task before", false],
];
for (const [key, steps, go, done] of LEAVING)
  test(`${key} leads to the next item when all is acknowledged, and keys change nothing meanwhile`, () => {
    const page = new Page(new Server(payloads("pos").map((item) => ({ ...item, tasks: 2 }))), true);
    follow(page, [...steps, "wait 0", key, "v", "Ctrl+z", "Alt+ArrowLeft"]);
    assert.deepEqual([page.sent.length, page.moves], [1, []]);
    page.deliver();
    if (done) page.deliver(); // what was made while the first was on its way
    assert.deepEqual([page.sent.at(-1).done, page.moves.map((move) => move.go)], [done, [go]]);
    page.show(); // the page is drawn again, which is no answer
    tick(REPEAT); // the request was lost
    assert.deepEqual(page.moves.map((move) => move.go), [go, go]);
    page.turn();
    assert.deepEqual(page.words, ["It", "will", "snow", "tonight", "."]);
    assert.equal(page.server.items[0].annotation.upos[0], "NOUN");
    follow(page, ["v"]);
    assert.equal(page.sent.at(-1).item, page.server.item.item);
  });

test("the first item is before the second, and what was done stands there with its undo", () => {
  const page = open("pos");
  page.press("n", "v");
  page.leave("Alt+ArrowRight");
  page.press("k");
  page.leave("Alt+ArrowLeft");
  assert.deepEqual(page.tags.slice(0, 3), ["NOUN", "VERB", "·"]);
  assert.deepEqual(page.press("Ctrl+z", "Ctrl+z", "Ctrl+Shift+Z").tags.slice(0, 2), ["NOUN", "·"]);
  page.leave("Alt+ArrowRight");
  assert.equal(page.tags[0], "PUNCT");
  assert.deepEqual(page.server.items[0].annotation.upos.slice(0, 2), ["NOUN", "_"]);
  page.press("Alt+ArrowRight"); // behind the last one there is none
  tick(1000);
  assert.deepEqual(page.press("Home", "v").saved().upos[0], "VERB");
});

test("an item that a button led away from is saved with what it has, however often that takes", () => {
  const page = new Page(new Server(payloads("pos")), true);
  const [first] = page.server.items;
  follow(page, ["n", "wait 0", "v", "fail 0"]);
  page.server.shown = 1;
  page.show();
  assert.equal(page.words[0], "It");
  follow(page, ["n", "wait 500", "fail 1", "wait 1000", "arrive 2", "answer 2", "arrive 3", "answer 3"]);
  assert.deepEqual(page.sent.map(({ item, left, seq }) => [item === first.item, left, seq]), [[true, undefined, 1], [true, true, 2], [true, true, 2], [false, undefined, 1]]);
  assert.deepEqual(first.annotation.upos.slice(0, 2), ["NOUN", "VERB"]);
});

test("an item to which somebody comes back before it was saved goes on from its draft", () => {
  const page = new Page(new Server(payloads("pos")), true);
  follow(page, ["n", "fail 0"]);
  for (const shown of [1, 0]) showItem(page, shown);
  page.held = false;
  assert.equal(page.press("End", "v").saved().upos.join(" "), "NOUN _ _ _ VERB");
});

test("the page is drawn again when something is done, or is done no more, and when sentences are joined", () => {
  const page = open("pos");
  page.press("n").saved();
  assert.deepEqual(page.moves, []);
  page.server.item.done = true;
  page.show();
  page.press("v").saved();
  tick(100);
  assert.equal(page.moves.length, 1);
  assert.equal(page.moves[0].go, undefined);
});

test("what is not done is not sent as done, and what the server refuses stays here", () => {
  const page = open("pos");
  page.press("n", "Ctrl+Enter");
  assert.equal(page.note, "no tag yet: “loves”, “New”, “York” and 1 more");
  assert.equal(page.text(".here .form"), "loves");
  page.press("v", "n", "n", "k");
  page.server.refuses = () => true;
  page.press("Ctrl+Enter");
  tick(1000);
  assert.deepEqual([page.words[0], page.server.item.done, page.text(".state")], ["She", false, "saved"]);
  page.server.refuses = () => false;
  assert.equal(page.press("Home", "v").leave().upos[0], "VERB");
});

test("what was done is opened by a button, and is done until something is changed", () => {
  const page = open("nli");
  page.leave("1");
  page.leave("Alt+ArrowLeft");
  assert.equal(page.text(".state"), "saved as done");
  page.server.item.done = false;
  page.show();
  assert.equal(page.text(".state"), "saved");
});

test("a draft is gone on from after a reload, undo included", () => {
  const page = open("pos");
  page.held = true;
  page.press("n", "v");
  page.reload();
  assert.deepEqual([page.note, page.tags.slice(0, 2)], ["unsaved changes were restored", ["NOUN", "VERB"]]);
  page.held = false;
  assert.equal(page.saved().upos[1], "VERB");
  page.reload();
  assert.equal(page.note, "");
  page.press("Ctrl+z", "Ctrl+z", "Ctrl+y");
  assert.deepEqual(page.saved().upos.slice(0, 2), ["NOUN", "_"]);
});

test("what undo leads back to is of its own words, whatever words another task has by now", () => {
  const page = open("pos");
  const words = [...page.words];
  page.press("n", "Home").ask("/", "Sh e").saved();
  Object.assign(page.server.item.example, { words: ["Sh", "e", ...words.slice(1)] }); // the tree has them too
  page.show();
  page.press("Ctrl+z").saved();
  assert.deepEqual([page.words, page.tags[0], page.server.heard.at(-1).annotation.words], [words, "NOUN", words]);
});

test("words that another task has by now are taken over, but not under what is not saved yet", () => {
  const page = open("pos");
  const repaired = ["Sh", "e", ...page.words.slice(1)];
  page.server.item.example.words = repaired;
  page.show();
  assert.deepEqual([page.words, page.note], [repaired, "another window has changed this example; this is the newest version"]);
  page.press("n").saved();
  page.server.item.example.words = ["S", "h", ...repaired.slice(1)];
  page.server.item.annotation = { upos: ["NOUN", ...Array(6).fill("_")] };
  page.show();
  assert.deepEqual([page.words.length, page.tags[0]], [7, "NOUN"]);
  page.press("v"); // which is on its way
  page.server.item.example.words = repaired;
  page.server.item.annotation = null;
  page.show();
  assert.deepEqual([page.words.length, page.tags[0]], [7, "VERB"]);
});

test("a draft of an older version, which names no words, is gone on from", () => {
  const { scope, item } = payloads("pos")[0];
  const draft = { annotation: { upos: ["NOUN", "_", "_", "_", "_"] }, past: [{ annotation: { upos: Array(5).fill("_") }, place: { word: 0 } }], future: [], base: null, unsaved: true };
  localStorage.setItem(`fewshot ${scope} ${item}`, JSON.stringify(draft));
  const page = open("pos");
  assert.deepEqual([page.tags[0], page.press("Ctrl+z").tags[0], page.words[0]], ["NOUN", "·", "She"]);
});

test("a draft that cannot be read, or kept, is none", (context) => {
  localStorage.setItem(`fewshot ${payloads("pos")[0].scope} ${payloads("pos")[0].item}`, "{");
  const page = open("pos");
  context.mock.method(window.Storage.prototype, "setItem", () => {
    throw new Error("full");
  });
  page.press(..."nvnvnvnvnvnvnvnv".split("").flatMap((key) => ["Home", key]));
  assert.equal(page.saved().upos[0], "VERB");
});

test("a draft of something done is sent as done", () => {
  const page = open("nli");
  page.held = true;
  page.press("1");
  page.reload();
  page.deliver();
  assert.equal(page.server.item.done, true);
});

test("what a closing window sends may arrive before the draft is gone on from", () => {
  const page = new Page(new Server(payloads("nli")), true);
  page.press("1").deliver(0, false); // nobody hears of that
  page.reload();
  assert.deepEqual([page.sent.length, page.server.item.done, page.text(".state")], [1, true, "saved as done"]);
});

/** A page whose first word is a noun, and another window that makes something else of the sentence. */
function twoWindows(upos, done) {
  const page = open("pos");
  page.press("n").saved();
  page.server.save({ upos }, done);
  return page;
}

test("two windows that have changed different words are put together without a question, also after a reload", () => {
  const page = open("pos");
  page.press("n", "v").saved(); // the next word is at the cursor
  page.server.save({ upos: ["ADJ", "VERB", "_", "_", "_"] });
  page.press("Home", "ArrowRight", "x");
  tick(1000);
  assert.match(page.note, /both versions are merged here/);
  assert.deepEqual(page.saved().upos, ["ADJ", "X", "_", "_", "_"]);
  page.held = true;
  page.press("Home", "ArrowRight", "n");
  page.server.save({ upos: ["DET", "X", "_", "_", "_"] });
  page.reload();
  assert.match(page.note, /both versions are merged here/);
  assert.deepEqual(page.tags.slice(0, 2), ["DET", "NOUN"]);
});

const THEIRS = ["ADJ", "VERB", "_", "_", "_"];

test("where another window has saved too, the two are put together and what differs is decided", () => {
  const apart = twoWindows(["NOUN", "VERB", "_", "_", "_"]);
  apart.press("End", "k");
  tick(1000);
  assert.match(apart.note, /both versions are merged here/);
  assert.deepEqual(apart.saved().upos, ["NOUN", "VERB", "_", "_", "PUNCT"]);
  apart.close();
  localStorage.clear();
  const page = twoWindows(THEIRS);
  page.press("Home", "e", "End", "k");
  tick(1000);
  assert.match(page.note, /^another window has saved this example too; where the two differ/);
  assert.deepEqual(page.server.item.annotation.upos, THEIRS); // until somebody has decided
  assert.deepEqual([page.text(".state"), page.tags], ["two versions, kept in this window", ["PROPN | ADJ", "VERB", "·", "·", "PUNCT"]]);
  assert.deepEqual(page.texts(".hints .hint").slice(0, 2), ["[ this window: PROPN", "] the other window: ADJ"]);
  assert.equal(page.text(".undecided.here .form"), "She");
  page.reload();
  assert.match(page.note, /^another window has saved this example too/);
  assert.equal(page.tags[0], "PROPN | ADJ");
  assert.deepEqual(page.press("[").saved().upos, ["PROPN", "VERB", "_", "_", "PUNCT"]);
  assert.equal(page.press("Home", "]").saved().upos[0], "ADJ");
  assert.deepEqual(page.press("Ctrl+z", "Ctrl+z", "Ctrl+z").saved().upos, ["PROPN", "_", "_", "_", "PUNCT"]);
});

test("a window in which nothing was done takes the newer version, also by looking when somebody comes back", () => {
  const page = twoWindows(THEIRS);
  tick(1000);
  window.dispatchEvent(new window.Event("focus"));
  assert.deepEqual([page.moves.at(-1).item, page.moves.at(-1).go], [page.server.item.item, undefined]);
  tick(100);
  assert.deepEqual([page.note, page.tags[0]], ["another window has changed this example; this is the newest version", "ADJ"]);
  page.server.save({ upos: ["X", ...THEIRS.slice(1)] });
  tick(5000);
  page.key("ArrowRight"); // time is sent when the sentence is left
  page.press("Alt+ArrowRight");
  tick(1000);
  assert.deepEqual([page.server.items[0].annotation.upos[0], page.tags[0], page.words[0]], ["X", "X", "She"]);
  page.leave("Alt+ArrowRight");
});

test("entities on which two windows differ are decided before the sentence is done", () => {
  const page = open("ner");
  page.server.save({ entities: ["B-PER", "_", "_", "_", "_"] });
  page.press("2", "ArrowRight", "Ctrl+Enter");
  tick(1000);
  assert.match(page.note, /^another window has saved this example too/);
  page.press("End", "Ctrl+Enter");
  assert.deepEqual([page.note, page.find(".here").dataset.word], ["not decided: the two windows differ here", "0"]);
  assert.deepEqual(page.press("]").finish().entities, ["B-PER", "O", "O", "O", "O"]);
});

test("an entity that overlaps one of another window is taken whole", () => {
  const page = open("ner");
  page.server.save({ entities: ["_", "_", "B-LOC", "I-LOC", "_"] });
  page.press("Home", "ArrowRight", "Shift+ArrowRight", "2");
  tick(1000);
  assert.deepEqual(page.texts(".hints .hint").slice(0, 2), ["[ this window: New York ORG", "] the other window: York Ana LOC"]);
  assert.deepEqual(page.press("[").saved().entities, ["_", "B-ORG", "I-ORG", "_", "_"]);
});

test("heads of two windows that make a cycle together are to be decided, also without relations", () => {
  const page = open("dep");
  page.press("Home", "2", "Enter").saved();
  page.server.save({ ...page.server.item.annotation, heads: [2, -1, 2, -1, -1] });
  page.press("Home", "ArrowRight", "3", "Enter");
  tick(1000);
  assert.match(page.note, /^another window has saved this example too; where the two differ/);
  assert.deepEqual(page.server.item.annotation.heads, [2, -1, 2, -1, -1]);
  assert.deepEqual(page.press("[").saved().heads, [2, 3, -1, -1, -1]);
});

test("suggestions that come while a sentence is open wait for the next one, and what was seen is sent", () => {
  const page = open("pos");
  const suggestion = { ...payloads("pos_suggested")[0].suggestion, words: page.server.items[1].example.words };
  page.press("n").saved();
  page.server.item.suggestion = copy(suggestion);
  page.server.items[1].suggestion = { ...copy(suggestion), id: 77, by: "newer" };
  page.show();
  assert.equal(page.all(".guess").length, 0);
  page.leave("Alt+ArrowRight");
  assert.equal(page.all(".token.guess").length, 5);
  page.server.item.suggestion = { ...copy(suggestion), id: 78, annotation: { upos: ["X", "X", "X", "X", "X"] } };
  page.show();
  assert.deepEqual(page.tags[0], "PRON 90%");
  page.press("Enter").saved();
  assert.equal(page.sent.at(-1).suggestion, 77);
  page.server.item.suggestion = null; // it is taken back
  page.show();
  assert.equal(page.all(".token.guess").length, 0);
});

test("time at work and changes are counted for each item", () => {
  const page = open("pos");
  const at = (seconds, key) => {
    tick(1000 * seconds);
    page.press(key);
  };
  at(10, "n");
  at(600, "v"); // nobody was there
  page.saved();
  assert.deepEqual([Math.round(page.sent.at(-1).seconds), page.sent.at(-1).edits], [10, 2]);
  page.leave("Alt+ArrowRight");
  at(7, "n");
  page.leave("Alt+ArrowLeft");
  at(5, "ArrowRight");
  at(5, "Alt+ArrowRight"); // time alone counts
  tick(1000);
  const times = page.sent.filter(({ item }) => item === page.server.items[0].item).at(-1);
  assert.deepEqual([Math.round(times.seconds), times.edits], [20, 2]);
});

test("the editor takes the keyboard at the start and when a dialog is closed, not while one is open", () => {
  const page = open("pos");
  assert(document.activeElement === page.frame);
  const opener = document.createElement("button");
  for (const [name, value] of [["aria-haspopup", "dialog"], ["aria-expanded", "true"]]) opener.setAttribute(name, value);
  document.body.append(opener);
  opener.focus();
  tick(1000);
  assert(document.activeElement === opener);
  opener.setAttribute("aria-expanded", "false");
  tick(1000);
  assert(document.activeElement === page.frame);
  opener.focus();
  page.click(opener); // opens and closes before anybody has looked
  tick(1000);
  assert(document.activeElement === page.frame);
  const idle = document.body.appendChild(document.createElement("button"));
  idle.focus();
  page.click(idle);
  assert(document.activeElement === page.frame);
});

test("an editor that the page shows again, without a call, takes the keyboard from the button that chose it", () => {
  const [tags, entities] = [open("pos"), open("ner")];
  assert(document.activeElement === entities.frame);
  const button = document.body.appendChild(document.createElement("button"));
  button.focus();
  tick(1000);
  assert(document.activeElement === button, "while somebody is at a button, no editor is");
  document.activeElement.blur();
  tick(1000);
  assert(document.activeElement === entities.frame, "the editor that Streamlit still holds takes nothing");
  document.activeElement.blur();
  entities.press("1");
  assert(tags.sent.length === 0 && entities.saved().entities[0] !== "O");
  button.focus();
  entities.close(); // Streamlit held the tags, and shows them with what they had
  tick(1000);
  assert(document.activeElement === tags.frame);
});

test("a key that comes while nothing has the keyboard is the editor's", () => {
  const page = open("pos");
  document.activeElement.blur(); // as where Streamlit draws the page anew
  page.press("n", "v");
  assert(document.activeElement === page.frame);
  assert.deepEqual(page.saved().upos.slice(0, 2), ["NOUN", "VERB"]);
  assert.equal(page.sent.at(-1).edits, 2);
});

test("what is dragged over is not drawn anew, nor is what somebody types into", () => {
  const page = open("pos");
  const [first] = page.all(".token");
  page.mouse(first, "pointerdown");
  page.show();
  resize(500);
  assert(page.find(".token") === first);
  page.mouse(first, "pointerup");
  tick(1);
  assert(page.find(".token") !== first);
  page.press("/").fill("Sh e");
  page.show();
  assert.equal(page.find(".asking input").value, "Sh e");
  page.press("Escape");
  const [drawn] = page.all(".token");
  resize(510); // a bar that scrolls
  assert(page.find(".token") === drawn);
  resize(300);
  assert(page.find(".token") !== drawn);
});

test("an editor that was overtaken while its modules came closes nothing", () => {
  const page = open("pos");
  const { unmount } = page;
  page.show();
  unmount();
  assert.equal(page.frame.isConnected, true);
});

test("the sentences around the open one are its text, and a click opens an own one once all is saved", () => {
  const text = { document: "a <b>.conllu", number: 2, all: 4, before: [{ text: "<i>ישן</i>", item: null }], after: [{ text: "Next.", item: 77 }, { text: "Last.", item: null }] };
  for (const editor of ["pos", "dep", "ner"]) {
    const page = new Page(new Server(payloads(editor).map((payload) => ({ ...payload, text }))), true);
    assert.equal(page.text(".where"), "sentence 2 of 4 in a <b>.conllu");
    const shown = [...page.frame.querySelectorAll(".neighbour")];
    assert.deepEqual(shown.map((node) => [node.tagName, node.textContent]), [["DIV", "<i>ישן</i>"], ["BUTTON", "Next."], ["DIV", "Last."]]);
    assert.equal(page.frame.querySelectorAll(".around :is(b, i)").length, 0);
    page.press("Shift+A");
    shown[1].click();
    while (page.frame.dataset.seq !== page.frame.dataset.acked) page.deliver();
    assert.equal(page.moves.at(-1).go, 77);
  }
});
