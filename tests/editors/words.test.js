// The editors of words: tags and morphology, trees, entities; repairs of words, sentences that are cut or joined, MISC.

import assert from "node:assert/strict";
import { test } from "node:test";
import { open, payloads, tick, window } from "./harness.js";

const right = (count) => Array(count).fill("ArrowRight");

/** Attach the word at the cursor, and give it a relation by typing that. */
function attach(page, head, relation) {
  page.press(...(head ? ["Enter", ...String(head), "Enter"] : ["0"]));
  if (head && relation) page.ask("l", relation);
}

function attachAll(page, arcs) {
  arcs.forEach(([head, relation], word) => attach(page.press("Home", ...right(word)), head, relation));
}

test("a sentence is tagged by one key a word, and the cursor goes on", () => {
  const page = open("pos");
  page.press("p", "v", "Home", "ArrowRight", "u", "n", "ArrowLeft", "Backspace", "End", "k");
  assert.deepEqual(page.saved().upos, ["PRON", "AUX", "_", "_", "PUNCT"]);
  page.click(page.all(".token")[2]).click(page.all(".choice")[11]);
  assert.deepEqual([page.tags[2], page.text(".here .form")], ["PROPN", "York"]);
  page.press("ArrowLeft", "Shift+E", "End", "+");
  assert.equal(page.saved().upos[2], "PROPN");
  const same = open("misc_pos"); // every same word gets the tag
  assert.deepEqual(same.press("d", "ArrowLeft", "Shift+E").tags.slice(0, 5), ["DET", "·", "·", "·", "DET"]);
  assert.equal(same.press("ArrowRight", "Shift+E").saved().upos[1], "_"); // of a word without a tag nothing is given
});

test("five suggested tags of which two are wrong take six keys, and all that is open is accepted at once", () => {
  const page = open("pos_suggested");
  assert.deepEqual(page.tags, ["PRON 90%", "VERB 90%", "PROPN 90%", "PROPN 90%", "PUNCT 90%"]);
  assert.equal(page.all(".token.guess").length, 5);
  page.press("Enter", "x", "Enter", "n", "Enter");
  assert.deepEqual(page.finish().upos, ["PRON", "X", "PROPN", "NOUN", "PUNCT"]);
  assert.deepEqual(open("pos_suggested").press("x", "Shift+A").finish().upos, ["X", "VERB", "PROPN", "PROPN", "PUNCT"]);
  assert.deepEqual(open("dep_suggested").press("ArrowRight", "q", "Shift+A").finish().heads, [3, 3, 0, 3, 3]);
  assert.deepEqual(open("ner_suggested").press("Shift+A").finish().entities, ["B-PER", "I-PER", "O", "O", "B-LOC", "O"]);
});

test("arrows lead in the direction of the script", () => {
  for (const [name, forward, back] of [["pos", "ArrowRight", "ArrowLeft"], ["pos_rtl", "ArrowLeft", "ArrowRight"]])
    assert.deepEqual(open(name).press(forward, forward, back, "n").saved().upos.slice(0, 3), ["_", "NOUN", "_"]);
  const tree = open("dep_rtl");
  tree.press("Enter", "ArrowLeft", "Enter", "s");
  assert.deepEqual([tree.saved().heads[0], tree.frame.dir], [2, "rtl"]);
  const named = open("ner_rtl");
  assert.deepEqual(named.press("ArrowLeft", "Shift+ArrowLeft", "1").saved().entities, ["_", "B-PER", "I-PER", "_", "_", "_"]);
});

const FINNISH = { upos: ["NOUN", "VERB", "PUNCT"], feats: ["Case=Ine|Number=Sing", "Mood=Ind|Number=Sing", ""], lemmas: ["talo", "uida", "."] };

test("suggested lemmas and features are confirmed word by word", () => {
  const page = open("morphology_suggested");
  assert.equal(page.all(".beside.guess").length, 6);
  page.press("Enter");
  assert.equal(page.all(".beside.sure").length, 2);
  assert.deepEqual(page.press("Enter", "Enter").finish(), FINNISH);
  const { upos, lemmas, feats } = open("morphology_suggested").press("Enter", "Home").ask("/", "talo ssa").saved();
  assert.deepEqual([upos, lemmas, feats].map((column) => column.slice(0, 2)), [["NOUN", "_"], ["_", "_"], ["_", "_"]]); // of the parts
});

test("a suggestion of the lexicon says so, its gloss is taken with the tag, and a misspelled feature is refused", () => {
  const [{ suggestion }] = payloads("morphology_suggested");
  const page = open("morphology_suggested", { suggestion: { ...suggestion, listed: [true, false, false], decided: [0, 2, 0], glosses: ["house", "", ""] } });
  assert.deepEqual(page.tags.slice(0, 2), ["NOUN lexicon", "VERB ×2"]);
  assert.equal(page.text(".gloss.guess"), "house");
  assert.equal(page.press("Enter").saved().misc[0], "Gloss=house");
  page.press("Shift+F");
  const field = page.find("input[data-column=feats]");
  for (const [typed, why] of [["Numbr=Sing", "Numbr=Sing: Number?"], ["Number=sing", "Number=sing: Number=Sing?"], ["Tone=High", "Tone=High is new here; press Enter again to use it"]]) {
    page.fill(typed, field).press("Enter");
    assert.equal(page.all(".why")[1].textContent, why);
  }
  assert.equal(page.press("Enter").saved().feats[1], "Tone=High");
});

test("lemma and features are typed in fields, one after the other", () => {
  const page = open("morphology");
  page.press("n"); // the word stays: lemma and features are to be decided
  assert.equal(page.text(".here .form"), "talossa");
  const field = (column) => page.find(`input[data-column=${column}]`);
  page.press("Shift+L", "Enter");
  assert.equal(page.text(".why"), "type the lemma");
  page.fill("talo", field("lemmas")).press("Enter").fill("Case Ine", field("feats")).press("Enter");
  assert.match(page.text(".why"), /write features as in/);
  page.fill("Case=Ine|Number=Sing", field("feats")).press("Enter");
  assert.equal(page.text(".here .form"), "ui");
  page.press("v", "ArrowRight", "k", "Shift+F", "Escape", "Ctrl+Enter");
  assert.equal(page.note, "no lemma yet: “ui”, “.”");
  page.press("Shift+L").fill("uida", field("lemmas")).press("Enter").fill("Mood=Ind|Number=Sing", field("feats")).press("Enter");
  page.press("Shift+L").fill(".", field("lemmas")).press("Enter").fill("_", field("feats")).press("Enter");
  assert.deepEqual(page.finish(), FINNISH);
});

