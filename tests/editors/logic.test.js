// Functions that need no editor around them, as tables of what goes in and what comes out.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { payloads, tick, window } from "./harness.js";
import { across } from "../../annotate/components/editors/across.js";
import { blocks, lettersOf, links, moved } from "../../annotate/components/editors/alignment.js";
import { crossing, cycle, levels, longer, newCycle } from "../../annotate/components/editors/arcs.js";
import { closeConnectionErrors } from "../../annotate/components/editors/connection.js";
import { behind, inOrder, joinedNodes, movedDeps, moving, renamed } from "../../annotate/components/editors/deps.js";
import { isolated, same } from "../../annotate/components/editors/dom.js";
import { withFollowing } from "../../annotate/components/editors/joining.js";
import { composing, keyName, pressed } from "../../annotate/components/editors/keyboard.js";
import { fits, noRelation, problems } from "../../annotate/components/editors/legal.js";
import { letters, unspaced } from "../../annotate/components/editors/letters.js";
import { begun, continued, inside, merged as mergedTags, overlap, spansOf, tagsOf } from "../../annotate/components/editors/nested.js";
import { sentencesOf, uncrossed, withEnds } from "../../annotate/components/editors/sentences.js";
import { marked } from "../../annotate/components/editors/spans.js";
import { Stopwatch } from "../../annotate/components/editors/stopwatch.js";
import { down } from "../../annotate/components/editors/vertical.js";
import { agreed, changedPlaces, disputed, rebased, shared } from "../../annotate/components/editors/windows.js";
import { carried, fade, few, percent, split } from "../../annotate/components/editors/words.js";

/** Test a function by rows of arguments, the last of each row being what is wanted. */
function table(name, made, rows) {
  test(name, () => {
    for (const row of rows) assert.deepEqual(made(...row.slice(0, -1)), row.at(-1), JSON.stringify(row.slice(0, -1)));
  });
}

const SAME = { upos: ["NOUN", "VERB", "X"] };
const OTHER = { upos: ["NOUN", "ADJ", "X"] };
const TREE = { heads: [0, 3, 1], deprels: ["root", "case", "obl"] };
const REPAIRED = { words: ["a", "el", "mar"], ranges: [[1, 2, "al"]] };
const FEWER = { words: ["al", "mar"], ranges: [] };
const ANSWERS = { q1: [{ text: "mar", start: 0 }], q2: [] };

const AGREED = [
  [SAME, SAME, SAME],
  [SAME, OTHER, { upos: ["NOUN", "_", "X"] }],
  [SAME, { upos: ["NOUN", "_", "_"] }, SAME],
  [{ ...SAME, ...REPAIRED }, { ...OTHER, ...REPAIRED }, { upos: ["NOUN", "_", "X"], ...REPAIRED }],
  [TREE, { ...TREE, heads: [0, 1, 1] }, { ...TREE, heads: [0, -1, 1] }],
  [{ entities: ["B-LOC", "O"] }, { entities: ["O", "O"] }, { entities: ["_", "O"] }],
  [{ entities: ["B-LOC", "_", "O"] }, { entities: ["_", "B-PER", "_"] }, { entities: ["B-LOC", "B-PER", "O"] }],
  [{ entities: ["B-PER", "I-PER"] }, { entities: ["B-PER", "O"] }, { entities: ["_", "_"] }],
  [{ entities: ["B-ORG", "I-ORG|B-LOC"] }, { entities: ["B-ORG", "I-ORG"] }, { entities: ["_", "_"] }],
  [{ label: "news" }, { label: "news" }, { label: "news" }],
  [{ label: "news" }, { label: "sport" }, { label: "_" }],
  [{ label: "news" }, { label: "_" }, { label: "news" }],
  [{ answers: ANSWERS }, { answers: { ...ANSWERS, q1: [] } }, { answers: { q2: [] } }],
  [{ answers: ANSWERS }, { answers: {} }, { answers: ANSWERS }],
  [{ ...SAME, misc: [null, "Gloss=a", null] }, { ...SAME, misc: [null, null, "A=b"] }, { ...SAME, misc: [null, "Gloss=a", "A=b"] }],
  [{ ...TREE, deps: ["=", null, null] }, TREE, { ...TREE, deps: ["=", null, null] }],
];
table("what two windows agree on or one alone says is kept, the rest is open", agreed, AGREED);
table("it does not matter which window is the first", agreed, AGREED.map(([one, other, wanted]) => [other, one, wanted]));
table("of other words nothing is agreed on but the first's words", agreed, [
  [{ upos: ["X", "X"], ...FEWER }, SAME, { upos: ["_", "_"], ...FEWER }],
  [SAME, { upos: ["X", "X"], ...FEWER }, { upos: ["_", "_", "_"] }],
  [{ entities: ["B-PER", "O"], ...FEWER }, { entities: ["O"] }, { entities: ["_", "_"], ...FEWER }],
]);
table("the places that are to be decided", (...versions) => disputed(...versions).map(({ word, question }) => question ?? word), [
  [SAME, OTHER, [1]],
  [SAME, { upos: ["_", "_", "_"] }, []],
  [{ upos: ["_", "X", "_"] }, { upos: ["_", "VERB", "_"] }, [1]],
  [{ label: "news" }, { label: "sport" }, [undefined]],
  [{ label: "news" }, { label: "_" }, []],
  [{ answers: ANSWERS }, { answers: { ...ANSWERS, q1: [] } }, ["q1"]],
  [{ heads: [3, 0], deprels: ["_", "_"] }, { heads: [2, 0], deprels: ["_", "_"] }, [0]],
  [{ heads: [3, 0], deprels: ["_", "_"] }, { heads: [-1, 0], deprels: ["_", "_"] }, []],
  [SAME, { upos: ["X", "X"], ...FEWER }, [0, 1, 2]],
]);

