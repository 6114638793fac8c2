// MISC of words: glosses, transliterations and all other pairs of a key and a value in a file.
//
// An annotation has `misc` if an item was changed: for each word all items that people may change, or null if they are as
// in the file. `example.fixed` has the keys that follow from the text or from entities.

import { blocks, links, OPEN, tokenization, wordsOf } from "./alignment.js";
import { answered, ask, fieldKeys, leave } from "./asking.js";
import { h } from "./dom.js";
import { _ } from "./messages.js";
import { compared, guess, nextPlace, wholeOf } from "./words.js";

const BAR = "\\p"; // the bar in a value, as UD writes it
const MODEL = "Source=model"; // mark of words that a model has annotated
const ANY_FORM = ""; // key of the server's usual items: items for words of any form

const keyOf = (item) => item.split("=", 1)[0];
const itemsOf = (column) => column.split("|").filter((item) => item && item !== OPEN);

/** Return the items of a word that people may change. */
function changeable(session, word) {
  const example = wholeOf(session);
  const own = session.annotation.misc?.[word];
  if (own) return itemsOf(own);
  const [from] = compared(session, example.misc, () => links(blocks(tokenization(session), example)));
  return itemsOf(example.misc[from[word]] ?? OPEN);
}

const valueOf = (items, key) => items.find((item) => item.startsWith(`${key}=`))?.slice(key.length + 1) ?? "";

/** Return the gloss of a word; empty without a gloss. */
export const glossOf = (session, word) => valueOf(changeable(session, word), "Gloss");

/** Return the gloss that the form has elsewhere, for a word without a gloss. */
const suggestedGloss = (session, word) => (glossOf(session, word) || session.data.example.fixed.includes("Gloss") ? "" : guess(session)?.glosses?.[word] || "");

/** Draw gloss and transliteration of a word, if any; a suggested gloss is drawn as a suggestion. */
export function gloss(session, word) {
  const items = changeable(session, word);
  const shown = ["Translit", "Gloss"].map((key) => valueOf(items, key)).filter(Boolean);
  const suggested = suggestedGloss(session, word);
  return [
    shown.length ? h("span", { class: "gloss" }, shown.join(" · ")) : null,
    suggested ? h("span", { class: "gloss guess" }, suggested) : null,
  ];
}

/** Return an annotation with the suggested gloss of a word. */
export function withGloss(session, word) {
  const suggested = suggestedGloss(session, word);
  return suggested ? changed(session, session.annotation, word, [...changeable(session, word), `Gloss=${suggested}`]) : session.annotation;
}

/** Return the key that opens the field. */
export const miscKey = (session) => ({ key: "Shift+M", label: _("gloss, MISC"), rare: true, run: () => edit(session) });

function edit(session) {
  ask(session, "misc");
  const field = session.frame.querySelector(".asking.misc input");
  const start = field.value.indexOf("=") + 1;
  field.setSelectionRange(start, field.value.length);
}

/** Draw the field for items of the word at the cursor, while it is open. */
export function miscField(session) {
  if (session.place.asking !== "misc") return null;
  const { word } = session.place;
  const items = changeable(session, word);
  const form = wordsOf(session)[word];
  const why = h("span", { class: "why", role: "alert" });
  const list = h("datalist", { id: "items of the word" }, offered(session, word, items).map((item) => h("option", { value: item })));
  const input = h("input", {
    list: list.id, lang: "en", autocomplete: "off", spellcheck: "false", "aria-label": _("MISC of {word}", { word: form }),
    value: begun(session, items),
    onkeydown: fieldKeys(session, () => {
      if (!input.value.trim()) return leave(session);
      const typed = input.value.split("|").map((item) => item.trim());
      why.textContent = wrong(session, items, typed);
      if (!why.textContent) set(session, word, items, typed);
    }),
  });
  const shown = items.map((item) => h("bdi", { class: "item" }, item));
  return h("div", { class: "asking misc" }, h("label", {}, _("MISC of {word}", { word: form }), input, list), shown, why);
}

/** Return the first text of the field: the item of the key that was set last, or the suggested gloss. */
function begun(session, items) {
  const suggested = suggestedGloss(session, session.place.word);
  const key = session.miscKey ?? (suggested ? "Gloss" : null);
  return key ? `${key}=${valueOf(items, key) || (key === "Gloss" ? suggested : "")}` : "";
}

/** Return why the typed text is not a list of items; empty if it is valid. */
function wrong({ data }, items, typed) {
  const odd = typed.find((item) => item.includes("\t") || (!/^[^=\s][^=]*(?<!\s)=(?!\s)/.test(item) && !items.includes(item)));
  if (odd !== undefined) return _("write pairs as in Gloss=dog|Lang=fr; an empty value removes the key, and {bar} stands for a bar", { bar: BAR });
  const fixed = typed.find((item) => data.example.fixed.includes(keyOf(item)) || item === MODEL);
  return fixed ? _("{key} is set by the file, its text or its entities and cannot be changed here", { key: keyOf(fixed) }) : "";
}

/** Set the typed items, and open the field of the next word with the same key. */
function set(session, word, items, typed) {
  const made = typed.reduce(withItem, items);
  const { word: next } = nextPlace(session, word);
  session.miscKey = typed.length === 1 && typed[0].includes("=") ? keyOf(typed[0]) : null;
  answered(session);
  if (made.join("|") === items.join("|")) Object.assign(session.place, { word: next, from: next });
  else session.change((annotation) => changed(session, annotation, word, made), { word: next, from: next });
  session.draw();
  if (next !== word) edit(session);
}

/** Return the column of a table, in which all items of a word are typed, see cells.js. */
export function miscCells(session) {
  const items = (typed) => typed.split("|").map((item) => item.trim()).filter(Boolean);
  return {
    column: "misc", title: "MISC", label: (word) => _("MISC of {word}", { word }),
    text: (word) => changeable(session, word).join("|"), isSure: (word) => (session.annotation.misc?.[word] ?? null) !== null,
    guess: (word) => suggestedGloss(session, word) && `Gloss=${suggestedGloss(session, word)}`,
    offered: (word) => offered(session, word, changeable(session, word)),
    wrong: (word, typed) => wrong(session, changeable(session, word), items(typed)),
    set: (annotation, word, typed) => changed(session, annotation, word, items(typed)),
  };
}

/** Return the items with one item in place of those with its key; an item without a value removes them. */
function withItem(items, item) {
  const key = keyOf(item);
  const place = items.findIndex((one) => keyOf(one) === key);
  const others = items.filter((one, at) => at === place || keyOf(one) !== key);
  const made = item === `${key}=` ? [] : [item];
  return place < 0 ? [...items, ...made] : others.toSpliced(others.findIndex((one) => keyOf(one) === key), 1, ...made);
}

function changed(session, annotation, word, items) {
  annotation.misc ??= wordsOf(session).map(() => null);
  annotation.misc[word] = items.join("|") || OPEN;
  return annotation;
}

/** Return the items to offer for a word: those of the same form in the sentence, then the usual items of the form, then those of all forms. */
function offered(session, word, items) {
  const { usual, example } = session.data;
  const words = wordsOf(session).map((form) => form.toLowerCase());
  const alike = words.flatMap((form, other) => (form === words[word] && other !== word ? changeable(session, other) : []));
  const all = [...alike, ...(usual.misc?.[words[word]] ?? []), ...(usual.misc?.[ANY_FORM] ?? [])];
  return [...new Set(all)].filter((item) => !example.fixed.includes(keyOf(item)) && !items.includes(item));
}