test("a low line has itself as its lemma, and is no lemma of another word", () => {
  const page = open("lemma");
  const type = (text) => page.fill(text, page.find("input[data-column]")).press("Enter");
  assert.deepEqual(page.texts(".beside.sure"), ["_"]);
  page.press("k", "Shift+L");
  type("_");
  assert.equal(page.text(".why"), "type the lemma");
  type("–");
  page.press("k", "v", "Shift+L");
  type("uida");
  assert.deepEqual(page.finish(), { upos: ["PUNCT", "PUNCT", "VERB"], lemmas: ["–", "_", "uida"] });
});

test("XPOS offers what the tag had before, and asks about what is new", () => {
  const page = open("xpos");
  page.press("n", "Shift+X");
  const field = () => page.find("input[data-column=xpos]");
  assert.deepEqual(page.all("datalist option").map(({ value }) => value), ["NN"]);
  for (const [typed, why] of [["", "type the tag"], ["N N", "write the tag without spaces"], ["NNP", "NNP is new here; press Enter again to use it"]]) {
    page.fill(typed, field()).press("Enter");
    assert.equal(page.text(".why"), why);
  }
  assert.deepEqual(page.press("Enter").finish(), { upos: ["NOUN"], xpos: ["NNP"] });
});

test("a tree is drawn by keys: numbers, arrows, letters and the palette, and there and back again", () => {
  const page = open("dep");
  attachAll(page, [[2, "nsubj"], [0], [4, "compound"]]);
  page.press("ArrowRight", "Enter", "ArrowLeft", "ArrowLeft", "Enter", "o"); // York hangs on loves
  page.press("ArrowRight", "Enter", "ArrowUp", "ArrowDown", "Escape", "2", "Enter", "p"); // a number is that of a head, with Enter before it or without
  const wanted = { heads: [2, 0, 4, 2, 2], deprels: ["nsubj", "root", "compound", "obj", "punct"] };
  assert.deepEqual(page.texts(".name"), wanted.deprels);
  assert.deepEqual(page.press("Backspace", "Ctrl+z").leave(), wanted);
  page.leave("Alt+ArrowLeft");
  assert.deepEqual(page.texts(".name"), wanted.deprels);
});

test("only the root is root", () => {
  const page = open("dep");
  page.press("Enter", "Enter", "ArrowRight", "Enter", "1", "Enter");
  assert.deepEqual(page.saved().deprels.slice(0, 2), ["root", "_"]);
  page.press("Home", "Enter", "2", "Enter");
  assert.deepEqual(page.saved().deprels[0], "_");
  assert.deepEqual(page.ask("l", "root").saved().heads[0], 0);
  assert.deepEqual(page.press("Enter", "9", "3", "1", "Enter").saved().heads[0], 0); // 31 is no word, 1 is the word itself
});

test("a tree is drawn by clicks and drags, and a label is clicked to name it", () => {
  const page = open("dep");
  const drag = (from, to, type = "pointerup") => {
    document.elementFromPoint = () => to && page.find(`.node[data-word='${to}'] .form`);
    page.mouse(page.find(`.node[data-word='${from}'] .form`), "pointerdown", { clientX: 1, clientY: 1 });
    page.mouse(document, "pointermove", { clientX: 90, clientY: 90 });
    tick(50);
    assert(page.find(".dragged path").getAttribute("d").endsWith("L90,90"));
    assert.deepEqual(page.find(".scroll").scrolled, [12, 12]); // at the edge it scrolls
    page.mouse(document, type, { clientX: 90, clientY: 90 });
    tick(1);
    assert.equal(page.find(".dragged"), null);
  };
  drag("0", "1");
  drag("3", null); // let go beside the words
  drag("4", "1", "pointercancel");
  assert.deepEqual(page.saved().heads, [2, -1, -1, -1, -1]);
  const click = (word) => {
    document.elementFromPoint = () => page.find(`.node[data-word='${word}'] .form`);
    page.click(page.find(`.node[data-word='${word}'] .form`));
  };
  for (const word of [1, 1, 3, 1]) click(word);
  assert.deepEqual(page.saved().heads, [2, 0, -1, 2, -1]);
  page.find(".arc.current .name").dispatchEvent(new window.MouseEvent("click"));
  page.fill("obj");
  page.click(page.find(".option.first"));
  assert.deepEqual(page.saved().deprels.slice(0, 4), ["_", "root", "_", "obj"]);
});

test("a relation to another head than the model's is open until it is confirmed, in four keys", () => {
  const page = open("dep_suggested");
  assert.deepEqual(page.texts(".name"), ["nsubj 90%", "aux 80%", "root 95%", "obl 40%", "punct 99%"]);
  page.press("Enter", "1");
  assert.deepEqual(page.texts(".heads .choice"), ["qsnow 90%"]);
  page.press("Escape", ...right(3));
  assert.deepEqual(page.texts(".heads .choice"), ["qsnow 40%", "wIt 30%", "eroot 20%"]);
  page.press("w");
  assert.equal(page.text(".arc.current.unnamed .name"), "obl?");
  assert.deepEqual(page.saved(), { heads: [-1, -1, -1, 1, -1], deprels: ["_", "_", "_", "_", "_"] });
  assert.equal(page.press(" ").saved().deprels[3], "obl");
  page.press("Home", " ", " ", "End", "p"); // a relation takes the model's head along
  assert.deepEqual(page.saved().heads, [3, 3, -1, 1, 3]);
  page.press("l");
  assert.equal(page.text(".option.first b"), "punct"); // the likeliest first
});

test("parts of a split word are tagged where trees stand on the tags of a file", () => {
  const [{ example }] = payloads("dep");
  const tags = ["PRON", "AUX", "PROPN", "PROPN", "PUNCT"].slice(0, example.words.length);
  const known = { corrects: ["upos"], asks_tags: true, tags: [{ name: "NOUN", definition: "" }, { name: "VERB", definition: "" }] };
  const page = open("dep", { ...known, example: { ...example, upos: tags } });
  page.press("Home", ...right(2)).ask("/", `${example.words[2].slice(0, 1)} ${example.words[2].slice(1)}`);
  assert.deepEqual(page.saved().upos, [null, null, "PROPN", null, null, null]);
  attachAll(page, [[3, "nsubj"], [3, "cop"], [0], [3, "flat"], [3, "flat"], [3, "punct"]]);
  page.press("Ctrl+Enter");
  assert.match(page.note, /^no tag yet: .* \(Shift\+T\)/);
  page.press("Home", ...right(3)).ask("Shift+T", "noun");
  assert.deepEqual(page.leave().upos, [null, null, "PROPN", "NOUN", null, null]);
  assert.equal(open("dep").ask("/", "a b").saved().upos, undefined); // of a file without tags none are asked for
});