const NAMED = (upos, more = {}) => ({ upos, ...REPAIRED, ...more });
const TREE_OF = (heads, more = {}) => ({ heads, words: ["a", "b"], ranges: [], ...more });
table("a version with what has changed on the server where it has the same, of values that other tasks set too", rebased, [
  [TREE_OF([2, 0]), TREE_OF([0, 1]), TREE_OF([0, 0]), TREE_OF([2, 0])], // heads are no such values
  [TREE_OF([2, 0]), TREE_OF([2, 0]), TREE_OF([2, 0], { upos: [null, "X"] }), TREE_OF([2, 0], { upos: [null, "X"] })],
  [TREE_OF([2, 0], { upos: ["Y", "X"] }), TREE_OF([2, 0], { upos: [null, "X"] }), TREE_OF([2, 0]), TREE_OF([2, 0], { upos: ["Y", null] })],
  [TREE_OF([2, 0], { misc: [null, "A=1"] }), TREE_OF([2, 0], { misc: [null, "A=1"] }), TREE_OF([2, 0]), TREE_OF([2, 0])],
  [TREE_OF([2, 0]), TREE_OF([2, 0]), TREE_OF([2, 0, 1], { words: ["a", "b", "c"], upos: ["X", "X", "X"] }), TREE_OF([2, 0])],
]);
const MARKED = (...entities) => ({ entities, words: ["a", "b", "c", "d"], ranges: [] });
const merged = (common, mine, theirs) => {
  const versions = shared(common, mine, theirs);
  return [agreed(...versions), disputed(...versions).map(({ word, question }) => question ?? word)];
};
table("what one of two windows has changed counts, and what both have is to be decided", merged, [
  [NAMED(["X", "X", "X"]), NAMED(["ADP", "X", "X"]), NAMED(["X", "X", "NOUN"]), [NAMED(["ADP", "X", "NOUN"]), []]],
  [NAMED(["X", "X", "X"]), NAMED(["ADP", "DET", "X"]), NAMED(["X", "PRON", "NOUN"]), [NAMED(["ADP", "_", "NOUN"]), [1]]],
  [NAMED(["X", "X", "X"]), NAMED(["_", "X", "X"]), NAMED(["X", "X", "NOUN"]), [NAMED(["_", "X", "NOUN"]), []]],
  [undefined, NAMED(["ADP", "X", "X"]), NAMED(["X", "X", "X"]), [NAMED(["_", "X", "X"]), [0]]],
  [{ ...TREE, ...REPAIRED }, { ...TREE, ...REPAIRED, heads: [0, 1, 1] }, { ...TREE, ...REPAIRED, deprels: ["root", "mark", "obl"] }, [{ ...TREE, ...REPAIRED, heads: [0, -1, 1], deprels: ["root", "_", "obl"] }, [1]]],
  [{ ...TREE, ...REPAIRED, upos: ["X", null, null] }, { ...TREE, ...REPAIRED, upos: ["X", null, null], heads: [0, 1, 1] }, { ...TREE, ...REPAIRED }, [{ ...TREE, ...REPAIRED, heads: [0, 1, 1], upos: [null, null, null] }, []]],
  [NAMED(["X", "X", "X"]), NAMED(["X", "X", "X"], { misc: ["A=b", null, null] }), NAMED(["ADP", "X", "X"]), [NAMED(["ADP", "X", "X"], { misc: ["A=b", null, null] }), []]],
  [MARKED("B-PER", "I-PER", "O", "O"), MARKED("O", "O", "O", "O"), MARKED("B-PER", "I-PER", "O", "B-LOC"), [MARKED("O", "O", "O", "B-LOC"), []]],
  [MARKED("B-PER", "I-PER", "O", "O"), MARKED("O", "O", "O", "O"), MARKED("B-PER", "I-PER", "I-PER", "O"), [MARKED("_", "_", "_", "O"), [0, 1, 2]]],
  [{ label: "news" }, { label: "news" }, { label: "sport" }, [{ label: "sport" }, []]],
  [{ label: "news" }, { label: "health" }, { label: "sport" }, [{ label: "_" }, [undefined]]],
  [{ answers: ANSWERS }, { answers: { q1: ANSWERS.q1 } }, { answers: { q1: [], q2: [] } }, [{ answers: { q1: [] } }, []]],
  [NAMED(["X", "X", "X"]), { upos: ["X", "X"], ...FEWER }, NAMED(["X", "X", "NOUN"]), [{ upos: ["_", "_"], ...FEWER }, [0, 1]]],
]);
table("entities that both windows have changed stay whole in both versions", (...versions) => shared(...versions).map(({ entities }) => entities.join(" ")), [
  [MARKED("_", "_", "_", "_"), MARKED("B-ORG", "I-ORG", "_", "_"), MARKED("_", "B-LOC", "I-LOC", "_"), ["B-ORG I-ORG _ _", "_ B-LOC I-LOC _"]],
  [MARKED("O", "O", "O", "O"), MARKED("B-PER", "I-PER", "I-PER", "O"), MARKED("O", "O", "B-PER", "I-PER"), ["B-PER I-PER I-PER O", "O O B-PER I-PER"]],
  [MARKED("B-PER", "I-PER", "O", "O"), MARKED("O", "O", "O", "O"), MARKED("B-PER", "I-PER", "I-PER", "O"), ["O O O O", "B-PER I-PER I-PER O"]],
  [MARKED("B-PER", "O", "B-LOC", "I-LOC"), MARKED("B-PER", "I-PER", "I-PER", "O"), MARKED("O", "O", "B-LOC", "I-LOC"), ["B-PER I-PER I-PER O", "O O B-LOC I-LOC"]],
  [MARKED("B-ORG", "I-ORG", "I-ORG", "O"), MARKED("B-ORG|B-LOC", "I-ORG", "I-ORG", "O"), MARKED("B-ORG", "I-ORG", "I-ORG|B-PER", "O"), ["B-ORG|B-LOC I-ORG I-ORG|B-PER O", "B-ORG|B-LOC I-ORG I-ORG|B-PER O"]],
  [MARKED("_", "_", "_", "_"), MARKED("B-ORG", "_", "_", "_"), MARKED("_", "_", "B-LOC", "I-LOC"), ["B-ORG _ B-LOC I-LOC", "B-ORG _ B-LOC I-LOC"]],
]);
const heads = (...numbers) => ({ heads: numbers, deprels: ["x", "x", "x"], ...REPAIRED });
table("heads of two windows that make no tree together are to be decided", merged, [
  [heads(0, 1, 1), heads(0, 3, 1), heads(0, 1, 2), [heads(0, -1, -1), [1, 2]]], // a cycle
  [heads(0, -1, -1), heads(0, 3, -1), heads(0, -1, 2), [heads(0, -1, -1), [1, 2]]],
  [heads(0, -1, -1), heads(0, 3, -1), heads(0, -1, 1), [heads(0, 3, 1), []]],
  [heads(-1, -1, -1), heads(0, 1, -1), heads(-1, -1, 0), [heads(-1, -1, -1), [0, 1, 2]]], // a second root
  [heads(0, 1, 1), heads(2, 0, 1), heads(3, 1, 0), [heads(-1, -1, -1), [0, 1, 2]]],
  [heads(0, 3, 2), heads(0, 3, 2), heads(0, 3, 2), [heads(0, 3, 2), []]], // made by one
  [heads(-1, -1, -1), { ...heads(0, -1, -1), ends: [1] }, { ...heads(-1, 0, -1), ends: [1] }, [{ ...heads(0, 0, -1), ends: [1] }, []]],
]);
test("what is to be decided of heads is each window's own in its version", () => {
  const versions = shared(heads(0, 1, 1), heads(0, 3, 1), heads(0, 1, 2));
  assert.deepEqual(versions, [heads(0, 3, 1), heads(0, 1, 2)]);
});
table("what a window has changed in columns of several tasks", changedPlaces, [
  [{ ...SAME, ...REPAIRED }, { ...OTHER, ...REPAIRED }, { upos: [1] }],
  [{ ...TREE, ...REPAIRED }, { ...TREE, heads: [0, 1, 1], ...REPAIRED, lemmas: [null, "el", null] }, { lemmas: [1] }],
  [{ ...TREE, ...REPAIRED, misc: ["A=b", null, null] }, { ...TREE, ...REPAIRED }, { misc: [0] }],
  [{ ...SAME, ...REPAIRED }, { upos: ["X", "X"], ...FEWER }, null],
  [{ label: "news" }, { label: "sport" }, null],
]);

