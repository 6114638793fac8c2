// Dependency trees: choose a dependent, its head, and the relation.
//
// The keys are those of ConlluEditor. Enter chooses the word as dependent, arrows or a number choose the head, and Enter
// attaches; 0, or Enter twice on a word, makes it the root. A letter sets the relation, `l` opens the palette. Head and relation
// are confirmed separately: if a person chose another head than the model, the model's relation remains a suggestion.

import { OPEN, ROOT, wordsOf } from "./alignment.js";
import { crossing, cycle, cycleAt } from "./arcs.js";
import { ask } from "./asking.js";
import { h } from "./dom.js";
import { correct, corrects, seen } from "./corrections.js";
import { depsField, depsKey } from "./enhanced.js";
import { labelButton } from "./keyboard.js";
import { fits, noRelation, problems, takeHeads } from "./legal.js";
import { _, quote, woven } from "./messages.js";
import { miscField, miscKey } from "./misc.js";
import { correctionField, correctionKeys } from "./morphology.js";
import { emptyNodes, nodeField, nodeKey } from "./nodes.js";
import { palette, paletteKey } from "./palette.js";
import { endSaid, isApart } from "./sentences.js";
import { proposals, versionColumns } from "./versions.js";
import { tree, viewKeys } from "./views.js";
import { fade, few, forms, guess, likelihood, moves, nextPlace, percent, repairs, splitter, sureness } from "./words.js";

export const TREE = {
  start: ({ example }) => ({ heads: example.words.map(() => -1), deprels: example.words.map(() => OPEN) }),
  place: () => ({ word: 0, dependent: null, digits: "" }),

  accept: (annotation, data) => {
    const suggestion = guess({ annotation, data });
    const take = (made, word) => (closes(made, word, suggestion.annotation.heads[word]) ? made : confirmed(made, suggestion, word));
    return [...annotation.heads.keys()].reduce(take, annotation);
  },

  spoken: (session) => spoken(session),

  problems: (session) => [...problems(session), ...untagged(session)],

  busy: ({ place }) => place.dependent !== null,

  keys: (session) => {
    const choosing = session.place.dependent !== null;
    return [
      ...moves(session, null, true),
      { key: "Enter", label: choosing ? _("attach here") : _("choose its head"), run: () => enter(session) },
      ...likely(session).map(({ key, take }) => ({ key, run: take })),
      ...numbers(session),
      { key: "Escape", label: choosing ? _("leave") : null, run: () => go(session, { dependent: null, digits: "" }) },
      { key: " ", label: _("confirm, next"), rare: choosing, run: () => confirmNext(session) },
      ...keyed(session).map(({ key, name }) => ({ key, name, run: () => relate(session, session.place.word, name) })),
      paletteKey(session, _("relation"), choosing),
      { key: "Backspace", label: _("clear"), rare: true, run: () => clear(session) },
      ...viewKeys(session),
      ...(corrects(session, "upos") ? [{ key: "Shift+T", label: _("tag"), rare: true, run: () => ask(session, "tag") }] : []),
      ...correctionKeys(session),
      miscKey(session),
      depsKey(session),
      nodeKey(session),
      ...repairs(session),
    ];
  },

  draw: (session) =>
    h(
      "div",
      {},
      tree(session, arcs(session), { hung, named }, {
        word: (word) => click(session, word),
        label: ({ word, kind }) => {
          go(session, { word, dependent: null });
          ask(session, kind === "further" ? "deps" : "label");
        },
        drag: (dependent, head) => attach(session, dependent, head),
      }),
      guesses(session),
      forms(session),
      emptyNodes(session),
      splitter(session),
      correctionField(session),
      miscField(session),
      depsField(session),
      nodeField(session),
      tags(session) ?? relations(session),
    ),
};

/** Return the parts of split words whose tag is still open. */
function untagged(session) {
  const open = session.data.asks_tags ? seen(session, "upos").flatMap((tag, word) => (tag === OPEN ? [word] : [])) : [];
  const names = open.map((word) => quote(wordsOf(session)[word]));
  return open.length ? [{ level: "todo", message: `${_("no tag yet: {words}", { words: few(names) })} (${session.keyOf("Shift+T")})`, word: open[0] }] : [];
}

/** Draw the palette of tags. */
function tags(session) {
  const { word } = session.place;
  const take = (name) => session.change((annotation) => correct(session, annotation, "upos", word, name));
  return session.data.tags ? palette(session, { noun: "tag", of: wordsOf(session)[word], labels: session.data.tags, take, asking: "tag" }) : null;
}