const DOG_TAGS = ["DET", "NOUN", "VERB", "PUNCT", "DET", "NOUN", "PART", "PUNCT"];
const NOTHING = DOG_TAGS.map(() => null);
const CORRECTS = ["upos", "lemmas", "xpos", "feats"];

/** Return what is special about a tree whose words have tags, with an annotation that has these corrections. */
function taggedDog(corrections = {}) {
  const [{ example, labels }] = payloads("dep_known");
  const blank = { heads: DOG_TAGS.map(() => -1), deprels: DOG_TAGS.map(() => "_") };
  const tags = payloads("pos")[0].labels;
  const known = { upos: DOG_TAGS, xpos: DOG_TAGS.map((tag) => tag.toLowerCase()), feats: DOG_TAGS.map(() => "") };
  const annotation = Object.keys(corrections).length ? { ...blank, ...corrections } : null;
  return { example: { ...example, ...known }, annotation, labels, corrects: CORRECTS, tags, features: { Number: ["Plur", "Sing"] }, usual: { xpos: { NOUN: ["noun"] }, feats: {} } };
}

test("corrections of a tree follow their words, and a merged word keeps the tag of its upper part", () => {
  const heads = DOG_TAGS.map((_, word) => (word === 1 ? 3 : -1));
  const page = open("dep_known", taggedDog({ heads, upos: NOTHING.with(5, "PROPN"), lemmas: NOTHING.with(2, "ladrer").with(5, "Gato") }));
  page.press("Home", ...right(1), "+"); // perro ladra
  const merged = page.saved();
  assert.deepEqual([merged.words[1], merged.upos, merged.xpos], ["perro ladra", [null, "VERB", null, null, "PROPN", null, null], [null, "verb", ...Array(5).fill(null)]]);
  assert.deepEqual(merged.lemmas, [null, null, null, null, "Gato", null, null]);
  page.press("Ctrl+z", "End", "ArrowLeft", "ArrowLeft").ask("/", "ga to");
  assert.deepEqual(page.saved().upos, [...NOTHING.slice(0, 5), "PROPN", null, null, null]);
  assert.deepEqual(page.saved().lemmas, [null, null, "ladrer", ...Array(6).fill(null)]);
});

test("tags, lemmas, XPOS and features are corrected in a tree, and an old value is no correction", () => {
  const page = open("dep_known", taggedDog());
  const line = (row) => page.find(`.node[data-word='1']`).querySelectorAll(".below")[row];
  page.press("Home", ...right(1)).ask("Shift+T", "propn");
  assert.deepEqual(page.saved().upos, NOTHING.with(1, "PROPN"));
  assert.deepEqual([line(1).textContent, line(1).classList.contains("sure"), line(2).classList.contains("sure")], ["PROPN", true, false]);
  page.press("Shift+L");
  assert.equal(document.activeElement.value, "perro");
  assert.deepEqual(page.texts(".hints .hint"), ["Enter set", "Escape leave"]);
  page.fill("Perro").press("Enter").press("Shift+X").fill("n p").press("Enter");
  assert.equal(page.text(".asking .why"), "write the tag without spaces");
  page.fill("np").press("Enter");
  assert.equal(page.text(".asking .why"), "np is new here; press Enter again to use it");
  page.press("Enter").press("Shift+F").fill("Numbr=Sing").press("Enter");
  assert.equal(page.text(".asking .why"), "Numbr=Sing: Number?");
  page.fill("Number=Sing").press("Enter", "ArrowRight").press("Shift+F", "Escape");
  const made = page.saved();
  assert.deepEqual([made.lemmas[1], made.xpos[1], made.feats], ["Perro", "np", NOTHING.with(1, "Number=Sing")]);
  page.press("ArrowLeft").ask("Shift+T", "noun").ask("Shift+F", "–");
  assert.deepEqual([page.saved().upos, page.saved().feats], [undefined, undefined]);
  page.press("Ctrl+z", "Ctrl+z");
  assert.deepEqual(page.saved().upos, NOTHING.with(1, "PROPN"));
  page.press("t"); // down
  assert.deepEqual(page.texts(".below .sure"), ["PROPN", "Perro"]);
  const hidden = open("dep_known", { ...taggedDog(), corrects: [] });
  assert(!hidden.press("?").texts(".every .hint").some((hint) => /XPOS|lemma|features/.test(hint)));
});

test("a correction that another task has set too stays where the same value is set again", () => {
  const page = open("dep_known", taggedDog({ upos: NOTHING.with(1, DOG_TAGS[1]) }));
  page.press("Home", ...right(1)).ask("Shift+T", DOG_TAGS[1].toLowerCase()).press("0");
  assert.deepEqual(page.saved().upos, NOTHING.with(1, DOG_TAGS[1]));
  page.ask("Shift+T", "propn").ask("Shift+T", DOG_TAGS[1].toLowerCase());
  assert.equal(page.saved().upos, undefined); // taken back
});

test("XPOS and features of a file without tags are corrected", () => {
  const tagged = taggedDog();
  const page = open("dep_known", { ...tagged, example: { ...tagged.example, upos: NOTHING.map(() => "_") }, corrects: ["xpos", "feats"], tags: undefined });
  page.press("Home", "Shift+X");
  assert.deepEqual([document.activeElement.dataset.column, document.activeElement.value], ["xpos", "det"]);
  page.fill("noun").press("Enter").press("Shift+F").fill("Number=Sing").press("Enter", "t", "t");
  const cell = (word) => page.find(`tr[data-word="${word}"] [data-column="xpos"]`);
  cell(1).focus();
  assert.deepEqual(page.all("datalist option").map(({ value }) => value), ["noun", "verb", "punct", "det", "part"]);
  page.fill("verb", cell(1)).press("Enter");
  assert.deepEqual([page.saved().xpos, page.saved().feats], [NOTHING.with(0, "noun").with(1, "verb"), NOTHING.with(0, "Number=Sing")]);
});

test("of two windows each keeps its corrections, and of a word that both correct the own one counts", () => {
  const page = open("dep_known", taggedDog({ upos: NOTHING.with(0, "PRON") }));
  page.press("Home", "0").saved();
  page.server.save({ ...page.server.item.annotation, upos: NOTHING.with(0, "X").with(1, "X"), xpos: NOTHING.with(0, "v").with(2, "v") });
  page.press("Home", "Shift+X").fill("noun").press("Enter");
  tick(1000);
  assert.match(page.note, /both versions are merged here/);
  const { upos, xpos } = page.saved();
  assert.deepEqual([upos, xpos], [NOTHING.with(0, "X").with(1, "X"), NOTHING.with(0, "noun").with(2, "v")]);
});

