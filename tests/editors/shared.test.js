// What all editors share, and those of whole texts: classes, pairs, answers; keys, the palette, reviews, two suggestions.

import assert from "node:assert/strict";
import { test } from "node:test";
import { open, payloads, tick, window } from "./harness.js"; // before what needs a document
import start from "../../annotate/components/editors/editor.js";
import { learn } from "../../annotate/components/editors/messages.js";

test("one key chooses a class, and leads on, and back again", () => {
  const page = open("nli");
  assert.deepEqual(page.texts(".caption"), ["Premise", "Hypothesis"]);
  assert.deepEqual(page.leave("2"), { label: "neutral" });
  page.leave("Alt+ArrowLeft");
  assert.equal(page.text(".choice.chosen"), "2neutral");
  page.press("Enter"); // what is chosen is confirmed
  tick(1000);
  page.leave("Alt+ArrowLeft");
  assert.deepEqual(page.leave("1"), { label: "entailment" });
  page.press("Enter"); // nothing is suggested
  page.click(page.all(".choice")[2]);
  assert.deepEqual(page.saved(), { label: "contradiction" });
  assert.equal(page.server.item.done, true);
});

test("a suggested class is confirmed, or another chosen", () => {
  const page = open("topic_suggested");
  assert.deepEqual([page.texts(".choice.guess"), page.said], [["4sports 90%"], "el mar canta: sports, suggested, 90%"]);
  page.press("Ctrl+Enter");
  assert.equal(page.note, "no class yet");
  page.press("Enter");
  assert.deepEqual(page.saved(), { label: "sports" });
  tick(1000);
  assert.deepEqual(page.press("Ctrl+z", "Shift+A").saved(), { label: "sports" });
  assert.equal(page.said, "el mar canta: sports, confirmed");
});

test("of several classes each key takes one or leaves it, and Enter goes on", () => {
  const page = open("several_suggested");
  assert.deepEqual(page.texts(".choice.guess").map((text) => text.slice(1)), ["sports 90%", "health 90%"]);
  page.press("3");
  assert.deepEqual([page.saved(), page.server.item.done], [{ label: page.server.item.labels[2].name }, false]);
  page.press("3", "Enter"); // none is taken: what is suggested
  assert.deepEqual(page.saved(), { label: "health|sports" });
  tick(1000);
  assert.equal(page.said, "el mar canta: health|sports, confirmed");
  const [other] = page.server.item.labels.map(({ name }) => name).filter((name) => !["health", "sports"].includes(name));
  page.click(page.all(".choice").find((button) => button.textContent.includes(other)));
  page.press("Enter");
  assert.deepEqual(page.saved().label.split("|").sort(), ["health", "sports", other].sort());
  assert.equal(page.server.item.done, true);
});

/** An answer as Python counts: in code points. */
const at = (context, text, start = context.indexOf(text)) => ({ text, start: [...context.slice(0, start)].length });

/** Select a part of the paragraph as the mouse does, from one place in UTF-16 to another. */
function select(page, start, end) {
  const paragraph = page.find(".context");
  const text = paragraph.textContent;
  const selection = { rangeCount: 1, toString: () => text.slice(start, end), removeAllRanges: () => {}, getRangeAt: () => ({ startContainer: null, startOffset: start }) };
  document.getSelection = () => selection;
  document.createRange = () => ({ setStart: () => {}, setEnd: () => {}, toString: () => text.slice(0, start) });
  page.mouse(paragraph, "pointerup");
}