const keyed = ({ data }) => data.labels.filter(({ key }) => key);

/** Return the arc of a word: the confirmed arc, else the model's suggestion, else null. */
function arcOf(session, word) {
  const { heads, deprels } = session.annotation;
  const suggestion = guess(session);
  const arc = (head, label, kind, sure) => ({ word, head: head - 1, label, kind, sure });
  if (heads[word] >= 0 && deprels[word] !== OPEN) return arc(heads[word], deprels[word], "sure");
  const guessed = suggestion?.annotation.deprels[word] ?? OPEN;
  if (heads[word] >= 0) {
    const label = fits(heads[word], guessed) ? `${guessed}?` : proposals(session, "deprels", word).join(" | ") || "?";
    return arc(heads[word], label, "unnamed");
  }
  const head = suggestion?.annotation.heads[word] ?? -1;
  return head < 0 ? null : arc(head, [guessed, sureness(suggestion, word)].filter(Boolean).join(" "), "guess", likelihood(suggestion, word));
}

/** Return the arcs of a word; in a review of a word without an arc, the arc of each version, with the key that accepts it. */
function arcsOf(session, word) {
  const own = arcOf(session, word);
  if (own) return [own];
  return versionColumns(session).flatMap(({ heads, deprels }, which) =>
    heads[word] < 0 ? [] : [{ word, head: heads[word] - 1, label: `${"[]"[which]} ${deprels[word]}`, kind: "version" }],
  );
}

/** Return all arcs, with marks for cycles and for crossing arcs. */
function arcs(session) {
  const { heads } = session.annotation;
  const cyclic = new Set(cycle(heads));
  const odd = new Set(crossing(heads));
  const marked = ({ word }) => (cyclic.has(word) ? " wrong" : odd.has(word) ? " odd" : "");
  return wordsOf(session).flatMap((_, word) => arcsOf(session, word)).map((arc) => ({ ...arc, kind: arc.kind + marked(arc) }));
}

function go(session, place) {
  Object.assign(session.place, place);
  session.draw();
}

function click(session, word) {
  session.frame.focus({ preventScroll: true });
  if (session.place.dependent === null) return go(session, { word, dependent: word, digits: "" });
  attach(session, session.place.dependent, word);
}

function enter(session) {
  const { word, dependent } = session.place;
  if (dependent === null) return go(session, { dependent: word, digits: "" });
  attach(session, dependent, word);
}

/** Attach a word; attached to itself it becomes the root. A confirmed relation stays, a suggested one remains to be confirmed. */
function attach(session, dependent, head) {
  const number = dependent === head ? 0 : head + 1;
  if (isApart(session, dependent, head)) {
    const [one, other] = [dependent, head].map((word) => quote(wordsOf(session)[word]));
    return session.refuse(_("a sentence ends between {one} and {other}; attach {one} to a word of its own sentence", { one, other }));
  }
  session.change((annotation) => hung(annotation, dependent, number), { word: dependent, dependent: null, digits: "" });
}

/** Return the annotation with the number of a word's head, -1 for none. Only the root has the relation `root`. */
function hung(annotation, word, head) {
  const now = annotation.deprels[word];
  annotation.heads[word] = head;
  annotation.deprels[word] = head === 0 ? ROOT : now === ROOT ? OPEN : now;
  return annotation;
}

/** Handle digits: they choose the word with that number as the head; 0 is the root. */
function numbers(session) {
  const label = { 0: _("root"), 1: _("… 9 number of the head") };
  return [..."1234567890"].map((digit) => ({ key: digit, label: label[digit], run: () => number(session, digit) }));
}

function number(session, digit) {
  const { word, dependent, digits: typed } = session.place;
  const chosen = dependent ?? word;
  const last = wordsOf(session).length;
  if (typed + digit === "0") return attach(session, chosen, chosen);
  const digits = [typed + digit, digit].find((found) => found >= 1 && found <= last);
  if (digits) go(session, { dependent: chosen, digits, word: Number(digits) - 1 });
}

const LIKELY = [..."qwe"]; // keys of the likeliest heads, the likeliest first

/** Return the model's likeliest heads of the dependent, or without a dependent of the word at the cursor. */
function likely(session) {
  const { place } = session;
  const word = place.dependent ?? place.word;
  const ranked = guess(session)?.heads_ranked[word] ?? [];
  return ranked.slice(0, LIKELY.length).map(([head, sure], rank) => ({
    key: LIKELY[rank],
    name: head ? wordsOf(session)[head - 1] : "root",
    sure,
    take: () => attach(session, word, head ? head - 1 : word),
  }));
}