const ALT_GR = { altKey: true, ctrlKey: true };
table("which key an event is", (event, name) => pressed(new window.KeyboardEvent("keydown", event), name), [
  [{ key: "n" }, "n", true],
  [{ key: "N" }, "n", true], // Caps Lock
  [{ key: "N", shiftKey: true }, "n", false],
  [{ key: "N", shiftKey: true }, "Shift+N", true],
  [{ key: "n", ctrlKey: true }, "n", false],
  [{ key: "n", metaKey: true }, "Ctrl+n", true],
  [{ key: "Enter", ctrlKey: true }, "Ctrl+Enter", true],
  [{ key: "Enter", shiftKey: true }, "Enter", false],
  [{ key: "?", shiftKey: true }, "?", true],
  [{ key: "+", shiftKey: true }, "+", true],
  [{ key: "[", ...ALT_GR }, "[", true], // a German keyboard on Windows
  [{ key: "[", altKey: true }, "[", true], // on a Mac
  [{ key: "т", code: "KeyN" }, "n", true], // a Russian keyboard
  [{ key: "Я", code: "KeyZ", ctrlKey: true, shiftKey: true }, "Ctrl+Shift+Z", true],
  [{ key: "ß", code: "KeyS", altKey: true }, "Alt+s", true], // Option and s
  [{ key: "1", code: "Digit1" }, "1", true],
  [{ key: "ArrowLeft", altKey: true }, "Alt+ArrowLeft", true],
  [{ key: "ArrowLeft", altKey: true }, "ArrowLeft", false],
]);
table("what the key of an event is called", (event) => keyName(event), [
  [{ key: "n" }, "n"],
  [{ key: "N", shiftKey: true }, "Shift+N"],
  [{ key: "?", shiftKey: true }, "?"],
  [{ key: "Enter", ctrlKey: true, shiftKey: true }, "Ctrl+Shift+Enter"],
  [{ key: "[", ...ALT_GR }, "["],
]);
table("which keys belong to an input method", composing, [[{ isComposing: true }, true], [{ keyCode: 229 }, true], [{ keyCode: 13 }, false]]);