test("answers are selected by keys and by mouse, with offsets in code points", () => {
  const page = open("qa");
  const [{ context }] = page.server.item.example.paragraphs;
  const where = (text) => context.indexOf(text);
  const pick = (text) => select(page, where(text), where(text) + text.length);
  pick("Jürgen");
  pick("Jürgen"); // twice is once
  page.press("ArrowRight", "Shift+ArrowRight", "Shift+ArrowRight", "Enter");
  assert.equal(page.text(".answer bdi"), "Jürgen · Ayumi und Jürgen");
  page.press("ArrowDown", "ArrowRight", "ArrowLeft", "Shift+ArrowLeft", "Enter", "Backspace");
  pick("東京 🗼");
  select(page, 3, 3);
  page.press("ArrowDown", "ArrowDown", "Ctrl+Enter");
  assert.equal(page.note, "no answer yet: “Warum?”");
  page.press("0", "ArrowUp", "ArrowUp", "Enter", "Backspace");
  assert.deepEqual(page.finish(), {
    answers: { who: [at(context, "Jürgen"), at(context, "Ayumi und Jürgen")], where: [at(context, "東京 🗼")], why: [] },
  });
});

test("what is not answered yet is opened instead of done, and Home and End lead through its paragraph", () => {
  const page = open("qa").press("ArrowDown", "0", "Ctrl+Enter");
  assert.deepEqual([page.text(".question"), page.note], ["Wer?", "no answer yet: “Wer?” and 1 more"]);
  const [first, last] = [["Home"], ["End"]].map((keys) => page.press(...keys).text("mark.cursor"));
  const { context } = page.server.item.example.paragraphs[0];
  assert(context.startsWith(first) && context.endsWith(last) && first !== last);
});

test("no answer ends inside a letter", () => {
  const page = open("qa_hindi");
  const [{ context }] = page.server.item.example.paragraphs;
  select(page, context.indexOf("किताब"), context.indexOf("किताब") + 3); // ta without its vowel sign
  assert.deepEqual(page.saved().answers.what, [at(context, "किता")]);
});

test("a suggested answer is confirmed question by question", () => {
  const page = open("second_qa");
  assert.deepEqual([page.texts("mark.guess"), page.said], [["Lima"], "quien?: Lima, suggested; at Ana"]);
  page.press("c", "c", "0", "Ctrl+z", "Shift+A", "0");
  assert.deepEqual(page.finish().answers, { q1: [{ text: "Lima", start: 12 }], q2: [] });
});

const SAID = [
  ["pos", [], "She: open"],
  ["pos", ["."], "She: open; a sentence ends here"],
  ["morphology_suggested", [], "talossa: NOUN, suggested, 90%; lemma talo, suggested; features Case=Ine|Number=Sing, suggested"],
  ["morphology", ["n"], "talossa: NOUN, confirmed; lemma open; features open"],
  ["dep", ["ArrowRight", "Enter"], "loves: the head of loves?"],
  ["dep", ["Enter", "2", "Enter"], "She: ?, head loves, relation open"],
  ["dep_suggested", [], "It: nsubj 90%, head snow, suggested"],
  ["ner", ["1"], "In: PER, confirmed"],
  ["ner", ["Backspace"], "In: no entity, confirmed"],
  ["ner", ["Shift+ArrowRight"], "In New: open"],
  ["ner_suggested", [], "Ana: PER, suggested, 90%"],
  ["qa", ["0"], "Wer?: no answer, confirmed; at 👩‍👩‍👧"],
  ["review_pos", [], "Tanaka: open, PROPN or NOUN"],
];
for (const [name, keys, said] of SAID)
  test(`a screen reader hears: ${said}`, () => {
    const page = open(name);
    const voice = page.find("[aria-live]");
    assert.equal(page.press(...keys).said, said);
    assert(page.find("[aria-live]") === voice); // what is drawn anew is not heard
    for (const node of page.all("[aria-current=true]")) if (!keys.includes("Shift+ArrowRight")) assert(said.startsWith(node.getAttribute("aria-label").split(";")[0].split(",")[0]));
  });

test("what the person has decided before is said with how often that was", () => {
  const page = open("pos_suggested");
  page.server.item.suggestion.decided = [3, 1, null, null, null];
  page.reload();
  assert.deepEqual([page.tags[0], page.said], ["PRON ×3", "She: PRON, suggested, as decided 3 times before"]);
  assert.equal(page.press("ArrowRight").said, "loves: VERB, suggested, as decided once before");
});

