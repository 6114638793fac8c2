// Lemma, XPOS and features of the word at the cursor, in addition to its tag: one field for each, with the likely values.
//
// A field contains the confirmed value. An empty field shows the model's suggestion, which Enter accepts. In a tree the
// values are those of the file or of another task, and a key opens the field that corrects one.

import { OPEN, wordsOf } from "./alignment.js";
import { answered } from "./asking.js";
import { correct, corrects, isCorrected, seen } from "./corrections.js";
import { h } from "./dom.js";
import { misspelled, unlisted } from "./features.js";
import { composing } from "./keyboard.js";
import { _ } from "./messages.js";
import { guess, nextPlace } from "./words.js";

const NONE = "–"; // shown and typed for a word without features; in an annotation the features are empty
const isNone = (typed) => typed === NONE || typed === OPEN; // CoNLL-U writes "_" for no features

// By column: its name for people, its key, why a typed text is not a value of a form (empty if it is valid), and whether its
// values are a list of the language, so that a value on no list needs a confirmation.
const FIELDS = {
  lemmas: { name: () => _("lemma"), of: (word) => _("lemma of {word}", { word }), lacking: (words) => _("no lemma yet: {words}", { words }), key: "Shift+L", wrong: wrongLemma },
  xpos: { name: () => "XPOS", of: (word) => _("XPOS of {word}", { word }), lacking: (words) => _("no XPOS yet: {words}", { words }), key: "Shift+X", listed: true, wrong: wrongTag },
  feats: { name: () => _("features"), of: (word) => _("features of {word}", { word }), lacking: (words) => _("no features yet: {words}", { words }), key: "Shift+F", wrong: wrongFeatures },
};

function wrongLemma(typed, form) {
  return !typed || (typed === OPEN && form !== OPEN) ? _("type the lemma") : "";
}

function wrongTag(typed) {
  if (!typed || typed === OPEN) return _("type the tag");
  return /\s/.test(typed) ? _("write the tag without spaces") : "";
}

function wrongFeatures(typed, _form, known) {
  if (!typed) return _("type features, or {none} if there are none", { none: NONE });
  const written = /^[^\s=|]+=[^\s|]+(\|[^\s=|]+=[^\s|]+)*$/;
  if (isNone(typed)) return "";
  return written.test(typed) ? misspelled(typed, known) : _("write features as in Case=Nom|Number=Sing");
}

/** Return the columns beside the tags, in the order in which they are filled. */
export const besides = ({ data }) => Object.keys(FIELDS).filter((column) => data.columns.includes(column));

/** Return whether a column of a word is still open; the word "_" may have the lemma "_", as in CoNLL-U. */
export const isOpen = (session, column, word) =>
  session.annotation[column]?.[word] === OPEN && !(column === "lemmas" && wordsOf(session)[word] === OPEN);

/** Return the first open column of a word; undefined if all are decided. */
export const openOf = (session, word) => Object.keys(FIELDS).find((column) => isOpen(session, column, word));
export const lackingOf = (column, words) => FIELDS[column].lacking(words);
const nameOf = (column) => FIELDS[column].name();

/** Return the keys that open the fields. */
export const fieldKeys = (session) =>
  besides(session).map((column) => ({ key: FIELDS[column].key, label: nameOf(column), run: () => enter(session, column) }));

/** Return the keys that open the fields of a tree, in which one value of a word is corrected. */
export function correctionKeys(session) {
  const open = (column) => {
    session.place.asking = column;
    enter(session, column);
  };
  const columns = Object.keys(FIELDS).filter((column) => corrects(session, column));
  return columns.map((column) => ({ key: FIELDS[column].key, label: nameOf(column), rare: true, run: () => open(column) }));
}

/** Draw the field that corrects a value of the word at the cursor, while it is open. */
export function correctionField(session) {
  const { asking: column } = session.place;
  return column in FIELDS && corrects(session, column) ? h("div", { class: "asking fields" }, field(session, column)) : null;
}

/** Return the columns of a table in which values of a tree are corrected, see cells.js. */
export function correctionCells(session) {
  const columns = Object.keys(FIELDS).filter((column) => corrects(session, column));
  return columns.map((column) => {
    const values = seen(session, column);
    const { of, wrong } = FIELDS[column];
    return {
      column, title: nameOf(column), label: of, lang: column === "lemmas" ? session.data.lang : null,
      text: (word) => (values[word] === OPEN ? "" : values[word]), isSure: (word) => isCorrected(session, column, word),
      offered: (word) => likely(session, column, word).map(shown),
      wrong: (word, typed) => wrong(typed || (column === "feats" ? NONE : ""), wordsOf(session)[word], session.data.features),
      isNew: (word, typed) => isNew(session, column, typed || NONE, likely(session, column, word)),
      set: (annotation, word, typed) => correct(session, annotation, column, word, column === "feats" && isNone(typed) ? "" : typed),
    };
  });
}

