// How a window and the server agree on what is saved: whatever is lost, doubled, late, or made elsewhere meanwhile.

import assert from "node:assert/strict";
import { test } from "node:test";
import { copy, open, Page, payloads, resize, Server, tick, window } from "./harness.js";

const RESEND = 2500; // milliseconds, as in runtime.js

/** Do what a row of the protocol holds: "n" is a key, "wait 200", "arrive 0" the first message that was sent, "answer 0". */
function follow(page, steps) {
  const answers = [];
  for (const step of steps) {
    const [what, number] = step.split(" ");
    if (what === "wait") tick(Number(number));
    else if (what === "arrive") answers[number] = (page.server.receive(page.sent[number]), page.server.payload);
    else if (what === "answer") page.show(answers[number]);
    else page.press(step);
  }
}

const SENT = ["n", "wait 200"];
const PROTOCOL = [
  ["one change", [...SENT, "arrive 0", "answer 0"], "1/1 saved", [1], 1],
  ["several changes are one message", ["n", "v", "n", "wait 200", "arrive 0", "answer 0"], "3/3 saved", [3], 1],
  ["nothing is answered yet", [...SENT, "arrive 0"], "1/0 saving", [1], 1],
  ["a lost message is sent again", [...SENT, "wait 2500", "arrive 1", "answer 1"], "1/1 saved", [1, 1], 1],
  ["so is one whose answer was lost, and is stored once", [...SENT, "arrive 0", "wait 2500", "arrive 1", "answer 1"], "1/1 saved", [1, 1], 1],
  ["a doubled message is stored once", [...SENT, "arrive 0", "arrive 0", "answer 0"], "1/1 saved", [1], 1],
  ["an answer to an older message", [...SENT, "v", "wait 200", "arrive 0", "answer 0"], "2/1 saving", [1, 2], 1],
  ["answers one after the other", [...SENT, "v", "wait 200", "arrive 0", "answer 0", "arrive 1", "answer 1"], "2/2 saved", [1, 2], 2],
  ["answers the other way round", [...SENT, "v", "wait 200", "arrive 0", "arrive 1", "answer 1", "answer 0"], "2/2 saved", [1, 2], 2],
  ["messages the other way round", [...SENT, "v", "wait 200", "arrive 1", "arrive 0", "answer 0"], "2/2 saved", [1, 2], 1],
  ["an answer twice", [...SENT, "arrive 0", "answer 0", "v", "answer 0"], "2/1 saving", [1], 1],
  ["a server that does not answer for long", [...SENT, "wait 7500"], "1/0 server unreachable; kept in this window", [1, 1, 1, 1], 0],
  ["undo is a change", [...SENT, "Ctrl+z", "wait 200", "arrive 1", "answer 1"], "2/2 saved", [1, 2], 1],
  ["nothing to do again", ["Ctrl+y", "wait 200"], "0/0 nothing to save", [], 0],
  ["the same again is no change", [...SENT, "arrive 0", "answer 0", "ArrowLeft", "n", "wait 200"], "1/1 saved", [1], 1],
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

test("what a window makes while the server is away is sent when the network is back", () => {
  const page = open("pos");
  page.held = true;
  navigator.onLine = false;
  page.press("n");
  tick(200);
  assert.equal(page.text(".state"), "server unreachable; kept in this window");
  assert.deepEqual(page.press("v", "n").tags.slice(0, 3), ["NOUN", "VERB", "NOUN"]); // drawn at once
  page.held = false;
  tick(200);
  window.dispatchEvent(new window.Event("online"));
  navigator.onLine = true;
  assert.equal(page.saved().upos[2], "NOUN");
});

const LEAVING = [
  ["Ctrl+Enter", ["n", "n", "n", "n", "k", "wait 200"], "next", true],
  ["Alt+ArrowRight", SENT, "next", false],
  ["Alt+s", SENT, "skip", false],
];
for (const [key, steps, go, done] of LEAVING)
  test(`${key} leads to the next item when all is acknowledged, and keys change nothing meanwhile`, () => {
    const page = new Page(new Server(payloads("pos")), true);
    follow(page, steps);
    page.press(key);
    tick(200);
    page.press("v", "Ctrl+z", "Alt+ArrowLeft");
    const last = page.sent.at(-1);
    assert.deepEqual([last.go, last.done], [undefined, done]);
    page.deliver(page.sent[0], true); // an older answer leads nowhere
    if (done) assert.equal(page.sent.at(-1), last);
    page.deliver(last);
    tick(200);
    assert.deepEqual([page.sent.at(-1).go, page.sent.at(-1).seq], [go, last.seq]);
    tick(RESEND); // this was lost
    assert.equal(page.sent.at(-1).go, go);
    page.deliver();
    assert.deepEqual(page.words, ["It", "will", "snow", "tonight", "."]);
    assert.equal(page.server.items[0].annotation.upos[0], "NOUN");
    page.press("v");
    tick(200);
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

test("an item that a button led away from is saved with what it has", () => {
  const page = new Page(new Server(payloads("pos")), true);
  page.press("n");
  page.server.shown = 1;
  page.show();
  assert.deepEqual([page.sent[0].left, page.sent[0].annotation.upos[0], page.words[0]], [true, "NOUN", "It"]);
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
  page.held = false;
  page.saved();
  assert.equal(page.server.item.done, true);
});

/** A page whose first word is a noun, and another window that makes something else of the sentence. */
function twoWindows(upos, done) {
  const page = open("pos");
  page.press("n").saved();
  page.server.save({ upos }, done);
  return page;
}

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
  assert.deepEqual(page.sent.at(-1), { item: page.server.item.item, seq: 0 });
  tick(RESEND + 100);
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
  const times = page.sent.filter(({ item, go }) => item === page.server.items[0].item && !go).at(-1);
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
    tick(200);
    page.deliver();
    tick(3000);
    assert.equal(page.sent.at(-1).go, 77);
  }
});