test("each quotation in a message runs in its own direction", () => {
  const page = open("pos_rtl");
  assert.equal(page.all(".problems bdi").length, 3);
  page.press("Ctrl+Enter");
  assert.deepEqual(page.texts(".note bdi"), page.words.slice(0, 3));
});

test("the line of hints is that of the moment", () => {
  const page = open("dep");
  const hints = () => page.texts(".hints .hint");
  const [first] = [hints()];
  assert(first.includes("Enter choose its head") && first.includes("CtrlEnter done, next"));
  page.press("Enter");
  for (const one of ["Enter attach here", "1 … 9 number of the head", "0 root", "Escape leave"]) assert(hints().includes(one), one);
  assert(!hints().includes("CtrlEnter done, next"));
  page.press("Escape");
  assert.deepEqual(hints(), first);
  for (const [key, said] of [["l", "type to filter"], ["/", "Space where the word splits"], ["Shift+D", "Enter set"], ["Shift+M", "Enter set, next word"]]) {
    assert.equal(page.press(key) && hints()[0], said);
    page.press("Escape");
  }
  const shown = page.press("?").texts(".every .hint"); // all keys
  for (const one of ["s nsubj", "Alts skip", "t across, down, table", "/ split", "ShiftD enhanced dependencies"]) assert(shown.includes(one), one);
  assert.equal(page.press("Escape").all(".every .hint").length, 0);
});

for (const [name, typed, key, label, column] of [["dep", "xc", "x", "xcomp", "deprels"], ["pos", "pro", "p", "PRON", "upos"], ["ner", "lo", "3", "LOC", "entities"]])
  test(`a label is chosen by typing, and stands there with its key: ${label}`, () => {
    const page = open(name);
    page.press("l", ...typed);
    assert.deepEqual([page.text(".option.first kbd"), page.text(".option.first b")], [key, label]);
    page.press("Enter");
    assert(document.activeElement === page.frame);
    assert.match(page.saved()[column][0], new RegExp(`${label}$`));
    const before = page.press("ArrowDown", "ArrowLeft", "l", "ArrowDown", "ArrowDown", "ArrowUp") && page.text(".option.first b");
    assert.equal(page.all(".option")[1].textContent.includes(before), true);
    page.press("Escape", "l", "Enter"); // nothing was typed
    assert.equal(page.find(".asking .option"), null);
    page.press("l", ..."foo", "Enter");
    assert.match(page.text(".asking .why"), /^“foo” is not a (tag|type|UD relation)/);
  });

test("a key of an input method writes, and does nothing else", () => {
  const page = open("pos");
  page.key("n", { isComposing: true });
  page.key("n", { keyCode: 229 });
  page.press("/").fill("Sh e");
  for (const key of ["Enter", "Escape"]) page.key(key, { isComposing: true });
  assert.equal(page.find(".asking input").value, "Sh e");
  page.press("Enter", "l", ..."no");
  page.key("Enter", { keyCode: 229 });
  page.press("Enter");
  assert.deepEqual(page.saved().upos, ["NOUN", "_", "_", "_", "_", "_"]);
});

test("keys are changed in this browser; one that is taken is swapped when it is pressed again", () => {
  const page = open("pos");
  page.press("Ctrl+k", "n", "v");
  assert.match(page.note, /^v is already the key for “VERB”/);
  page.key("Shift");
  page.press("Escape", "n", "v");
  assert.deepEqual(page.tags.slice(0, 2), ["NOUN", "VERB"]);
  page.press("Ctrl+k", "ö", "n", "v", "ü", "n"); // now that of the noun is free
  assert.equal(page.tags[2], "·");
  page.press("ü", "Ctrl+k", "ü", "v", "v");
  assert.equal(page.note, "the new key is v, in this browser");
  page.press("v", "ü");
  assert.deepEqual(page.tags, ["NOUN", "VERB", "NOUN", "NOUN", "VERB"]);
  localStorage.setItem("fewshot keys", "{");
  assert.equal(open("pos").press("n").tags[0], "NOUN");
});

