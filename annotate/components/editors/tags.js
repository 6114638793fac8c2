// A tag for each word: a word is a button with its tag below it; one key gives a tag, and the cursor moves on. If a task has
// other columns too (morphology.js), a word is done when all columns are.

import { OPEN, wordsOf } from "./alignment.js";
import { inText } from "./context.js";
import { h } from "./dom.js";
import { labelButton } from "./keyboard.js";
import { _, quote } from "./messages.js";
import { gloss, miscField, miscKey, withGloss } from "./misc.js";
import { besides, fieldKeys, fields, isOpen, morphology, morphologySaid, lackingOf, openOf } from "./morphology.js";
import { palette, paletteKey } from "./palette.js";
import { endMark, endSaid } from "./sentences.js";
import { proposals } from "./versions.js";
import { fade, few, forms, guess, likelihood, moves, nextPlace, reading, repairs, splitter, suggestedSaid, sureness, surenessSaid } from "./words.js";

export const TAGS = {
  start: ({ columns, example }) => Object.fromEntries(columns.map((column) => [column, example.words.map(() => OPEN)])),
  place: () => ({ word: 0 }),

  accept: (annotation, data) =>
    annotation.upos.reduce((made, _, word) => confirmed({ annotation, data }, made, word), annotation),

  spoken: (session) => {
    const { word } = session.place;
    return [wordsOf(session)[word], [stateOf(session, word).said, ...morphologySaid(session, word)].join("; ") + endSaid(session, word)];
  },

  problems: (session) => {
    const lacking = (word) => (session.annotation.upos[word] === OPEN ? "upos" : openOf(session, word));
    const open = [...session.annotation.upos.keys()].filter(lacking);
    const names = open.map((word) => quote(wordsOf(session)[word]));
    const message = (column) => (column === "upos" ? _("no tag yet: {words}", { words: few(names) }) : lackingOf(column, few(names)));
    return open.length ? [{ level: "todo", message: message(lacking(open[0])), word: open[0] }] : [];
  },

  keys: (session) => [
    ...moves(session),
    { key: "Enter", label: session.data.suggestion ? _("confirm") : null, run: () => confirm(session) },
    ...session.data.labels.filter(({ key }) => key).map(({ key, name }) => ({ key, name, run: () => tag(session, name) })),
    paletteKey(session, _("tag"), true),
    ...fieldKeys(session),
    { key: "Shift+E", label: _("tag each same word"), rare: true, run: () => everywhere(session) },
    { key: "Backspace", label: _("clear"), rare: true, run: () => clear(session) },
    miscKey(session),
    ...repairs(session),
  ],

  draw: (session) =>
    h(
      "div",
      {},
      inText(session, reading(session)),
      h("div", { class: "sentence", lang: session.data.lang, style: widest(session) }, wordsOf(session).flatMap((_, word) => [token(session, word), endMark(session, word)])),
      forms(session),
      splitter(session),
      miscField(session),
      fields(session),
      asked(session) ?? h("div", { class: "palette", dir: "ltr" }, session.data.labels.map((label) => choice(session, label))),
    ),
};

/** Return the style that gives each word room for each tag, so that words do not move during tagging. */
function widest({ data }) {
  const letters = Math.max(...data.labels.map(({ name }) => name.length));
  return `--widest: ${letters + (data.suggestion ? 4 : 0)}ch`; // room for the probability of a suggestion
}

const asked = (session) =>
  palette(session, { noun: "tag", of: wordsOf(session)[session.place.word], labels: session.data.labels, take: (name) => tag(session, name) });

/** Return the model's tag of a word, if any. */
function suggested(session, word) {
  const tag = guess(session)?.annotation.upos[word];
  return tag === OPEN ? undefined : tag;
}

/** Return the displayed tag of a word, its probability, and the text about both. */
function stateOf(session, word) {
  const own = session.annotation.upos[word];
  if (own !== OPEN) return { state: "sure", shown: own, sure: null, said: _("{label}, confirmed", { label: own }) };
  const tag = suggested(session, word);
  const sure = tag ? sureness(guess(session), word) : null;
  if (tag) return { state: "guess", shown: tag, sure, said: suggestedSaid(tag, surenessSaid(guess(session), word)) };
  const both = proposals(session, "upos", word);
  return { state: "open", shown: both.join(" | ") || "·", sure, said: both.length ? _("open, {labels}", { labels: both.reduce(either) }) : _("open") };
}

const either = (first, next) => _("{first} or {next}", { first, next });

function token(session, word) {
  const { place } = session;
  const { state, shown, sure, said } = stateOf(session, word);
  return h(
    "button",
    {
      type: "button", tabindex: "-1", "data-word": word, style: state === "guess" ? fade(likelihood(guess(session), word)) : null, class: `token ${state}${place.word === word ? " here" : ""}`,
      "aria-label": `${wordsOf(session)[word]}: ${said}`, "aria-current": place.word === word,
      onclick: () => {
        session.place.word = word;
        session.frame.focus();
        session.draw();
      },
    },
    h("bdi", { class: "form" }, wordsOf(session)[word]),
    gloss(session, word),
    h("span", { class: "tag", dir: "ltr" }, shown, sure === null ? null : h("small", {}, ` ${sure}`)),
    morphology(session, word),
  );
}

function choice(session, label) {
  const chosen = session.annotation.upos[session.place.word] === label.name;
  return labelButton(session, label, () => tag(session, label.name), { class: `choice${chosen ? " chosen" : ""}` });
}

/** Tag the word and move to the next one, unless another column is still open. */
function tag(session, name) {
  const { word } = session.place;
  session.change((annotation) => { annotation.upos[word] = name; }, openOf(session, word) ? {} : nextPlace(session));
}

/** Return the annotation with the model's suggestions for the open columns of a word. */
function confirmed(session, annotation, word) {
  const suggestion = guess(session)?.annotation;
  for (const column of ["upos", ...besides(session)])
    if (isOpen({ data: session.data, annotation }, column, word)) annotation[column][word] = suggestion?.[column]?.[word] ?? OPEN;
  return withGloss({ data: session.data, annotation }, word);
}

function confirm(session) {
  const { word } = session.place;
  if (session.annotation.upos[word] === OPEN && !suggested(session, word)) return;
  session.change((annotation) => confirmed(session, annotation, word), nextPlace(session));
}

function clear(session) {
  session.change((annotation) => {
    for (const column of ["upos", ...besides(session)]) annotation[column][session.place.word] = OPEN;
  });
}

/** Copy the tag and the other columns of this word to all words of the same form. */
function everywhere(session) {
  const words = wordsOf(session);
  const { word } = session.place;
  if (session.annotation.upos[word] === OPEN) return;
  const form = words[word].toLowerCase();
  session.change((annotation) => {
    for (const column of ["upos", ...besides(session)])
      words.forEach((other, place) => other.toLowerCase() === form && (annotation[column][place] = annotation[column][word]));
  });
}
