// Answers in a paragraph: one question at a time; select the answer with the mouse, or by words with the keyboard.
//
// Offsets are in code points; offsets of JavaScript strings are in UTF-16. Only `units` converts between them.

import { h, same } from "./dom.js";
import { _, quote } from "./messages.js";
import { arrows, few, selected } from "./words.js";

export const ANSWERS = {
  start: () => ({ answers: {} }),
  place: ({ example }) => ({ question: questions(example)[0]?.id, word: 0, from: 0 }),

  accept: (annotation, { suggestion }) => ({ answers: { ...suggestion.annotation.answers, ...annotation.answers } }),

  problems: ({ annotation, data }) => {
    const open = questions(data.example).filter(({ id }) => !(id in annotation.answers));
    const names = open.map(({ text }) => quote(text));
    const message = _("no answer yet: {questions}", { questions: few(names, 1) });
    return open.length ? [{ level: "todo", message, place: atStart(open[0]) }] : [];
  },

  spoken: (session) => [current(session).text, said(session)],

  keys: (session) => [
    ...["ArrowRight", "ArrowLeft"].flatMap((arrow) => [
      { key: arrow, label: arrow === "ArrowRight" ? _("move") : null, run: () => step(session, arrow, false) },
      { key: `Shift+${arrow}`, label: arrow === "ArrowRight" ? _("select") : null, run: () => step(session, arrow, true) },
    ]),
    { key: "Home", label: _("first word"), rare: true, run: () => step(session, "Home", false) },
    { key: "End", label: _("last word"), rare: true, run: () => step(session, "End", false) },
    { key: "ArrowDown", label: _("question"), run: () => turn(session, 1) },
    { key: "ArrowUp", run: () => turn(session, -1) },
    { key: "Enter", label: _("answer"), run: () => answer(session) },
    { key: "c", label: session.data.suggestion ? _("confirm suggestion") : null, run: () => confirmAnswer(session) },
    { key: "0", label: _("no answer"), run: () => put(session, []) },
    { key: "Backspace", label: _("take back"), run: () => takeBack(session) },
  ],

  draw: (session) => {
    const all = questions(session.data.example);
    const place = all.findIndex(({ id }) => id === session.place.question);
    const { text, context } = all[place];
    const answers = given(session);
    const state = session.place.question in session.annotation.answers ? (answers.length ? answers.map((one) => one.text).join(" · ") : _("no answer")) : _("open");
    return h(
      "div",
      {},
      h("div", { class: "caption", dir: "ltr" }, _("Question {number} of {all}", { number: place + 1, all: all.length })),
      h("p", { class: "question", dir: "auto", lang: session.data.lang }, text),
      h("p", { class: "context", dir: "auto", lang: session.data.lang, onpointerup: (event) => pick(session, event) }, marks(session, context)),
      h("div", { class: "answer" }, h("span", { class: "caption", dir: "ltr" }, _("Answer")), " ", h("bdi", { lang: answers.length ? session.data.lang : null }, state)),
    );
  },
};

function questions(example) {
  return example.paragraphs.flatMap(({ context, questions: asked }) => asked.map((one) => ({ ...one, context })));
}

/** Return the text about the question: its answers, given or suggested, and the words at the cursor. */
function said(session) {
  const { place, annotation, data } = session;
  const { context } = current(session);
  const spans = wordSpans(context, data.lang);
  const [from, to] = selected(session);
  const texts = (answers) => answers.map(({ text }) => text).join(" · ") || _("no answer");
  const open = proposed(session).length ? _("{label}, suggested", { label: texts(proposed(session)) }) : _("open");
  const state = place.question in annotation.answers ? _("{label}, confirmed", { label: texts(given(session)) }) : open;
  return spans.length ? _("{state}; at {words}", { state, words: context.slice(spans[from][0], spans[to][1]) }) : state;
}

const current = (session) => questions(session.data.example).find(({ id }) => id === session.place.question);
const given = (session) => session.annotation.answers[session.place.question] ?? [];
const proposed = (session) => session.data.suggestion?.annotation.answers[session.place.question] ?? [];

/** Convert offsets of code points to UTF-16, and back. */
const units = (text, points) => [...text].slice(0, points).join("").length;
const points = (text, offset) => [...text.slice(0, offset)].length;