test("two people's tags are decided by one key each", () => {
  const page = open("review_pos");
  assert.deepEqual([page.texts(".disputed .form"), page.texts(".undecided .form")], [["Tanaka", "with"], ["Tanaka", "with"]]);
  assert.deepEqual(page.texts(".disputed .tag"), ["PROPN | NOUN", "ADP | SCONJ"]);
  assert.deepEqual(page.texts(".hints .hint").slice(0, 2), ["[ anna: PROPN", "] ben: NOUN"]);
  page.press("[");
  assert.deepEqual([page.texts(".disputed .form"), page.texts(".undecided .form")], [["Tanaka", "with"], ["with"]]);
  page.press("End", "Ctrl+Enter");
  assert.match(page.note, /with/);
  page.saved();
  page.reload();
  assert.deepEqual(page.texts(".here .form"), ["with"]); // what is not decided comes first
  page.key("]", { altKey: true, ctrlKey: true }); // AltGr
  assert.deepEqual(page.finish().upos.slice(3, 5), ["PROPN", "SCONJ"]);
});

test("two people's trees are decided arc by arc", () => {
  const page = open("review_dep");
  assert.deepEqual([page.texts(".disputed .form"), page.texts(".arc.version .name")], [["Ayumi", "telescope"], ["[ obl", "] nmod"]]);
  assert.equal(page.text(".arc.current .name"), "obj | iobj");
  page.press("[");
  assert.deepEqual(page.texts(".hints .hint").slice(0, 2), ["[ anna: saw ← obl", "] ben: Ayumi ← nmod"]);
  page.press("End", "Ctrl+Enter");
  assert.match(page.note, /telescope/);
  const { heads, deprels } = page.press("]").finish();
  assert.deepEqual([heads[6], deprels[6], deprels[2]], [3, "nmod", "obj"]);
  const { versions } = payloads("review_dep")[0];
  versions[1].annotation.deps = versions[1].annotation.heads.map((_, word) => (word === 2 ? "=|5:obl" : null));
  assert.deepEqual(open("review_dep", { versions }).press("]").saved().deps, versions[1].annotation.deps);
  const nodes = versions[1].annotation.heads.map((_, word) => (word ? null : ["1.1", "x", "_", "_", "_", "_", "_", "_", "2:x", "_"].join("\t")));
  Object.assign(versions[1].annotation, { nodes, deps: nodes.map((_, word) => (word === 2 ? "=|1.1:obl" : null)) });
  const taken = open("review_dep", { versions }).press("]"); // with the nodes at which its arcs begin
  assert.deepEqual([taken.saved().deps[2], taken.saved().nodes], ["=|1.1:obl", nodes]);
  taken.press("Home", "["); // the other version has no nodes, so that arcs from them go
  assert.deepEqual([taken.saved().deps?.[2], taken.saved().nodes], ["=", undefined]);
});

test("two people's entities are decided as a whole", () => {
  const page = open("review_ner");
  assert.deepEqual(page.texts(".hints .hint").slice(0, 2), ["[ anna: Ayumi Tanaka PER", "] ben: Tanaka PER"]);
  page.press("End", "Ctrl+Enter");
  assert.equal(page.note, "not decided: “Ayumi Tanaka”");
  assert.deepEqual(page.press("]").finish().entities.slice(2, 4), ["O", "B-PER"]);
});

test("nested entities of two people are decided with those around them, and taken whole", () => {
  const { versions } = payloads("review_ner")[0];
  ["B-ORG", "I-ORG|B-PER"].forEach((tag, at) => (versions[0].annotation.entities[2 + at] = tag));
  ["B-ORG", "I-ORG"].forEach((tag, at) => (versions[1].annotation.entities[2 + at] = tag));
  const page = open("review_ner", { versions });
  assert.deepEqual(page.texts(".hints .hint").slice(0, 2), ["[ anna: Ayumi Tanaka ORG | Tanaka PER", "] ben: Ayumi Tanaka ORG"]);
  assert.deepEqual(page.press("[").finish().entities.slice(2, 4), ["B-ORG", "I-ORG|B-PER"]);
});

