// Sentences as rows of words: what the editors of tags, trees and entities share.
//
// The words are those of the annotation where somebody has repaired them, else those of the example. A repair keeps the
// annotation: columns are carried along, and heads are renumbered.

import { h } from "./dom.js";
import { composing } from "./keyboard.js";

export const OPEN = "_";
export const COLUMNS = ["upos", "heads", "deprels", "entities"];

export const wordsOf = (session) => session.annotation.words ?? session.data.example.words;
export const formOf = (session, from, to) => wordsOf(session).slice(from, to + 1).join(" ");
const rangesOf = (session) => session.annotation.ranges ?? session.data.example.ranges ?? [];

/** The first few names, and how many more there are. */
export function few(names, most = 3) {
  return names.slice(0, most).join(", ") + (names.length > most ? ` and ${names.length - most} more` : "");
}

/** The arrow that leads in the direction of reading, and the other one. */
export const arrows = (dir) => (dir === "rtl" ? ["ArrowLeft", "ArrowRight"] : ["ArrowRight", "ArrowLeft"]);

/** One key an arrow moves by, in the direction of the script. */
export function moves(session, step) {
  const [forward, backward] = arrows(session.data.dir);
  const last = () => wordsOf(session).length - 1;
  const to = (word) => {
    session.place.word = Math.max(0, Math.min(last(), word));
    session.draw();
  };
  return [
    { key: forward, label: "move", run: () => (step ?? to)(session.place.word + 1) },
    { key: backward, run: () => (step ?? to)(session.place.word - 1) },
    { key: "Home", run: () => (step ?? to)(0) },
    { key: "End", run: () => (step ?? to)(last()) },
  ];
}

/** The keys that repair tokenization: split, with a hint where that is needed often, merge with the next word, one form for several. */
export function repairs(session, hint) {
  return [
    { key: "/", label: hint ?? "split", rare: !hint, run: () => ask(session, "split") },
    { key: "+", label: "merge with next", rare: true, run: () => session.change((a) => merge(session, a)) },
    { key: "=", label: "multiword", rare: true, run: () => session.change((a) => multiword(session, a)) },
  ];
}

export function ask(session, what) {
  session.place.asking = what;
  session.draw();
  session.frame.querySelector(".asking input")?.focus();
}

/** The small field in which a word is split by a space. */
export function splitter(session) {
  if (session.place.asking !== "split") return null;
  const word = session.place.word;
  const leave = () => {
    session.place.asking = null;
    session.frame.focus();
    session.draw();
  };
  const field = h("input", {
    class: "split",
    lang: session.data.lang,
    value: wordsOf(session)[word],
    "aria-label": "Put a space where the word is to be split, then Enter",
    onkeydown: (event) => {
      event.stopPropagation();
      if (composing(event) || !["Enter", "Escape"].includes(event.key)) return;
      event.preventDefault();
      const parts = field.value.split(/\s+/).filter(Boolean);
      session.place.asking = null;
      session.frame.focus();
      if (event.key === "Enter" && parts.length > 1) session.change((annotation) => split(session, annotation, word, parts));
      else leave();
    },
  });
  return h("div", { class: "asking" }, h("label", {}, "Put a space where the word splits; Enter", field));
}

/** The annotation on words of which the one `at` a place is several parts; its own words count, not the session's. */
export function split({ data }, annotation, at, parts) {
  const words = [...wordsOf({ data, annotation })];
  const ranges = rangesOf({ data, annotation }).map(([first, last, form]) => [
    first - 1 > at ? first + parts.length - 1 : first,
    last - 1 >= at ? last + parts.length - 1 : last,
    form,
  ]);
  const inside = ranges.some(([first, last]) => first - 1 <= at && at <= last - 1);
  if (parts.join("") !== words[at] && !inside) ranges.push([at + 1, at + parts.length, words[at]]); // not its letters: one written form
  words.splice(at, 1, ...parts);
  const to = (old) => (old > at ? old + parts.length - 1 : old);
  const from = (now) => (now <= at ? now : now < at + parts.length ? null : now - parts.length + 1);
  return carried(annotation, words, ranges, to, from);
}

function merge(session, annotation) {
  const at = session.place.word;
  const words = [...wordsOf(session)];
  if (at + 1 >= words.length) return annotation;
  words.splice(at, 2, words[at] + words[at + 1]);
  const to = (old) => (old > at ? old - 1 : old);
  const from = (now) => (now <= at ? now : now + 1);
  const ranges = rangesOf(session)
    .map(([first, last, form]) => [to(first - 1) + 1, to(last - 1) + 1, form])
    .filter(([first, last]) => last > first);
  return carried(annotation, words, ranges, to, from);
}

/** Mark the word and the next as one written form, or take the mark away. */
function multiword(session, annotation) {
  const at = session.place.word + 1;
  const words = wordsOf(session);
  const ranges = rangesOf(session);
  const inside = ranges.find(([first, last]) => first <= at && at <= last);
  const rest = ranges.filter((range) => range !== inside);
  if (!inside && at < words.length) rest.push([at, at + 1, words[at - 1] + words[at]]);
  return { ...annotation, words: [...words], ranges: rest.sort((a, b) => a[0] - b[0]) };
}

/** Carry every column to other words: `to` maps an old place to a new one, `from` back, null where a word is new. */
function carried(annotation, words, ranges, to, from) {
  const after = { ...annotation, words, ranges: ranges.sort((a, b) => a[0] - b[0]) };
  for (const column of COLUMNS) {
    const old = annotation[column];
    if (!old) continue;
    const empty = column === "heads" ? -1 : OPEN;
    after[column] = words.map((_, now) => (from(now) === null ? empty : old[from(now)]));
    if (column === "entities") after.entities.forEach((_, now) => continued(after.entities, from, now));
    if (column === "heads") after.heads = after.heads.map((head, now) => headTo(head, now, to));
  }
  return after;
}

/** Let a new part of a word go on with the entity of the part before it. */
function continued(entities, from, now) {
  if (from(now) === null && entities[now - 1] !== undefined) entities[now] = entities[now - 1].replace(/^B-/, "I-");
}

function headTo(head, now, to) {
  if (head <= 0) return head;
  const place = to(head - 1);
  return place === now ? -1 : place + 1;
}

/** The written forms over several words, as a line under the sentence. */
export function forms(session) {
  const words = wordsOf(session);
  const shown = rangesOf(session).map(([first, last, form]) =>
    h("span", { class: "range" }, `${form} = ${words.slice(first - 1, last).join(" + ")}`),
  );
  return shown.length ? h("div", { class: "ranges", lang: session.data.lang }, shown) : null;
}

/** Gloss and transliteration of a word, where the file has them. */
export function gloss(session, word) {
  if (session.annotation.words) return null;
  const misc = session.data.example.misc?.[word] ?? {};
  const shown = [misc.Translit, misc.Gloss].filter(Boolean);
  return shown.length ? h("span", { class: "gloss" }, shown.join(" · ")) : null;
}

/** Return the entities of IOB2 tags as {from, to, type}; an open word ends one. */
export function spansOf(tags) {
  const found = [];
  tags.forEach((tag, word) => {
    const [prefix, type] = [tag.slice(0, 1), tag.slice(2)];
    const last = found.at(-1);
    if (prefix === "B" && type) found.push({ from: word, to: word, type });
    else if (prefix === "I" && last && last.to === word - 1 && last.type === type) last.to = word;
  });
  return found;
}

/** The first and the last selected word. */
export function selected({ place }) {
  return [Math.min(place.from, place.word), Math.max(place.from, place.word)];
}