/** Draw the other columns of a word below its tag; suggestions are dashed. */
export function morphology(session, word) {
  return besides(session).map((column) => {
    const { state, value } = valueOf(session, column, word);
    const parts = value === null ? ["·"] : shown(value).split("|");
    return h("span", { class: `beside ${state}`, lang: column === "lemmas" ? session.data.lang : "en" }, parts.map((part) => h("bdi", {}, part)));
  });
}

/** Return the text about the other columns of a word. */
export const morphologySaid = (session, word) =>
  besides(session).map((column) => {
    const { state, value } = valueOf(session, column, word);
    const none = _("none");
    const label = `${nameOf(column)} ${value || none}`;
    if (value === null) return _("{column} open", { column: nameOf(column) });
    return state === "sure" ? _("{label}, confirmed", { label }) : _("{label}, suggested", { label });
  });

/** Draw the fields of the word at the cursor; nothing if only tags are annotated. */
export function fields(session) {
  const columns = besides(session);
  return columns.length ? h("div", { class: "asking fields" }, columns.map((column) => field(session, column))) : null;
}

const shown = (value) => value || NONE;

function valueOf(session, column, word) {
  if (corrects(session, column)) {
    const value = seen(session, column)[word];
    return value === OPEN ? { state: "open", value: null } : { state: "sure", value };
  }
  const own = session.annotation[column][word];
  if (!isOpen(session, column, word)) return { state: "sure", value: own };
  const suggested = guess(session)?.annotation[column]?.[word] ?? OPEN;
  return suggested === OPEN ? { state: "open", value: null } : { state: "guess", value: suggested };
}

function enter(session, column) {
  session.draw();
  const field = session.frame.querySelector(`input[data-column="${column}"]`);
  field?.focus(); // not every browser focuses a field that it selects
  field?.select();
}

function field(session, column) {
  const { word } = session.place;
  const { state, value } = valueOf(session, column, word);
  const offered = likely(session, column, word);
  const list = h("datalist", { id: `${column} of the word` }, offered.map((one) => h("option", { value: shown(one) })));
  const why = h("span", { class: "why", role: "alert" });
  let asked = null; // the typed value that is on no list and needs a second Enter
  const input = h("input", {
    "data-column": column, class: state, list: list.id, lang: column === "lemmas" ? session.data.lang : "en",
    autocomplete: "off", spellcheck: "false", "aria-label": FIELDS[column].of(wordsOf(session)[word]),
    value: state === "sure" ? shown(value) : null, placeholder: value === null ? null : shown(value),
    onkeydown: (event) => {
      event.stopPropagation();
      if (composing(event) || !["Enter", "Escape"].includes(event.key)) return;
      event.preventDefault();
      const typed = input.value.trim() || (value === null ? "" : shown(value));
      const escapes = event.key === "Escape";
      why.textContent = escapes ? "" : FIELDS[column].wrong(typed, wordsOf(session)[word], session.data.features);
      if (!why.textContent && !escapes && typed !== asked && isNew(session, column, typed, offered)) {
        why.textContent = _("{value} is new here; press Enter again to use it", { value: typed });
        asked = typed;
      }
      if (why.textContent) return;
      if (corrects(session, column)) answered(session);
      else session.frame.focus();
      if (escapes) return session.draw();
      take(session, column, word, column === "feats" && isNone(typed) ? "" : typed);
    },
  });
  return h("label", {}, nameOf(column), input, list, why);
}

/** Set a value, and move to the next field, or after the last field to the next word; in a tree, stay at the word. */
function take(session, column, word, value) {
  if (corrects(session, column)) return session.change((annotation) => correct(session, annotation, column, word, value));
  const columns = besides(session);
  const next = columns[columns.indexOf(column) + 1];
  session.change((annotation) => { annotation[column][word] = value; }, next ? { word } : nextPlace(session, word));
  session.draw();
  if (next) enter(session, next);
}

/** Return whether a value is unknown in a column that has values already; for features, whether the name of one is unknown. */
function isNew(session, column, typed, offered) {
  if (column === "feats") return !isNone(typed) && !offered.includes(typed) && unlisted(typed, session.data.features).length > 0;
  if (!FIELDS[column].listed) return false;
  const known = [...offered, ...Object.values(session.data.usual[column] ?? {}).flat()];
  return known.length > 0 && !known.includes(typed);
}

/** Return the tag of a word; null if it is open, or if the words of a tree have no tags. */
function tagOf(session, word) {
  return session.annotation.upos || corrects(session, "upos") ? valueOf(session, "upos", word).value : null;
}

/**
 * Return the values to offer for a word: the model's likely values, then values of words with the same tag, the most frequent
 * first, then values of other words of the sentence.
 */
function likely(session, column, word) {
  const ranked = (guess(session)?.[`${column}_ranked`]?.[word] ?? []).map(([value]) => value);
  if (column === "lemmas") return [...new Set(ranked)];
  const usual = session.data.usual[column]?.[tagOf(session, word)] ?? [];
  const others = wordsOf(session).map((_, other) => valueOf(session, column, other).value);
  return [...new Set([...ranked, ...usual, ...others])].filter((value) => value !== null);
}