test("a version of a review is taken with its corrections", () => {
  const [{ versions, annotation }] = payloads("review_dep");
  const none = versions[0].annotation.heads.map(() => null);
  versions[1].annotation.upos = none.with(2, "X");
  const page = open("review_dep", { versions, annotation, corrects: ["upos"] });
  assert.deepEqual(page.texts(".hints .hint").slice(0, 2), ["[ anna: saw ← obj", "] ben: saw ← iobj · X"]);
  assert.deepEqual(page.press("]").saved().upos, none.with(2, "X"));
  assert.equal(page.press("Home", ...right(2), "[").saved().upos?.[2] ?? null, null);
});

test("a version's head that closes a cycle is refused, and one that is set by hand is shown and cannot be finished", () => {
  const [{ versions, annotation }] = payloads("review_dep");
  const heads = annotation.heads.map(() => 2);
  versions[0].annotation.heads = heads.with(1, 0);
  versions[1].annotation.heads = heads.with(0, 0).with(1, 1);
  const page = open("review_dep", { versions, annotation: { ...annotation, heads: heads.map(() => -1) } });
  assert.deepEqual(page.press("Home", "[").saved().heads.slice(0, 2), [2, -1]);
  page.press("]");
  assert.match(page.note, /^“.+” \(1\) → “.+” \(2\) would form a cycle; first attach one of them to another word$/);
  assert.deepEqual([page.server.item.annotation.heads[1], page.find(".here").dataset.word], [-1, "1"]);
  page.press("Enter", "1", "Enter");
  assert.deepEqual([page.saved().heads.slice(0, 2), page.all(".arc.wrong").length > 0], [[2, 1], true]);
  page.press("Ctrl+Enter");
  assert.match(page.note, /form a cycle; attach one of them to another word, or make it the root$/);
  page.press("Home", "]"); // the root of the other version
  assert.deepEqual(page.saved().heads.slice(0, 2), [0, 1]);
});

test("a suggested head that closes a cycle is not taken", () => {
  const page = open("dep_suggested").press("Home", ...right(2), "1", "Enter", "Home");
  page.press(" ");
  assert.match(page.note, /would form a cycle/);
  page.ask("l", "nsubj");
  assert.deepEqual([page.saved().heads[0], page.saved().deprels[0]], [-1, "nsubj"]);
  page.press("Shift+A");
  assert.deepEqual(page.saved().heads, [-1, 3, 1, 3, 3]);
  const second = payloads("second_dep")[0].second;
  second.annotation = { ...second.annotation, heads: [3, 3, 0] };
  const other = open("second_dep", { second }).press("End", "1", "Enter");
  other.find(".second button").click();
  assert.match(other.note, /would form a cycle/);
  assert.deepEqual(other.saved().heads, [-1, -1, 1]);
});

test("names that are no relation are not taken, subtypes and those of the project are", () => {
  const page = open("dep");
  page.server.item.labels.push({ name: "own:x_y", key: "", definition: "", example: "" });
  page.show();
  attachAll(page, [[2], [0], [4], [2], [2]]);
  page.press("Home");
  page.ask("l", "foo");
  assert.match(page.text(".asking .why"), /“foo” is not a UD relation/);
  page.fill("");
  assert.equal(page.text(".asking .why"), "");
  page.press("Enter");
  page.press("Ctrl+Enter");
  assert.equal(page.note, "no relation yet: “She”, “New”, “York” and 1 more");
  ["nsubj:a", "obj", "own:x_y", "cc", "punct"].forEach((name, word) => page.press("Home", ...right(word)).ask("l", name));
  page.press("Ctrl+Enter");
  assert.match(page.note, /^“loves” \(2\): the relation “root” is for the root only/);
  assert.deepEqual(page.press("0").leave().deprels, ["nsubj:a", "root", "own:x_y", "cc", "punct"]);
});

test("entities are selected, and the rest is none when the sentence is done", () => {
  const page = open("ner");
  page.press("ArrowRight", "Shift+ArrowRight", "3", "3", "ArrowRight", "1", "1"); // a key pressed twice is pressed once
  assert.deepEqual(page.texts(".entity"), ["NewYorkLOC", "AnaPER"]);
  page.press("ArrowLeft", "1");
  assert.match(page.note, /“York” overlaps the entity “New York” \(LOC\)/);
  assert.deepEqual(page.saved().entities, ["_", "B-LOC", "I-LOC", "B-PER", "_"]);
  page.press("Shift+ArrowLeft", "1", "Shift+ArrowLeft", "3", "ArrowRight", "Backspace"); // all of it may get another type
  assert.deepEqual(page.saved().entities, ["_", "B-LOC", "I-LOC", "O", "_"]);
  page.press("End", "Escape", "Backspace");
  assert.deepEqual(page.finish().entities, ["O", "B-LOC", "I-LOC", "O", "O"]);
});

test("where a project has nested entities, they are inside one another and never cross", () => {
  const page = open("ner_nested");
  page.press("ArrowRight", "Shift+ArrowRight", "3", "3"); // a key pressed twice is pressed once
  assert.equal(page.note, "“New York” (LOC) is made; for another one inside it, on “York”, press Escape first");
  page.press("1"); // another makes one inside
  assert.deepEqual(page.texts(".entity"), ["NewYorkPERLOC", "YorkPER"]);
  assert.match(page.said, /York: LOC, confirmed; PER, confirmed/);
  page.press("ArrowRight", "Shift+ArrowLeft", "2");
  assert.equal(page.note, "“York Ana” has only a part of the entity “New York” (LOC); take all of it, or words inside it");
  page.press("Shift+ArrowLeft", "Shift+ArrowLeft", "2"); // around both
  assert.deepEqual(page.saved().entities, ["B-ORG", "I-ORG|B-LOC", "I-ORG|I-LOC|B-PER", "I-ORG", "_"]);
  page.press("ArrowLeft", "ArrowLeft", "Shift+ArrowRight", "1"); // the same words get another type
  assert.deepEqual(page.saved().entities, ["B-ORG", "I-ORG|B-PER", "I-ORG|I-PER|B-PER", "I-ORG", "_"]);
  page.press("Home", "Shift+ArrowRight", "Shift+ArrowRight", "2"); // around two inside the outermost
  assert.equal(page.saved().entities[2], "I-ORG|I-ORG|I-PER|B-PER");
  page.press("Backspace", "Backspace");
  assert.deepEqual(page.saved().entities, ["B-ORG|B-ORG", "I-ORG|I-ORG", "I-ORG|I-ORG", "I-ORG", "_"]);
  page.press("Home", "ArrowRight").ask("/", "Ne w");
  assert.deepEqual(page.press("End", ".", "ArrowLeft", "ArrowLeft", ".").finish().entities, ["B-ORG|B-ORG", "I-ORG|I-ORG", "I-ORG|I-ORG", "I-ORG|I-ORG", "B-ORG", "O"]);
});