const arc = (word, head) => ({ word, head, label: "x", kind: "sure" });
table("an arc is above those that it spans", (arcs) => [...levels(arcs.map(([word, head]) => arc(word, head))).values()], [
  [[[0, 1], [1, -1], [2, 1]], [1, 1]],
  [[[0, 3], [1, 2]], [1, 2]],
  [[[0, 2], [1, 3]], [1, 2]], // they cross
]);
table("words in a cycle that was not there before", newCycle, [
  [[0, 1, 2], [3, 1, 2], [0, 2, 1]],
  [[2, 1, 0], [2, 1, 1], []], // a word that is attached to a cycle closes none
  [[2, 1, 0, 3], [2, 1, 4, 3], [2, 3]],
]);

table("words in a cycle", cycle, [
  [[2, 0, 2], []],
  [[2, 1, 0], [0, 1]],
  [[-1, 3, 4, 2], [1, 2, 3]],
  [[1], [0]],
]);
table("arcs that cross others", crossing, [
  [[2, 0, 2], []],
  [[3, 4, 0, 3], [1]],
  [[3, -1, 0], []],
]);
test("the longest arc of a head leaves it first", () => {
  const arcs = [arc(1, 0), arc(2, 0), arc(3, 0), arc(0, -1)];
  assert.deepEqual(arcs.map((one) => longer(one, arcs)), [2, 1, 0, 0]);
});