test("a suggestion takes no nested entity away", () => {
  const page = open("second_ner");
  assert.deepEqual(page.all(".second .choice").length, 1);
  const annotation = { ...payloads("second_ner")[0].example, entities: ["O", "B-LOC", "I-LOC|B-PER"] };
  const nested = open("second_ner", { nested: true, annotation });
  assert.deepEqual([nested.all(".second li").length, nested.all(".second .choice").length], [1, 0]);
});

test("words that two people have cut otherwise are taken with what they are", () => {
  const page = open("review_words");
  assert.deepEqual([page.texts(".undecided .form"), page.tags], [["cannot"], ["PRON", "NOUN", "VERB", "PUNCT"]]);
  assert.deepEqual(page.texts(".hints .hint").slice(0, 2), ["[ anna: NOUN", "] ben: can + not"]);
  page.press("]");
  assert.deepEqual([page.words, page.tags], [["You", "can", "not", "go", "."], ["PRON", "AUX", "PART", "VERB", "PUNCT"]]);
  assert.deepEqual(page.press("Ctrl+z", "[").finish().upos, ["PRON", "NOUN", "VERB", "PUNCT"]);
  const tree = open("review_words_dep").press("]").finish();
  assert.deepEqual([tree.words.length, tree.heads, tree.deprels], [5, [4, 4, 4, 0, 4], ["nsubj", "aux", "advmod", "root", "punct"]]);
});

test("an end of a sentence is one person's or the other's, and so is a join", () => {
  const page = open("review_ends");
  assert.deepEqual([page.all(".end").length, page.texts(".disputed .form")], [0, [".", "Stay"]]);
  assert.deepEqual(page.press("Home", "ArrowRight", "]").saved().ends, [2]);
  assert.equal(page.press("Home", "ArrowRight", "[").saved().ends, undefined);
  const street = open("review_join");
  assert.deepEqual([street.words, street.texts(".undecided .form")], [["Go", "St.", "John", "now"], ["John", "now"]]);
  assert.deepEqual(street.press("End", "]").words, ["Go", "St."]);
  assert.deepEqual(street.press("Ctrl+z", "End", "[", "ArrowLeft", "[").saved().upos, ["VERB", "PROPN", "PROPN", "ADV"]);
});

test("classes that two people chose are decided", () => {
  const page = open("review_topic");
  assert.deepEqual(page.texts(".hints .hint").slice(0, 2), ["[ anna: sports", "] ben: health"]);
  assert.deepEqual(page.press("]").finish(), { label: "health" });
});

test("answers that two people gave are decided question by question", () => {
  const answers = [{ q1: [{ text: "Ana", start: 0 }], q2: [] }, { q1: [{ text: "Lima", start: 12 }], q2: [] }];
  const versions = answers.map((one, which) => ({ name: ["anna", "ben"][which], annotation: { answers: one } }));
  const page = open("second_qa", { suggestion: null, second: null, versions, annotation: { answers: { q2: [] } } });
  assert.deepEqual(page.texts(".hints .hint").slice(0, 2), ["[ anna: Ana", "] ben: Lima"]);
  assert.deepEqual(page.press("]").finish().answers, answers[1]);
  delete versions[0].annotation.answers.q1;
  assert.deepEqual(open("second_qa", { suggestion: null, second: null, versions, annotation: { answers: answers[1] } }).press("[").saved().answers, { q2: [] });
});