/** Draw the likeliest heads as buttons in a separate row, so that the hints below do not move with the cursor. */
function guesses(session) {
  const heads = likely(session);
  if (!heads.length) return null;
  const { dependent, word } = session.place;
  const buttons = heads.map(({ key, name, sure, take }) =>
    h(
      "button",
      { type: "button", tabindex: "-1", class: "choice guess", style: fade(sure), onclick: take },
      h("kbd", {}, session.keyOf(key)),
      h("bdi", { lang: session.data.lang }, name),
      h("small", {}, ` ${percent(sure)}`),
    ),
  );
  const title = woven(_("head of {word}?"), { word: h("bdi", { lang: session.data.lang }, wordsOf(session)[dependent ?? word]) });
  return h("div", { class: "palette heads", dir: "ltr" }, h("span", {}, title), buttons);
}

/** Return whether a head of a word without one closes a cycle. */
const closes = ({ heads }, word, head) => heads[word] < 0 && cycleAt(heads.with(word, head), word).length > 0;

/** Return the annotation with the model's head and relation of a word in the places that are open. */
function confirmed(annotation, suggestion, word) {
  const { heads, deprels } = suggestion.annotation;
  if (annotation.heads[word] < 0) annotation.heads[word] = heads[word];
  if (annotation.deprels[word] === OPEN && fits(annotation.heads[word], deprels[word])) annotation.deprels[word] = deprels[word];
  return annotation;
}

function confirmNext(session) {
  const next = nextPlace(session);
  const suggestion = guess(session);
  if (!suggestion) return go(session, next);
  takeHeads(session, (annotation) => confirmed(annotation, suggestion, session.place.word), next);
}

/** Return the annotation with a word's relation; `root` makes the word the root. */
function named(annotation, word, name) {
  if (name === ROOT) return hung(annotation, word, 0);
  annotation.deprels[word] = name;
  return annotation;
}

/** Give a word a relation; a word without a head gets the model's head, unless that closes a cycle. */
function relate(session, word, name) {
  const head = guess(session)?.annotation.heads[word] ?? -1;
  session.change((annotation) => {
    if (annotation.heads[word] < 0 && fits(head, name) && !closes(annotation, word, head)) annotation.heads[word] = head;
    return named(annotation, word, name);
  }, { asking: null, dependent: null });
}

function clear(session) {
  session.change((annotation) => {
    annotation.heads[session.place.word] = -1;
    annotation.deprels[session.place.word] = OPEN;
  });
}

/** Draw the relations that have keys as buttons, or the palette of all relations, the model's likeliest first. */
function relations(session) {
  const { word } = session.place;
  const ranked = (guess(session)?.deprels_ranked[word] ?? []).map(([name]) => name);
  const order = ({ name }) => (ranked.includes(name) ? ranked.indexOf(name) : ranked.length);
  const labels = [...session.data.labels].sort((a, b) => order(a) - order(b));
  const refused = (name) => noRelation(session, name);
  const asked = palette(session, { noun: "relation", of: wordsOf(session)[word], labels, refused, take: (name) => relate(session, word, name) });
  if (asked) return asked;
  const now = session.annotation.deprels[word];
  const buttons = keyed(session).map((label) =>
    labelButton(session, label, () => relate(session, word, label.name), { class: `choice${label.name === now ? " chosen" : ""}` }),
  );
  const more = labelButton(session, { name: _("all relations"), key: "l" }, () => ask(session, "label"));
  return h("div", { class: "palette", dir: "ltr" }, buttons, more);
}

function spoken(session) {
  const { word, dependent } = session.place;
  const words = wordsOf(session);
  if (dependent !== null) return [words[word], _("the head of {word}?", { word: words[dependent] })];
  return [words[word], arcSaid(words, arcOf(session, word)) + endSaid(session, word)];
}

function arcSaid(words, arc) {
  if (!arc) return _("open");
  const said = { label: arc.label, head: words[arc.head] ?? _("root") };
  if (arc.kind.startsWith("sure")) return _("{label}, head {head}, confirmed", said);
  if (arc.kind.startsWith("guess")) return _("{label}, head {head}, suggested", said);
  return _("{label}, head {head}, relation open", said);
}