test("an entity may be inside another one of the same type, also on its last word", () => {
  const tags = ["_", "B-LOC", "I-LOC|B-LOC", "_", "_"];
  for (const away of ["Escape", "ArrowRight ArrowLeft", "click"]) {
    const page = open("ner_nested");
    page.press("ArrowRight", "Shift+ArrowRight", "3");
    if (away === "click") page.click(page.find(".piece[data-word='2']"));
    else page.press(...away.split(" "));
    assert.deepEqual(page.press("3", "3").saved().entities, tags, away);
    assert.deepEqual(page.press("Backspace").saved().entities, ["_", "B-LOC", "I-LOC", "_", "_"], away);
  }
});

test("entities are selected by the mouse", () => {
  const page = open("ner");
  const piece = (word) => page.find(`.piece[data-word='${word}']`);
  page.mouse(piece(1), "pointerdown", { clientX: 0, clientY: 0 });
  page.mouse(piece(2), "pointermove", { clientX: 50, clientY: 0, buttons: 1 });
  page.mouse(piece(2), "pointerup");
  tick(1);
  assert.deepEqual(page.texts(".piece.selected"), ["New", "York"]);
  page.click(page.all(".palette .choice")[2]);
  page.click(piece(3)).click(piece(4), { shiftKey: true });
  assert.deepEqual(page.texts(".piece.selected"), ["Ana", "sleeps"]);
  assert.deepEqual(page.press("o").finish().entities, ["O", "B-LOC", "I-LOC", "O", "O"]);
});

test("suggested entities are decided one by one before the sentence is done", () => {
  const page = open("ner_suggested");
  assert.deepEqual(page.texts(".entity.guess .type"), ["PER 90%", "LOC 90%"]);
  page.press("Enter", "Ctrl+Enter");
  assert.equal(page.note, "suggested, not decided: “Lima” (LOC)");
  assert.deepEqual(page.press("Backspace").finish().entities, ["B-PER", "I-PER", "O", "O", "O", "O"]);
});

/** Drag over letters; each is given as a word and the number of its letter. */
function drag(page, first, last) {
  page.all("[data-letter]").forEach((node, at) => (node.getBoundingClientRect = () => ({ left: 10 * at, right: 10 * at + 9, top: 0, bottom: 9 })));
  const all = page.all("[data-letter]");
  const at = ([word, letter]) => ({ clientX: 10 * all.indexOf(page.find(`[data-word='${word}'] [data-letter='${letter}']`)) + 4, clientY: 4, buttons: 1 });
  const piece = ([word]) => page.find(`[data-word='${word}']`);
  const [from, to] = [at(first), at(last)];
  page.mouse(piece(first), "pointerdown", from);
  page.all("[data-letter]").forEach((node, place) => (node.getBoundingClientRect = () => ({ left: 10 * place, right: 10 * place + 9, top: 0, bottom: 9 })));
  page.mouse(piece(last), "pointermove", { ...to, clientX: to.clientX + (from.clientX === to.clientX ? 5 : 0) });
  page.mouse(piece(last), "pointerup");
  tick(1);
}
const picked = (page) => [page.texts(".form .selected").join(""), page.texts(".piece.selected .form")];

test("letters are selected where words stand without spaces, and words are split there once they get a type", () => {
  const page = open("ner_chinese");
  drag(page, [2, 1], [3, 1]);
  assert.deepEqual([picked(page), page.text(".state")], [["𠮷野大学", []], "nothing to save"]);
  page.press("2");
  const words = ["昨天", "我", "在", "𠮷野", "大学", "见", "到", "了李小龙", "。"];
  assert.deepEqual(page.words, words);
  for (const ends of [[[3, 0], [3, 0]], [[4, 1], [5, 0]]]) { // an entity is cut at no letter: by none of another type, and not inside by its own
    drag(page, ...ends);
    assert.match(page.press("1").note, /overlaps the entity “𠮷野 大学” \(ORG\)/);
  }
  drag(page, [3, 0], [3, 0]);
  assert.deepEqual(page.press("2").words, words);
  drag(page, [7, 3], [7, 1]); // backwards, inside of a word
  page.press("1", "Ctrl+z");
  assert.deepEqual([page.words, picked(page)], [words, ["李小龙", []]]);
  page.press("Ctrl+y");
  assert.deepEqual(page.finish(), {
    words: [...words.slice(0, 7), "了", "李小龙", "。"], ranges: [], entities: ["O", "O", "O", "B-ORG", "I-ORG", "O", "O", "O", "B-PER", "O"],
  });
});

test("other suggestions stay where a word is split, and go where they were cut wrongly", () => {
  const page = open("ner_chinese_suggested");
  drag(page, [2, 1], [3, 1]);
  page.press("2");
  assert.deepEqual(page.texts(".entity.guess .form"), ["昨天", "我", "了李小龙"]);
  drag(page, [7, 1], [7, 3]);
  assert.deepEqual(page.press("1", "Home", "Enter", "Backspace").finish().entities, ["B-LOC", "O", "O", "B-ORG", "I-ORG", "O", "O", "O", "B-PER", "O"]);
});

test("words are split and merged, and written as one", () => {
  const page = open("pos_suggested");
  page.press("Enter", "ArrowRight", "=");
  assert.equal(page.note, "a space stands in “New” and “York”, which a multiword token cannot have");
  page.press("+");
  assert.deepEqual([page.words, page.tags], [["She", "loves", "New York", "."], ["PRON", "VERB 90%", "·", "PUNCT 90%"]]);
  page.press("e", "Home").ask("/", "S he");
  page.press("=");
  assert.deepEqual(page.texts(".range"), ["She = S + he"]);
  page.press("=", "=").ask("/", "a b");
  assert.match(page.note, /^$/);
  page.press("Ctrl+z", "/", "Escape", "/", "Enter");
  assert.deepEqual(page.press("ArrowRight", "Shift+A").saved(), {
    upos: ["PRON", "_", "VERB", "PROPN", "PUNCT"], words: ["S", "he", "loves", "New York", "."], ranges: [[1, 2, "She"]],
  });
});