/** Return the words of a text as [start, end] in UTF-16, segmented for the language; punctuation is separate, letters are never split. */
function wordSpans(text, lang) {
  const segments = [...new Intl.Segmenter(lang, { granularity: "word" }).segment(text)];
  return segments.filter(({ segment }) => segment.trim()).map(({ index, segment }) => [index, index + segment.length]);
}

const ENDS = { Home: -Infinity, End: Infinity };

function step(session, key, extend) {
  const { context } = current(session);
  const { direction } = getComputedStyle(session.frame.querySelector(".context"));
  const last = wordSpans(context, session.data.lang).length - 1;
  const { place } = session;
  const by = ENDS[key] ?? (key === arrows(direction)[0] ? 1 : -1);
  place.word = Math.max(0, Math.min(last, place.word + by));
  if (!extend) place.from = place.word;
  session.draw();
}

const atStart = ({ id }) => ({ question: id, word: 0, from: 0 });

function turn(session, by) {
  const all = questions(session.data.example);
  const next = all.findIndex(({ id }) => id === session.place.question) + by;
  if (all[next]) Object.assign(session.place, atStart(all[next]));
  session.draw();
}

/** Add the selected words as an answer. */
function answer(session) {
  const { context } = current(session);
  const spans = wordSpans(context, session.data.lang);
  const [from, to] = selected(session);
  add(session, context, spans[from][0], spans[to][1]);
}

/** Add the text that the mouse has selected, rounded to whole letters, as an answer. */
function pick(session, event) {
  const root = session.frame.getRootNode();
  const selection = root.getSelection ? root.getSelection() : document.getSelection();
  const text = selection?.toString().trim();
  const paragraph = event.currentTarget;
  if (!text || !selection.rangeCount) return session.frame.focus({ preventScroll: true });
  const before = document.createRange();
  before.setStart(paragraph, 0);
  const range = selection.getRangeAt(0);
  before.setEnd(range.startContainer, range.startOffset);
  const { context } = current(session);
  const start = before.toString().length + (selection.toString().length - selection.toString().trimStart().length);
  const letters = [...new Intl.Segmenter(session.data.lang, { granularity: "grapheme" }).segment(context)];
  const touched = letters.filter(({ index, segment }) => index < start + text.length && index + segment.length > start);
  selection.removeAllRanges();
  session.frame.focus({ preventScroll: true });
  if (touched.length) add(session, context, touched[0].index, touched.at(-1).index + touched.at(-1).segment.length);
}

function add(session, context, start, end) {
  const one = { text: context.slice(start, end), start: points(context, start) };
  if (!given(session).some((other) => same(other, one))) put(session, [...given(session), one]);
}

function put(session, answers) {
  session.change((annotation) => { annotation.answers[session.place.question] = answers; });
}

/** Remove the last answer; without answers the question is open again. */
function takeBack(session) {
  const rest = given(session).slice(0, -1);
  if (rest.length) return put(session, rest);
  session.change((annotation) => { delete annotation.answers[session.place.question]; });
}

function confirmAnswer(session) {
  if (!proposed(session).length) return;
  put(session, proposed(session));
  turn(session, 1);
}

/** Draw the paragraph with marks for the cursor, the answers and the suggestions; the text is unchanged. */
function marks(session, context) {
  const spans = wordSpans(context, session.data.lang);
  const { place } = session;
  const [from, to] = selected(session);
  const inUnits = ({ text, start }) => [units(context, start), units(context, start) + text.length];
  const open = !(place.question in session.annotation.answers);
  const layers = [
    ...given(session).map((one) => [...inUnits(one), "given"]),
    ...(open ? proposed(session).map((one) => [...inUnits(one), "guess"]) : []),
    ...(spans.length ? [[spans[from][0], spans[to][1], "cursor"]] : []),
  ];
  const cuts = [...new Set([0, context.length, ...layers.flatMap(([start, end]) => [start, end])])].sort((a, b) => a - b);
  return cuts.slice(0, -1).map((start, place) => {
    const classes = layers.filter(([low, high]) => low <= start && start < high).map(([, , name]) => name);
    const text = context.slice(start, cuts[place + 1]);
    return classes.length ? h("mark", { class: classes.join(" ") }, text) : text;
  });
}