const made = (words, ranges = []) => ({ words, ranges });
table("the letters that words stand for", (words, ranges) => lettersOf(made(words, ranges)), [
  [["New York", "."], [], [[0, 7], [7, 8]]],
  [["voy", "a", "el", "mar"], [[2, 3, "al"]], [[0, 3], [3, 5], [3, 5], [5, 8]]],
  [["can", "not"], [[1, 2, "cannot"]], [[0, 3], [3, 6]]],
]);
table("the smallest runs of words for the same letters", (one, other, written) => blocks(one, other, written).map(({ mine, theirs, equal }) => [mine, theirs, equal]), [
  [made(["You", "cannot", "go"]), made(["You", "can", "not", "go"]), false, [[[0], [0], true], [[1], [1, 2], false], [[2], [3], true]]],
  [made(["can", "not"]), made(["can", "not"], [[1, 2, "cannot"]]), false, [[[0], [0], true], [[1], [1], true]]],
  [made(["can", "not"]), made(["can", "not"], [[1, 2, "cannot"]]), true, [[[0, 1], [0, 1], false]]],
  [made(["a", "b"]), made(["a"]), false, [[[0], [0], true], [[1], [], false]]],
]);
table("columns on other words", (annotation, one, other) => moved(annotation, ...links(blocks(one, other))), [
  [{ entities: ["A", "B", "C"], heads: [2, 0, 2], deprels: ["x", "root", "y"] }, made(["a", "bc", "d"]), made(["a", "bc", "d"]),
    { entities: ["A", "B", "C"], heads: [2, 0, 2], deprels: ["x", "root", "y"] }],
  [{ entities: ["A", "B", "C"], heads: [2, 0, 2], deprels: ["x", "root", "y"] }, made(["a", "b", "c", "d"]), made(["a", "bc", "d"]),
    { entities: ["A", "_", "_", "C"], heads: [2, -1, -1, 2], deprels: ["x", "_", "_", "y"] }],
]);

table("DEPS on other words", (column, to) => renamed(column, moving(to, to.length)), [
  ["2:obj|1:nsubj", [0, 2], "3:obj|1:nsubj"],
  ["=|0:root|2.1:conj", [0, 1], "=|0:root|2.1:conj"],
  ["2:obj", [0, null], "_"],
  ["=:of|1.1:x", [1, 2], "=:of|2.1:x"],
]);
table("ids behind other words", (id) => behind(3, 2)(id), [["0", "0"], ["1", "4"], ["0.1", "3.3"], ["2.1", "5.1"]]);
table("arcs in the order of UD", (arcs) => [...arcs].sort(inOrder), [[["10:b", "2.1:a", "2:b", "2:a"], ["2:a", "2:b", "2.1:a", "10:b"]]]);
const node = (id, form, deps) => [id, form, "_", "_", "_", "_", "_", "_", deps, "_"].join("\t");
const THERE = node("1.1", "there", "2:a");
table("changed DEPS and empty nodes on other words", movedDeps, [
  [{ deps: ["2:a", null] }, [0, null, 1], [0, 2], { deps: ["3:a", null, null] }],
  [{ deps: ["1.1:a", null], nodes: [THERE, null] }, [0, null, 1], [0, 2], // after the last part of a split word
    { deps: ["2.1:a", null, null], nodes: ["_", node("2.1", "there", "3:a"), null] }],
  [{ deps: [null, "2.1:a"], nodes: [THERE, node("2.1", "so", "1.1:b")] }, [1], [0, 0], // both after a merged word
    { deps: ["1.2:a"], nodes: [[node("1.1", "there", "1:a"), node("1.2", "so", "1.1:b")].join("\n")] }],
  [{ nodes: [[node("0.1", "it", "1:a"), THERE].join("\n"), null] }, [0, null, 1], [0, 2], // before and after the first word
    { nodes: [node("0.1", "it", "1:a"), node("2.1", "there", "3:a"), null] }],
  [{ nodes: [[node("0.1", "it", "1:a"), THERE].join("\n"), "_"] }, [0], [0, null], // the second word is gone
    { nodes: [[node("0.1", "it", "1:a"), node("1.1", "there", "_")].join("\n")] }],
]);
table("empty nodes of sentences that are joined", (one, other) => joinedNodes(one, other, behind(one.length, 1)), [
  [["_", THERE.replace("1.1", "2.1")], [node("0.1", "it", "0.1:a|2:b"), "_"],
    ["_", [THERE.replace("1.1", "2.1"), node("2.2", "it", "2.2:a|4:b")].join("\n"), "_", "_"]],
]);