test("a field begins behind its value, and a space beside a word that splits nothing is refused there", () => {
  const page = open("pos_suggested").press("/");
  assert.equal(page.find(".asking input").selectionStart, "She".length);
  page.fill("She ").press("Enter");
  assert.deepEqual([page.texts(".asking .why"), page.words[0]], [["type a space inside the word, or press Escape"], "She"]);
  assert.deepEqual(page.fill("S he").press("Enter").words.slice(0, 2), ["S", "he"]);
});

test("what is written as one stays so when its words are merged", () => {
  const page = open("multiword");
  const refusals = [
    [["+"], "“al” is one written word; first merge the words that it stands for"],
    [["ArrowRight", "="], "the letters of “a” and “el” do not spell “al”; merge them instead"],
    [["."], "“al” is one written word; a sentence can end only before or after it"],
  ];
  for (const [keys, note] of refusals) assert.equal(page.press(...keys).note, note);
  assert.deepEqual([page.press("+").words, page.all(".range").length], [["voy", "al", "mar"], 0]);
  page.ask("/", "de el");
  assert.deepEqual(page.texts(".range"), ["al = de + el"]);
  assert.deepEqual(page.saved().ranges, [[2, 3, "al"]]);
  page.press("End", "."); // the last word
  assert.equal(page.note, "the last word always ends its sentence");
  page.press("Home").ask("/", "v oi");
  assert.deepEqual(page.saved().words.slice(0, 2), ["v", "oi"]);
});

test("a tree follows its words: merged ones have the head of the upper one", () => {
  const page = open("dep");
  attachAll(page, [[2, "nsubj"], [0], [4, "compound"], [2, "obj"], [2, "punct"]]);
  page.press("Home", ...right(2), "+");
  assert.deepEqual(page.saved().heads, [2, 0, 2, 2]);
  page.press("Home", ...right(2)).ask("/", "New York");
  assert.deepEqual(page.saved().deprels, ["nsubj", "root", "obj", "_", "punct"]);
  assert.deepEqual(open("ner").press("ArrowRight", "Shift+ArrowRight", "3", "Home", "+").saved().entities, ["B-LOC", "I-LOC", "_", "_"]);
});

test("an end of a sentence opens what passed over it, and is undone with it", () => {
  const page = open("dep_ends");
  const heads = [2, 0, 2, 6, 6, 2, 5];
  attachAll(page, heads.map((head) => [head, "dep"]));
  page.press("Home", ...right(2), ".");
  assert.deepEqual([page.saved().ends, page.saved().heads, page.all(".end").length], [[3], [2, 0, 2, 6, 6, 0, 5], 1]);
  page.press("End", "Enter", "1", "Enter");
  assert.match(page.note, /a sentence ends between “much” and “She”/);
  page.press("Escape", "Home", ...right(2), "+");
  assert.match(page.note, /a sentence ends here; press \. first to remove this end/);
  page.press("=", "."); // it goes on again, as it was
  assert.deepEqual([page.saved().ends, page.saved().heads], [undefined, heads]);
  assert.equal(page.note, "");
  page.press("ArrowLeft", "."); // it ends a word too early
  assert.equal(page.note, "the head of “.” and “stayed” was in another sentence; attach the open words again");
  page.press("End", "Enter", "6", "Enter", "Home", ...right(1), "."); // after another change only the end is removed
  assert.deepEqual([page.saved().ends, page.saved().heads], [undefined, [2, 0, -1, 6, 6, -1, 6]]);
  page.press("Ctrl+z", "Ctrl+z", "Ctrl+z");
  assert.deepEqual([page.saved().ends, page.saved().heads], [undefined, heads]);
});

test("an entity ends with its sentence, and none passes over an end", () => {
  const page = open("ner");
  page.press("ArrowRight", "Shift+ArrowRight", "Shift+ArrowRight", "3", "ArrowLeft", ".");
  page.press("Home", "ArrowRight", "Shift+ArrowRight", "Shift+ArrowRight", "1");
  assert.equal(page.note, "a sentence ends within “New York Ana”; an entity cannot cross the end of a sentence");
  assert.deepEqual(page.saved().entities, ["_", "B-LOC", "I-LOC", "B-LOC", "_"]);
});

test("a sentence goes on in the next one, tags and trees with it", () => {
  const page = open("join");
  page.press("p", "v", "b", "k");
  assert(page.texts(".hints .hint").includes(", join with next sentence")); // at the last word
  page.press(",", "End", "ArrowLeft", "ArrowLeft", "r", "d", "n");
  const made = page.saved();
  assert.deepEqual([made.words.length, made.joined, made.ranges, made.upos.slice(3)], [7, 1, [[5, 6, "du"]], ["PUNCT", "ADP", "DET", "NOUN"]]);
  assert.deepEqual(page.texts(".gloss"), ["she", "drinks", "about", "of", "the", "wine"]);
  page.press("Home", ".", ",");
  assert.equal(page.saved().ends, undefined); // the halves are one again
  page.press(",", ","); // there is one more sentence, and none behind it
  assert.equal(page.note, "not saved yet; try again in a moment");
  const tree = open("join_dep");
  assert.deepEqual(tree.press(",", "ArrowDown").saved().heads, [2, 0, 2, 2, 7, 7, 0]);
  tree.press("Ctrl+Enter");
  assert.match(tree.note, /are all roots/);
  tree.reload();
  const undone = tree.press("Ctrl+z").saved();
  assert.deepEqual([undone.joined, undone.heads], [undefined, [2, 0, 2, 2]]);
  assert.equal(tree.press("Ctrl+y").saved().joined, 1);
  const enhanced = open("join_dep").ask("Shift+D", "2:nsubj|3:obl").press(",");
  assert.deepEqual(enhanced.saved().deps, ["=|3:obl", ...Array(6).fill(null)]);
  assert.equal(open("join_refused").press(",").note, "the next sentence is in the test set");
});