const SECOND = [
  ["second_pos", "3 mar", "NOUN", { upos: ["_", "_", "NOUN"] }],
  ["second_dep", "3 mar", "obl ← voy", { heads: [-1, -1, 1], deprels: ["_", "_", "obl"] }],
  ["second_ner", "al mar", "LOC", { entities: ["_", "B-LOC", "I-LOC"] }],
  ["second_topic", "document classification", "health", { label: "health" }],
  ["second_qa", "quien?", "Ana", { answers: { q1: [{ text: "Ana", start: 0 }] } }],
];
for (const [name, unit, said, wanted] of SECOND)
  test(`what a second model suggests is taken by a button: ${name}`, () => {
    const page = open(name);
    const button = () => page.find(".second button");
    assert.match(page.text(".second"), /^tiny suggests otherwise/);
    assert.deepEqual([button().getAttribute("aria-label"), page.all(".second button").length], [`${unit}: ${said}, suggested by tiny`, 1]);
    page.click(button());
    assert(document.activeElement === page.frame);
    assert.deepEqual(page.saved(), wanted);
    assert.equal(button().getAttribute("aria-pressed"), "true");
    page.press("Ctrl+z").saved();
    button().focus();
    page.press("Enter"); // a key stays on the button
    assert(document.activeElement === button());
    assert.deepEqual(page.saved(), wanted);
  });

test("two models that suggest the same are said to, and one that says not how sure it is is shown so", () => {
  const same = payloads("second_pos")[0];
  const page = open("second_pos", { second: { ...same.second, annotation: same.suggestion.annotation } });
  assert.equal(page.text(".second"), "tiny suggests the same");
  const alone = open("llm");
  assert.deepEqual([alone.texts(".token.guess .tag"), alone.find(".second")], [["VERB", "ADP", "NOUN"], null]);
  assert.deepEqual(alone.press("Shift+A").finish().upos, ["VERB", "ADP", "NOUN"]);
});

test("the recording of a sentence is played, and stops where the sentence ends", async () => {
  const page = open("pos", { recording: { name: "a.mp3", url: "/recordings/a.mp3", begin: 61.25, end: 63 } });
  const audio = page.find("audio");
  assert.equal(page.text(".recording button"), "ShiftP ▶ 1:01.3–1:03.0");
  page.press("Shift+P");
  await Promise.resolve();
  assert.match(page.text(".recording button"), /■/);
  audio.currentTime = 62;
  audio.dispatchEvent(new window.Event("timeupdate"));
  assert(page.find("progress").value > 0.4);
  audio.currentTime = 63.1;
  tick(50);
  assert.equal(audio.paused, true);
  page.press("Shift+P", "Shift+P");
  audio.dispatchEvent(new window.Event("error"));
  assert.equal(page.text(".recording [role=status]"), "this browser cannot play a.mp3");
  page.server.changes = { recording: { name: "a.mp3", url: "/recordings/a.mp3", begin: 0, end: null } };
  page.show();
  assert.equal(page.text(".recording button"), "ShiftP ▶ 0:00.0");
  page.server.changes = { recording: null };
  page.show();
  assert.equal(page.find(".recording").hidden, true);
});

test("an editor speaks the language of the app, and English where the texts do not come", async (context) => {
  const texts = { "no tag yet: {words}": "noch ohne Wortart: {words}" };
  const fetched = context.mock.method(globalThis, "fetch", async () => ({ json: async () => texts }));
  const parentElement = document.body.appendChild(document.createElement("div"));
  const show = (language) => start({ data: { ...payloads("pos")[0], language }, parentElement, setTriggerValue: () => {} });
  const close = await show("de");
  assert.match(parentElement.querySelector(".problems").textContent, /^noch ohne Wortart: “She”/);
  assert.match(String(fetched.mock.calls[0].arguments[0]), /messages\/de\.json$/);
  fetched.mock.mockImplementation(async () => Promise.reject(new Error("away")));
  await show("fr");
  assert.match(parentElement.querySelector(".problems").textContent, /^no tag yet/);
  close();
  await learn("en");
});

test("texts are texts, never elements", () => {
  const page = open("pos");
  page.server.item.example.words[0] = "<b>She</b>";
  page.reload();
  assert.deepEqual([page.words[0], page.find("b")], ["<b>She</b>", null]);
});