const sentence = (annotation) => ({ annotation, data: {} });
table("the words of each sentence", (ends, count) => sentencesOf(sentence({ words: [], ends }), count), [
  [[], 3, [[0, 2]]],
  [[2], 3, [[0, 1], [2, 2]]],
]);
table("heads over the end of a sentence are open, the only one of a sentence is its root", (heads, ends) => uncrossed({ heads, deprels: heads.map(() => "x") }, ends), [
  [[2, 0, 2], [2], { heads: [2, 0, 0], deprels: ["x", "x", "root"] }],
  [[2, 0, 2, 2], [2], { heads: [2, 0, -1, -1], deprels: ["x", "x", "_", "_"] }],
]);
table("an entity ends with its sentence", (entities, ends) => withEnds({ entities }, ["a", "b", "c"], [], ends), [
  [["B-PER", "I-PER", "I-PER"], [2], { entities: ["B-PER", "I-PER", "B-PER"], words: ["a", "b", "c"], ranges: [], ends: [2] }],
  [["O", "O", "O"], [], { entities: ["O", "O", "O"], words: ["a", "b", "c"], ranges: [] }],
]);

const divided = (columns, words, ...more) => {
  const annotation = { ...columns, words, ranges: [] };
  return split(sentence(annotation), annotation, ...more);
};
table("a word becomes several", divided, [
  [{ upos: ["A", "B", "C"] }, ["I", "cannot", "go"], 1, ["can", "not"], { upos: ["A", "B", "_", "C"], words: ["I", "can", "not", "go"], ranges: [] }],
  [{ entities: ["O", "B-LOC"] }, ["in", "NewYork"], 1, ["New", "York"], { entities: ["O", "B-LOC", "I-LOC"], words: ["in", "New", "York"], ranges: [] }],
  [{ heads: [2, 0, 2], deprels: ["x", "root", "y"] }, ["a", "al", "b"], 1, ["a", "el"],
    { heads: [2, 0, -1, 2], deprels: ["x", "root", "_", "y"], words: ["a", "a", "el", "b"], ranges: [[2, 3, "al"]] }],
  [{ upos: ["A"], misc: ["Gloss=x"], deps: ["2:a"] }, ["ab"], 0, ["a", "b"], { upos: ["A", "_"], misc: ["Gloss=x", null], deps: ["_", null], words: ["a", "b"], ranges: [] }],
]);
test("ends of sentences inside a multiword token fall with it", () => {
  const found = carried({ upos: ["A", "B"], ends: [1] }, ["a", "b"], [[1, 2, "ab"]], [0, 1], [0, 1]);
  assert.equal(found.ends, undefined);
});

const RELATIONS = { data: { labels: [{ name: "acl" }, { name: "own:kind" }, { name: "root" }] } };
table("why a name is no relation", (name) => noRelation(RELATIONS, name).slice(0, 14), [
  ["acl", ""], ["acl:relcl", ""], ["own:kind", ""], ["acl:", "“acl:” is not "], ["acl:a:b", "“acl:a:b” is n"], ["acl:Relcl", "“acl:Relcl” is"], ["foo", "“foo” is not a"],
]);
table("the root has the relation of the root", fits, [[0, "root", true], [2, "root", false], [0, "obl", false], [2, "obl", true], [2, "_", false]]);
const WRONG = [
  [[-1, 0], ["_", "root"], ["todo: no head yet: “a”"]],
  [[2, 0], ["_", "root"], ["todo: no relation yet: “a”"]],
  [[2, 0], ["acl", "root"], []],
  [[2, 0], ["root", "root"], ["error: “a” (1): the relation “root” is for the root only, and the root has no other; press 0 to make this word the root, or l for another relation"]],
  [[2, 1], ["acl", "acl"], ["error: “a” (1) → “b” (2) form a cycle; attach one of them to another word, or make it the root"]],
  [[0, 0], ["root", "root"], ["error: “a” (1) and “b” (2) are all roots; attach “b” (2) to “a” (1) or “a” (1) to “b” (2); if these are two sentences, press . on the last word of the first"]],
  [[2, 3, 2], ["acl", "acl", "acl"], ["error: “b” (2) → “c” (3) form a cycle; attach one of them to another word, or make it the root"]],
];
const tree = (heads, deprels, annotation = {}) => ({ annotation: { heads, deprels, words: [..."abc"].slice(0, heads.length), ranges: [], ...annotation }, data: RELATIONS.data, keyOf: (key) => key });
table("what keeps a tree from being done", (heads, deprels) => problems(tree(heads, deprels)).map(({ level, message }) => `${level}: ${message}`), WRONG);
test("an arc over the end of a sentence is wrong, and each sentence has a root", () => {
  const ended = { words: ["a", "b", "c"], ranges: [], ends: [2] };
  assert.deepEqual(problems(tree([0, 1, 1], ["root", "acl", "acl"], ended)).map(({ word }) => word), [2, 2]);
  assert.deepEqual(problems(tree([0, 1, 0], ["root", "acl", "root"], ended)), []);
});