test("words are glossed one after the other", () => {
  const page = open("misc_pos");
  page.press("ArrowRight", "ArrowRight", "Shift+M");
  for (const odd of ["barks", "Gloss=bark\ts"]) {
    page.fill("SpaceAfter=Yes").press("Enter");
    assert.match(page.text(".why"), /^SpaceAfter is set by the file/);
    page.fill(odd).press("Enter");
    assert.match(page.text(".why"), /^write pairs as in Gloss=dog/);
  }
  page.fill("Gloss=barks").press("Enter", "Enter"); // the comma has none
  assert.equal(page.find(".asking input").value, "Gloss=");
  assert.equal(page.find(".asking.misc option").value, "Gloss=the"); // of the other "el"
  page.press(..."the", "Enter", ..."cat|Lang=es", "Enter", "Escape", "Ctrl+z", "Ctrl+y");
  assert.deepEqual(page.saved().misc, [null, null, "Gloss=barks", null, "Gloss=the", "Gloss=cat|Lang=es", null, null]);
  page.reload();
  page.press("Home", "ArrowRight", "Shift+M").fill("Typo=").press("Enter", "Escape");
  assert.equal(page.saved().misc[1], "Gloss=dog");
  assert.match(page.text(".frame > div:nth-child(2)"), /barks/);
});

const below = (page) => page.texts(".tree .enhanced").filter(Boolean);

test("enhanced arcs follow the tree, and are added, changed and taken away", () => {
  const page = open("enhanced");
  assert.equal(page.text(".nodes"), "4.1 ella 4:nsubj");
  assert.deepEqual(below(page), ["4:nsubj"]); // nobody has attached anything yet
  attachAll(page, [[2, "nsubj"], [0], [4, "cc"], [2, "conj"], [6, "case"], [2, "obl"], [2, "punct"]]);
  assert.deepEqual(below(page), ["4:nsubj", "2:conj:y", "2:obl:en"]);
  page.press("Home", ...right(5), "Shift+D");
  assert.equal(page.find("input.deps").value, "2:obl:en");
  for (const [typed, said] of [["9:obl", /9 is not a word/], ["6:obl", /cannot be its own head/], ["obl", /write head:relation/], ["0:obl", /only an arc from 0/], ["2:foo", /not a UD relation/]]) {
    page.fill(typed).press("Enter");
    assert.match(page.text(".why"), said);
  }
  page.fill("4:obl:en|2:obl:en").press("Enter", "Home").ask("Shift+D", "2:nsubj|4.1:nsubj");
  assert.deepEqual(below(page), ["4.1:nsubj", "2:conj:y", "2:obl:en 4:obl:en"]);
  page.ask("Shift+D", "2:nsubj").press("Ctrl+z", "Ctrl+y");
  assert.deepEqual(page.finish().deps, ["=", null, null, null, null, "=:en|4:obl:en", null]);
});

const EMPTY = ["form", "lemma", "upos", "deps", "after"];
const filled = (page, values) => {
  for (const [name, value] of Object.entries(values)) page.find(`.asking input[name="${name}"]`).value = value;
  return page.press("Enter");
};
const nodeLine = (id, form, lemma, upos, deps) => [id, form, lemma, upos, "_", "_", "_", "_", deps, "_"].join("\t");

test("empty nodes are made, named, moved and deleted, and arcs follow them", () => {
  const page = open("enhanced");
  attachAll(page, [[2, "nsubj"], [0], [4, "cc"], [2, "conj"], [6, "case"], [2, "obl"], [2, "punct"]]);
  const shown = () => page.texts(".nodes .empty");
  page.press("Home", "Shift+N");
  assert.deepEqual(page.all(".asking input").map((each) => [each.name, each.value]), EMPTY.map((name) => [name, name === "after" ? "1" : ""]));
  for (const [values, said] of [
    [{ form: "va" }, /write its arcs/], [{ deps: "9:conj" }, /9 is not a word/], [{ deps: "2:conj", upos: "verb" }, /not a UPOS tag/], [{ upos: "VERB", after: "8" }, /number of the word/],
  ]) {
    filled(page, values);
    assert.match(page.text(".why"), said);
  }
  filled(page, { after: "4" });
  assert.deepEqual(shown(), ["4.1 ella 4:nsubj", "4.2 va 2:conj"]);
  page.press("Home").ask("Shift+D", "2:nsubj|4.2:nsubj");
  page.click(page.find(".nodes .empty:last-child"));
  filled(page, { lemma: "ir", after: "0" }); // before the first word
  assert.deepEqual([shown(), below(page)[0]], [["0.1 va 2:conj", "4.1 ella 4:nsubj"], "0.1:nsubj"]);
  page.click(page.find(".nodes .empty:last-child"));
  filled(page, { form: "" });
  const { nodes, deps } = page.finish();
  assert.deepEqual([nodes, deps[0]], [[nodeLine("0.1", "va", "ir", "VERB", "2:conj"), null, null, "_", null, null, null], "=|0.1:nsubj"]);
});

test("enhanced dependencies are drawn as arcs on a key, and as text again; others stay text", () => {
  const page = open("enhanced");
  attachAll(page, [[2, "nsubj"], [0], [4, "cc"], [2, "conj"], [6, "case"], [2, "obl"], [2, "punct"]]);
  page.press("Home").ask("Shift+D", "2:nsubj|4:nsubj|4.1:nsubj");
  const drawn = () => [page.texts("svg .arc.further text"), below(page)];
  const text = drawn();
  page.press("Shift+G");
  assert.deepEqual(drawn(), [["nsubj"], ["4.1:nsubj", "2:conj:y", "2:obl:en"]]);
  page.click(page.find("svg .arc.further text"));
  assert.equal(page.find("input.deps").value, "2:nsubj|4:nsubj|4.1:nsubj");
  page.press("Escape", "t");
  assert.deepEqual(page.texts(".down .arc.further .name"), ["nsubj"]);
  assert.deepEqual(page.press("t", "t", "Shift+G") && drawn(), text);
  assert.equal(open("unenhanced").texts(".views button").includes("enhanced"), false);
});

test("an empty node whose form is a line keeps it, and a tag is one of UPOS", () => {
  const page = open("enhanced");
  page.press("Shift+N");
  filled(page, { form: "_", deps: "2:conj", after: "2", upos: "VREB" });
  assert.match(page.text(".why"), /“VREB” is not a UPOS tag/);
  filled(page, { upos: "VERB" });
  page.click(page.find(".nodes .empty"));
  filled(page, { deps: "4:conj" });
  assert.deepEqual(page.texts(".nodes .empty"), ["2.1 _ 4:conj", "4.1 ella 4:nsubj"]);
});

test("without its last empty node a sentence is as before, and a word without an arc has that of the tree", () => {
  const page = open("unenhanced");
  attachAll(page, [[2, "nsubj"], [0]]);
  page.press("Home", "Shift+N");
  filled(page, { form: "va", deps: "2:conj" });
  page.ask("Shift+D", "1.1:nsubj").press("Shift+N", "Escape");
  page.click(page.find(".nodes .empty"));
  assert.deepEqual([page.text(".asking.node b"), filled(page, { form: "" }).texts(".nodes .empty")], ["empty node 1.1", []]);
  const { nodes, deps } = page.finish();
  assert.deepEqual([nodes, deps], [undefined, ["=", null]]);
});

