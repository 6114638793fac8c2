// Lemma, XPOS and features of the word at the cursor, beside its tag: a field each, with the values that are likely.
//
// What is confirmed stands in a field; what the model suggests is what an empty one shows, and Enter takes it.

import { OPEN } from "./alignment.js";
import { h } from "./dom.js";
import { misspelled, unlisted } from "./features.js";
import { composing } from "./keyboard.js";
import { _ } from "./messages.js";
import { guess, wordsOf } from "./words.js";

const NONE = "–"; // what is shown of a word without features, and typed; in an annotation they are empty
const isNone = (typed) => typed === NONE || typed === OPEN; // CoNLL-U writes no features so

// By column: what people call it, its key, why something typed cannot be a value of a form (nothing where it can), and
// whether it is a list of a language's own, where what is on no list is asked about.
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

function wrongFeatures(typed, form, known) {
  if (!typed) return _("type features, or {none} if there are none", { none: NONE });
  const written = /^[^\s=|]+=[^\s|]+(\|[^\s=|]+=[^\s|]+)*$/;
  if (isNone(typed)) return "";
  return written.test(typed) ? misspelled(typed, known) : _("write features as in Case=Nom|Number=Sing");
}

/** The columns that stand beside the tags, in the order in which they are filled in. */
export const besides = ({ data }) => Object.keys(FIELDS).filter((column) => data.columns.includes(column));

/** Whether a column of a word is still open; the lemma of a low line is one, as in CoNLL-U. */
export const isOpen = (session, column, word) =>
  session.annotation[column]?.[word] === OPEN && !(column === "lemmas" && wordsOf(session)[word] === OPEN);

/** The column of a word that is still open; nothing where all are decided. */
export const openOf = (session, word) => Object.keys(FIELDS).find((column) => isOpen(session, column, word));
export const lackingOf = (column, words) => FIELDS[column].lacking(words);
const nameOf = (column) => FIELDS[column].name();

/** The keys that lead into the fields. */
export const fieldKeys = (session) =>
  besides(session).map((column) => ({ key: FIELDS[column].key, label: nameOf(column), run: () => enter(session, column) }));

/** A word's other columns under its tag, those of the model dashed. */
export function morphology(session, word) {
  return besides(session).map((column) => {
    const { state, value } = valueOf(session, column, word);
    const parts = value === null ? ["·"] : shown(value).split("|");
    return h("span", { class: `beside ${state}`, lang: column === "lemmas" ? session.data.lang : "en" }, parts.map((part) => h("bdi", {}, part)));
  });
}

/** What is said of a word's other columns. */
export const morphologySaid = (session, word) =>
  besides(session).map((column) => {
    const { state, value } = valueOf(session, column, word);
    const none = _("none");
    const label = `${nameOf(column)} ${value || none}`;
    if (value === null) return _("{column} open", { column: nameOf(column) });
    return state === "sure" ? _("{label}, confirmed", { label }) : _("{label}, suggested", { label });
  });

/** The fields of the word at the cursor; nothing where only tags are annotated. */
export function fields(session) {
  const columns = besides(session);
  return columns.length ? h("div", { class: "asking fields" }, columns.map((column) => field(session, column))) : null;
}

const shown = (value) => value || NONE;

function valueOf(session, column, word) {
  const own = session.annotation[column][word];
  if (!isOpen(session, column, word)) return { state: "sure", value: own };
  const suggested = guess(session)?.annotation[column]?.[word] ?? OPEN;
  return suggested === OPEN ? { state: "open", value: null } : { state: "guess", value: suggested };
}

function enter(session, column) {
  session.draw();
  const field = session.frame.querySelector(`input[data-column="${column}"]`);
  field?.focus(); // not every browser does so where it selects
  field?.select();
}

function field(session, column) {
  const { word } = session.place;
  const { state, value } = valueOf(session, column, word);
  const offered = likely(session, column, word);
  const list = h("datalist", { id: `${column} of the word` }, offered.map((one) => h("option", { value: shown(one) })));
  const why = h("span", { class: "why", role: "alert" });
  let asked = null; // what was typed and is on no list
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
      session.frame.focus();
      if (escapes) return session.draw();
      take(session, column, word, column === "feats" && isNone(typed) ? "" : typed);
    },
  });
  return h("label", {}, nameOf(column), input, list, why);
}

/** Set a value, and go on: into the next field, behind the last one to the next word. */
function take(session, column, word, value) {
  const columns = besides(session);
  const next = columns[columns.indexOf(column) + 1];
  const last = wordsOf(session).length - 1;
  const set = (annotation) => {
    annotation[column][word] = value;
    return annotation;
  };
  session.change(set, { word: next ? word : Math.min(word + 1, last) });
  session.draw();
  if (next) enter(session, next);
}

/** Whether a value is on no list, of a column that has some values already; of features, whether one has a name on no list. */
function isNew(session, column, typed, offered) {
  if (column === "feats") return !isNone(typed) && !offered.includes(typed) && unlisted(typed, session.data.features).length > 0;
  if (!FIELDS[column].listed) return false;
  const known = [...offered, ...Object.values(session.data.usual[column] ?? {}).flat()];
  return known.length > 0 && !known.includes(typed);
}

/**
 * What a word may have: what the model finds likely, then what words of its tag have had, commonest first, then what other
 * words of the sentence have.
 */
function likely(session, column, word) {
  const ranked = (guess(session)?.[`${column}_ranked`]?.[word] ?? []).map(([value]) => value);
  if (column === "lemmas") return [...new Set(ranked)];
  const tag = session.annotation.upos[word] === OPEN ? guess(session)?.annotation.upos[word] : session.annotation.upos[word];
  const usual = session.data.usual[column]?.[tag] ?? [];
  const others = wordsOf(session).map((_, other) => valueOf(session, column, other).value);
  return [...new Set([...ranked, ...usual, ...others])].filter((value) => value !== null);
}