table("the letters that a mouse selects", (name, word) => letters({ data: payloads(name)[0], annotation: payloads(name)[0].example }, word).map(({ start, end }) => [start, end]), [
  ["ner_chinese", 2, [[0, 1], [1, 3], [3, 4]]], // of a letter outside of the plane too
  ["ner_mixed", 1, [[0, 1], [1, 9]]],
  ["ner", 1, [[0, 3]]],
]);
table("which sentences have no spaces", (name) => unspaced(payloads(name)[0]), [["ner_chinese", true], ["ner_thai", true], ["ner", false], ["pos", false]]);

table("values are the same in whatever order their keys are", same, [[{ a: [1], b: { c: 2, d: 3 } }, { b: { d: 3, c: 2 }, a: [1] }, true], [[1, 2], [2, 1], false]]);
const VECTORS = JSON.parse(readFileSync(new URL("../nested.json", import.meta.url), "utf8"));
const asSpan = ([from, end, type]) => ({ from, to: end - 1, type });
table("tags hold entities in layers", spansOf, VECTORS.tags.map(([tags, spans]) => [tags, spans.map(asSpan)]));
table("entities come back from tags", (spans, tags) => tagsOf(spans, tags.map((tag) => (tag === "_" ? tag : "O"))), VECTORS.tags.map(([tags, spans]) => [spans.map(asSpan), tags, tags]));
table("a merged word has the first entity, and those around it and inside it", mergedTags, VECTORS.merged);

test("entities drawn at random come back from their tags", () => {
  let seed = 1;
  const random = (most) => (seed = (seed * 48271) % 2147483647) % most;
  for (let round = 0; round < 500; round += 1) {
    const spans = [];
    for (let count = random(7); count > 0; count -= 1) {
      const from = random(8);
      const span = { from, to: from + random(8 - from), type: "AB"[random(2)] };
      if (spans.every((other) => !overlap(span, other) || inside(span, other) || inside(other, span)) && !spans.some((other) => same(other, span))) spans.push(span);
    }
    const tags = tagsOf(spans, Array(8).fill("O"));
    const order = (all) => all.toSorted((one, other) => one.from - other.from || other.to - one.to);
    assert.deepEqual(spansOf(tags), order(spans));
    assert.deepEqual(spansOf(tags.map(continued)).length, 0);
    assert.deepEqual(spansOf(tags.map(begun)).length, spans.reduce((sum, { from, to }) => sum + to - from + 1, 0));
  }
});
table("the entities of tags", spansOf, [
  [["B-PER", "I-PER", "O", "B-LOC"], [{ from: 0, to: 1, type: "PER" }, { from: 3, to: 3, type: "LOC" }]],
  [["B-PER", "I-LOC", "_", "I-PER"], [{ from: 0, to: 0, type: "PER" }]],
]);
table("words become an entity, and what that cuts is none", (entities, from, to, type) => marked({ entities }, from, to, type).entities, [
  [["_", "_", "_"], 1, 1, "LOC", ["_", "B-LOC", "_"]],
  [["B-PER", "I-PER", "I-PER", "B-PER"], 1, 1, "LOC", ["O", "B-LOC", "O", "B-PER"]],
  [["B-PER", "I-PER", "_"], 0, 1, null, ["O", "O", "_"]],
]);
table("a list is cut short", few, [[["a", "b"], "a, b"], [["a", "b", "c", "d", "e"], "a, b, c and 2 more"]]);
table("how sure a model is", (share) => [percent(share), fade(share)], [[0.651, ["65%", "--sure: 50%"]], [0.1, ["10%", "--sure: 0%"]], [undefined, [null, null]]]);
table("a quotation from right to left turns nothing around it", (text) => isolated(text).map((part) => part.outerHTML ?? part), [
  ["no tag yet: “סוס”, “a”", ["no tag yet: “", "<bdi>סוס</bdi>", "”, “a”"]],
  ["“a”", ["“a”"]],
]);