test("the arc of the tree alone is no enhanced dependency, and an empty field takes them away", () => {
  const page = open("unenhanced");
  attachAll(page, [[2, "nsubj"], [0]]);
  assert.equal(page.press("Home", "Shift+D", "Enter").saved().deps, undefined);
  page.ask("Shift+D", "2:nsubj|2:obj");
  assert.deepEqual(below(page), ["2:obj"]);
  page.ask("Shift+D", "");
  assert.deepEqual([below(page), page.saved().deps], [[], [null, null]]);
  page.press("Backspace").ask("Shift+D", "2:obj").press("Enter", "2", "Enter", "s"); // attached later
  assert.equal(page.finish().deps[0], "=|2:obj");
});

test("a tree is shown across, down and as a table, larger and smaller", () => {
  const page = open("dep_known");
  const node = (selector) => page.all(selector).length;
  assert.deepEqual([node("svg .node"), page.texts(".node:first-of-type .below").slice(0, 2)], [8, ["1", "el"]]);
  const width = () => Number(page.find("svg.tree").getAttribute("width"));
  const whole = width();
  assert.equal(width(page.press(">")) > whole, true);
  page.press("<", "<", "z");
  assert.equal(width() <= 1000, true);
  page.press("z", "t");
  assert.deepEqual([node(".down .node"), node(".reading mark.cursor")], [8, 1]);
  page.press("t");
  const cell = (column, word = 0) => page.find(`tr[data-word="${word}"] [data-column="${column}"]`);
  cell("heads").focus();
  page.fill("2", cell("heads")).press("Tab").fill("det", cell("deprels")).press("Enter");
  assert.deepEqual([page.saved().heads[0], page.saved().deprels[0]], [2, "det"]);
  page.press("Shift+Tab", "ArrowUp").fill("", cell("heads")).press("Enter", "Escape");
  assert.deepEqual(page.saved().heads[0], -1);
  page.click(page.all(".views button").at(-3));
  assert.equal(node("svg .node"), 8);
  page.click(page.find(".views [aria-pressed]"));
});

test("a table is edited like a spreadsheet", () => {
  const page = open("dep_known", taggedDog());
  const cell = (column, word) => page.find(`tr[data-word="${word}"] [data-column="${column}"]`);
  const at = () => [document.activeElement.dataset.column, document.activeElement.closest("tr")?.dataset.word];
  page.press("t", "t");
  assert.deepEqual(page.texts("thead th"), ["", "word", "UPOS", "lemma", "XPOS", "features", "head", "relation", "MISC"]);
  assert.equal(cell("lemmas", 1).getAttribute("aria-label"), "lemma of perro");
  cell("upos", 0).focus();
  page.fill("pron", cell("upos", 0)).press("Enter").fill("nonsense", cell("upos", 1)).press("ArrowDown");
  assert.deepEqual([at(), page.text(".cells .why"), cell("upos", 1).getAttribute("aria-invalid")], [["upos", "1"], "“nonsense” is not a tag of this project; choose one from the list", "true"]);
  page.fill("PROPN", cell("upos", 1)).press("Tab");
  assert.deepEqual(at(), ["lemmas", "1"]);
  page.press("Shift+Tab", "Ctrl+d", "Ctrl+d", "ArrowUp", "ArrowUp", "ArrowUp");
  assert.deepEqual([at(), page.saved().upos], [["upos", "0"], ["PRON", "PROPN", "PROPN", "PROPN", null, null, null, null]]);
  assert.deepEqual([cell("upos", 1).className, cell("upos", 5).className], ["sure", ""]);
  page.press("Ctrl+z");
  assert.deepEqual([at(), page.saved().upos[3]], [["upos", "0"], null]);
  page.fill("x", cell("upos", 0)).press("Escape");
  assert.deepEqual([document.activeElement === page.frame, page.saved().upos[0], cell("upos", 0).value], [true, "PRON", "PRON"]);
  cell("misc", 1).focus();
  page.fill("Gloss=cat", cell("misc", 1)).press("Tab");
  assert.deepEqual([at(), page.saved().misc[1]], [["upos", "2"], "Gloss=cat"]);
  cell("xpos", 7).focus();
  page.fill("new", cell("xpos", 7)).press("Enter");
  assert.match(page.text(".cells .why"), /^new is new here/);
  page.press("Enter");
  assert.equal(page.saved().xpos[7], "new");
  cell("misc", 7).focus();
  page.press("Tab");
  assert.equal(document.activeElement, page.frame);
});

test("suggestions in a table are taken with Enter, also of a table from right to left", () => {
  const page = open("dep_suggested");
  page.press("t", "t");
  const cell = (column, word) => page.find(`tr[data-word="${word}"] [data-column="${column}"]`);
  assert.deepEqual([cell("heads", 0).placeholder, cell("heads", 0).className, cell("deprels", 0).placeholder], ["3", "guess", "nsubj"]);
  cell("heads", 0).focus();
  page.press("Enter", "ArrowUp", "Tab", "Enter");
  assert.deepEqual([page.saved().heads, page.saved().deprels[0]], [[3, -1, -1, -1, -1], "nsubj"]);
  assert.equal(cell("deprels", 0).className, "sure");
  cell("heads", 0).focus();
  assert.deepEqual(page.texts(".hints .hint").slice(0, 2), ["CtrlEnter done, next", "Ctrlz undo"]);
  page.fill("9", cell("heads", 0));
  page.press("Enter");
  assert.equal(page.text(".cells .why"), "type the number of the head, or 0 for the root");
  page.fill("4", cell("heads", 0));
  cell("deprels", 2).focus(); // as by a click
  tick(10);
  assert.deepEqual([page.saved().heads[0], document.activeElement.dataset.column, page.text("tr.here .form")], [4, "deprels", "snow"]);
  const arabic = open("dep_rtl");
  arabic.press("t", "t").find("tbody input").focus();
  arabic.press("Tab", "Tab");
  assert.deepEqual([arabic.frame.dir, document.activeElement.dataset.column], ["rtl", "misc"]);
});

test("on a phone a tree is drawn down the page", () => {
  window.happyDOM.setViewport({ width: 400 });
  globalThis.innerWidth = 400;
  const page = open("dep");
  window.happyDOM.setViewport({ width: 1280 });
  assert.equal(page.all(".down .node").length, 5);
  assert.equal(page.press("ArrowDown", "ArrowDown", "ArrowUp").text(".here .form"), "loves");
});
