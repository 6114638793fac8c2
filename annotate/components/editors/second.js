// The suggestion of a second model: its differences from the first suggestion, below the editor, each with a button to accept it.
//
// Words, entities and questions are compared one by one, on the current words. A difference enters the annotation only when it
// is accepted; open values still show the first suggestion.

import { OPEN, wordsOf } from "./alignment.js";
import { copy, h, same } from "./dom.js";
import { takeHeads } from "./legal.js";
import { _ } from "./messages.js";
import { nestedOf, overlap, spansOf } from "./nested.js";
import { isApart } from "./sentences.js";
import { marked } from "./spans.js";
import { formOf, guess } from "./words.js";

const NOTHING = "–";

/** Draw the second suggestion; nothing without one. */
export function strip(session) {
  const { suggestion, second } = session.data;
  if (!suggestion || !second) return [];
  const found = differences(session);
  const title = found.length ? _("{model} suggests otherwise", { model: second.by }) : _("{model} suggests the same", { model: second.by });
  const rows = found.map((one) => row(session, one));
  return [h("div", { class: "second", role: "group", dir: "ltr", "aria-label": title }, title, h("ul", {}, rows))];
}

/** Draw a difference: its unit, the first suggestion, and the second, which a button accepts if it can be. */
function row(session, { unit, mine, theirs, take, place }) {
  const { lang, second } = session.data;
  const differs = [h("bdi", { lang }, unit), " ", h("bdi", {}, mine), " →"];
  if (!take) return h("li", {}, differs, " ", h("bdi", {}, theirs));
  const taken = same(take(copy(session.annotation)), session.annotation);
  const button = h(
    "button",
    {
      type: "button", class: `choice ${taken ? "chosen" : "guess"}`, "aria-pressed": String(taken),
      "aria-label": _("{unit}: {value}, suggested by {model}", { unit, value: theirs, model: second.by }),
      onclick: ({ detail }) => {
        if (detail) session.frame.focus({ preventScroll: true }); // a key press leaves the focus
        takeHeads(session, take, place);
      },
    },
    theirs,
  );
  return h("li", {}, differs, button);
}

/** Return the differences as {unit, mine, theirs, take, place}; `take` returns the annotation with the second suggestion, null if it cannot be accepted. */
function differences(session) {
  const { suggestion, second, title } = session.data;
  if ("label" in second.annotation) return byLabel(title, suggestion.annotation, second.annotation);
  if (second.annotation.answers) return byQuestion(session, suggestion.annotation.answers, second.annotation.answers);
  const [mine, theirs] = [suggestion, second].map((one) => guess(session, one).annotation);
  return theirs.entities ? byEntity(session, mine.entities, theirs.entities) : byWord(session, mine, theirs);
}

function byLabel(unit, mine, theirs) {
  if (mine.label === theirs.label) return [];
  return [{ unit, mine: mine.label, theirs: theirs.label, take: () => ({ label: theirs.label }), place: {} }];
}

function byQuestion({ data }, mine, theirs) {
  const said = (answers) => answers?.map(({ text }) => text).join(" · ") || _("no answer");
  const asked = data.example.paragraphs.flatMap(({ questions }) => questions).filter(({ id }) => id in theirs && !same(mine[id] ?? [], theirs[id]));
  return asked.map(({ id, text }) => ({
    unit: text, mine: said(mine[id]), theirs: said(theirs[id]), place: { question: id, word: 0, from: 0 },
    take: (annotation) => ({ ...annotation, answers: { ...annotation.answers, [id]: theirs[id] } }),
  }));
}

/** Compare words: in tags each column that differs is accepted, in trees the whole arc. */
function byWord(session, mine, theirs) {
  const columns = Object.keys(theirs);
  const isOpen = (word) => columns.some((column) => [OPEN, -1].includes(theirs[column][word]));
  return wordsOf(session).flatMap((form, word) => {
    const other = columns.filter((column) => mine[column][word] !== theirs[column][word]);
    if (!other.length || isOpen(word)) return [];
    const wanted = theirs.heads ? ["deprels", "heads"] : other;
    const said = (columnsOf) => wanted.map((column) => valueOf(session, column, columnsOf[column][word])).join(theirs.heads ? " ← " : " ");
    const take = (annotation) => {
      for (const column of wanted) annotation[column][word] = theirs[column][word];
      return annotation;
    };
    return [{ unit: `${word + 1} ${form}`, mine: said(mine), theirs: said(theirs), take, place: { word, from: word } }];
  });
}

/** Return a value as it is displayed; a head is displayed as its word. */
function valueOf(session, column, value) {
  if (column !== "heads") return value === OPEN || value === "" ? NOTHING : value;
  return value < 0 ? NOTHING : wordsOf(session)[value - 1] ?? _("root");
}

/** Compare entities: different entities that overlap are accepted together. A person's nested entities stay. */
function byEntity(session, mine, theirs) {
  const whole = ({ from, to }) => !isApart(session, from, to);
  const [first, second] = [mine, theirs].map((tags) => spansOf(tags).filter(whole));
  const nested = nestedOf(spansOf(session.annotation.entities));
  return regions(first, second).map(({ from, to }) => {
    const inside = (spans) => spans.filter((span) => from <= span.from && span.to <= to);
    const named = (span) => (same([span.from, span.to], [from, to]) ? span.type : `${formOf(session, span.from, span.to)} ${span.type}`);
    const said = (spans) => inside(spans).map(named).join(" | ") || _("no entity");
    const take = (annotation) =>
      inside(second).reduce((made, span) => marked(made, span.from, span.to, span.type), marked(annotation, from, to, null));
    const isKept = nested.some((span) => overlap(span, { from, to }));
    return { unit: formOf(session, from, to), mine: said(first), theirs: said(second), take: isKept ? null : take, place: { word: to, from } };
  });
}

/** Return the runs of words with entities that only one side has. */
function regions(first, second) {
  const lacks = (spans) => (span) => !spans.some((other) => same(other, span));
  const alone = [...first.filter(lacks(second)), ...second.filter(lacks(first))].sort((one, other) => one.from - other.from);
  return alone.reduce((made, { from, to }) => {
    const last = made.at(-1);
    if (last && from <= last.to) last.to = Math.max(last.to, to);
    else made.push({ from, to });
    return made;
  }, []);
}