test("a sentence has all that it goes on in", () => {
  const [data] = payloads("join");
  const { text, words, ranges, misc } = withFollowing({ annotation: { words: [], joined: 1 }, data });
  assert.deepEqual([text, words, ranges], ["Elle boit env. du vin", ["Elle", "boit", "env", ".", "de", "le", "vin"], [[5, 6, "du"]]]);
  assert.equal(misc[6], "Gloss=wine");
});

test("time counts while somebody works in a tab that is seen", () => {
  const watch = new Stopwatch();
  const step = (seconds, what) => {
    tick(1000 * seconds);
    watch[what]();
    return watch.seconds;
  };
  assert.deepEqual([step(10, "tick"), step(121, "tick"), step(120, "tick")], [10, 10, 130]);
  document.hidden = true;
  assert.equal(step(5, "pause"), 135);
  document.hidden = false;
  assert.deepEqual([step(60, "pause"), step(5, "tick")], [135, 140]);
});

const LAYOUT = {
  words: ["Ana", "sings", "in", "an", "extraordinarily", "long", "word"], ends: [], below: [], enhanced: null, here: 1, chosen: null, numbers: false, family: "sans", on: {},
  arcs: [[0, 1, "nsubj"], [1, -1, "root"], [2, 6, "case"], [3, 6, "det"], [4, 5, "advmod"], [5, 6, "amod"], [6, 1, "obl:arg"]].map(([word, head, label]) => ({ word, head, label, kind: "sure" })),
};
const box = (node) => ["x", "y", "width", "height"].map((name) => Number(node.getAttribute(name)));
const apart = ([x, y, width, height], [left, top, wide, high]) => x + width <= left || left + wide <= x || y + height <= top || top + high <= y;

for (const rtl of [false, true])
  test(`no word and no label of a tree ${rtl ? "from right to left " : ""}stands on another, and arcs point at their words`, () => {
    const { picture, scale, fits: whole } = across({ ...LAYOUT, rtl, room: 2000 });
    assert.deepEqual([scale, whole], [1, true]);
    for (const kind of [".node rect", ".back"]) {
      const boxes = [...picture.querySelectorAll(kind)].map(box);
      boxes.forEach((one, place) => boxes.slice(place + 1).forEach((other) => assert(apart(one, other), `${kind} ${one} ${other}`)));
    }
    const middles = [...picture.querySelectorAll(".form")].map((node) => Number(node.getAttribute("x")));
    assert.deepEqual(middles, [...middles].sort((a, b) => (rtl ? b - a : a - b)));
    const tips = [...picture.querySelectorAll(".tip")].map((node) => Number(/^M([^,]+)/.exec(node.getAttribute("d"))[1]) + 4);
    assert.deepEqual(tips.map(Math.round), middles.map(Math.round));
  });

table("a tree is as large as it may be", (room, zoom) => {
  const { scale, fits: whole } = across({ ...LAYOUT, rtl: false, room, zoom });
  return [Math.round(100 * scale) / 100, whole];
}, [[5000, undefined, [1, true]], [300, undefined, [0.85, false]], [300, 0, [0.62, false]], [300, 2, [2, false]]]);

test("a tree down the page has a row for each word and its arcs beside them", () => {
  const node = down({ ...LAYOUT, ends: [2], enhanced: LAYOUT.words.map(() => ""), below: [LAYOUT.words], chosen: 2, rtl: true, lang: "en", room: 1000 });
  assert.deepEqual([node.querySelectorAll(".node").length, node.querySelectorAll(".tip").length, node.querySelectorAll(".ends").length], [7, 7, 1]);
  assert.equal(node.querySelector("svg").getAttribute("height"), String(7 * 28));
  assert(node.querySelector("g").getAttribute("transform").endsWith("scale(-1 1)"));
  assert(node instanceof window.HTMLElement);
});

test("the dialog about a lost connection is closed, and no other one", async () => {
  const ending = new AbortController();
  closeConnectionErrors(ending.signal);
  const closed = [];
  const open = async (title) => {
    const dialog = document.createElement("div");
    dialog.innerHTML = `<div role="dialog"><button></button><h2>${title}</h2></div>`;
    dialog.querySelector("button").addEventListener("click", () => closed.push(title));
    document.body.append(dialog);
    await window.happyDOM.waitUntilComplete();
    dialog.remove();
  };
  await open("Connection error");
  await open("Delete a project");
  ending.abort();
  await open("Connection error");
  assert.deepEqual(closed, ["Connection error"]);
});
