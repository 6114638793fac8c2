// Entities over words: select words, then press the key of a type. Words left open in a finished sentence are no entity.
//
// The annotation has an IOB2 tag for each word, or "_" for an open word. Suggested entities are decided one by one: Enter
// accepts the entity at the cursor, Backspace rejects it. In a text without spaces the mouse selects letters: letters.js.

import { blocks, OPEN, tokenization, wordsOf } from "./alignment.js";
import { inText } from "./context.js";
import { h } from "./dom.js";
import { labelButton, numbered } from "./keyboard.js";
import { _, quote } from "./messages.js";
import { gloss, miscField, miscKey } from "./misc.js";
import { inside, overlap, spansOf, tagsOf } from "./nested.js";
import { palette, paletteKey } from "./palette.js";
import { endMark, endSaid, isApart } from "./sentences.js";
import { covered, cutOf, cutOut, drag, dragged, letterAt, letters, press, unspaced, wholeWord } from "./letters.js";
import { arrows, fade, few, formOf, forms, moves, percent, repairs, selected, splitter, suggestedSaid } from "./words.js";

export const SPANS = {
  start: ({ example }) => ({ entities: example.words.map(() => OPEN) }),
  place: () => ({ word: 0, from: 0 }),

  accept: (annotation, data) => {
    const open = suggestedSpans(annotation, data);
    return filled(open.reduce((made, span) => marked(made, span.from, span.to, span.type), annotation));
  },

  problems: (session) => {
    const left = suggestedSpans(session.annotation, session.data);
    const names = left.map(({ from, to, type }) => `${quote(formOf(session, from, to))} (${type})`);
    return left.length ? [{ level: "todo", message: _("suggested, not decided: {names}", { names: few(names) }), word: left[0].from }] : [];
  },

  spoken: (session) => [formOf(session, ...selected(session)), said(session, ...selected(session)) + endSaid(session, session.place.word)],

  keys: (session) => [
    ...moves(session, (word) => select(session, word)),
    ...arrows(session.data.dir).map((arrow, back) => ({
      key: `Shift+${arrow}`, label: back ? null : _("select"), run: () => select(session, session.place.word + (back ? -1 : 1), session.place.from),
    })),
    ...numbered(session).map(({ key, name }) => ({ key, name, run: () => mark(session, name) })),
    { key: "Enter", label: session.data.suggestion ? _("confirm") : null, run: () => decide(session, true) },
    { key: "Backspace", label: _("no entity"), run: () => decide(session, false) },
    paletteKey(session, _("type"), true),
    { key: "o", label: _("no more entities"), rare: true, run: () => session.change((made) => rejected(session, made)) },
    { key: "Escape", run: () => select(session, session.place.word) },
    miscKey(session),
    ...repairs(session, unspaced(session.data) ? _("split, or drag over letters") : null),
  ],

  finished: (annotation) => filled(annotation),

  draw: (session) => {
    const tight = /^(ja|zh|yue|th|lo|km|my|bo)\b/.test(session.data.lang);
    const row = h("div", { class: `sentence spans${tight ? " tight" : ""}`, lang: session.data.lang }, pieces(session));
    const types = numbered(session).map((label) => labelButton(session, label, () => mark(session, label.name), { class: `choice kind ${colourOf(session, label.name)}` }));
    return h("div", {}, inText(session, row), forms(session), splitter(session), miscField(session), asked(session) ?? h("div", { class: "palette", dir: "ltr" }, types));
  },
};

const COLOURS = 8; // number of colours in style.css

/** Return the colour of a type by its place among the types of the project; new types are only added at the end. */
const colourOf = ({ data }, type) => `colour${Math.max(0, data.labels.findIndex(({ name }) => name === type)) % COLOURS}`;

const asked = (session) =>
  palette(session, { noun: "type", of: formOf(session, ...selected(session)), labels: numbered(session), take: (name) => mark(session, name) });

/** Return the model's entities whose words are all open and whose bounds are bounds of the current words. */
function suggestedSpans(annotation, data) {
  const { suggestion } = data;
  if (!suggestion) return [];
  const all = blocks(tokenization({ annotation }), suggestion);
  const open = (span) => annotation.entities.slice(span.from, span.to + 1).every((tag) => tag === OPEN);
  return spansOf(suggestion.annotation.entities)
    .map(({ from, to, type }) => ({
      from: all.find(({ theirs }) => theirs[0] === from)?.mine[0],
      to: all.find(({ theirs }) => theirs.at(-1) === to)?.mine.at(-1),
      type,
      sure: suggestion.confidence && Math.min(...suggestion.confidence.slice(from, to + 1)),
    }))
    .filter((span) => span.from <= span.to && open(span) && !isApart({ annotation, data }, span.from, span.to));
}

/** Tag words `from` to `to`, as no entity without a type. Entities on these words are removed; with `nested` only the innermost on just these words. */
export function marked(annotation, from, to, type, nested = false) {
  const made = { from, to, type };
  const spans = spansOf(annotation.entities);
  const own = spans.findLast((span) => span.from === from && span.to === to);
  const kept = spans.filter((span) => (nested ? span !== own : !overlap(span, made)));
  const words = annotation.entities.map((tag, word) => (tag === OPEN && (word < from || word > to) ? OPEN : "O"));
  return { ...annotation, entities: tagsOf(type ? [...kept, made] : kept, words) };
}

const filled = (annotation) => ({ ...annotation, entities: annotation.entities.map((tag) => (tag === OPEN ? "O" : tag)) });

function rejected(session, annotation) {
  return filled(suggestedSpans(annotation, session.data).reduce((made, { from, to }) => marked(made, from, to, null), annotation));
}

/** Move the cursor to a word; `from` is the other end of the selection. */
function select(session, word, from = null) {
  const last = wordsOf(session).length - 1;
  session.place.word = Math.max(0, Math.min(last, word));
  session.place.from = from ?? session.place.word;
  Object.assign(session.place, { cut: null, made: null });
  session.draw();
}

/**
 * Give the selection a type; inside an entity of the same type nothing changes, and one of another type is never cut, not even
 * at a letter. Where the project has nested entities, another one may be around the selection or inside it, of any type; only
 * a key that is pressed again right after it made an entity makes none on the last word, which is selected then.
 */
function mark(session, type) {
  const [from, to] = selected(session);
  const cut = cutOf(session);
  if (isApart(session, from, to)) return session.refuse(_("a sentence ends within {words}; an entity cannot cross the end of a sentence", { words: quote(formOf(session, from, to)) }));
  const shift = cut?.start ? 1 : 0;
  const [first, last] = [from + shift, cut && cut.end < wordsOf(session)[to].length ? to - 1 : to]; // words that are selected as a whole
  const { nested } = session.data;
  const over = spansOf(session.annotation.entities).filter((span) => overlap(span, { from, to }));
  const cutsOff = over.filter((span) => span.from < first || span.to > last);
  const torn = cutsOff.find((span) => (nested ? !inside({ from, to }, span) : span.type !== type));
  if (torn && nested) return session.refuse(_("{words} has only a part of the entity {entity} ({type}); take all of it, or words inside it", { words: quote(formOf(session, from, to)), entity: quote(formOf(session, torn.from, torn.to)), type: torn.type }));
  if (torn) return session.refuse(_("{words} overlaps the entity {entity} ({type}), and an entity cannot be in another one; press {key} on that one first", { words: quote(formOf(session, from, to)), entity: quote(formOf(session, torn.from, torn.to)), type: torn.type, key: session.keyOf("Backspace") }));
  const alike = cutsOff.find((span) => span.type === type && span.to === to && from === to);
  if (nested && !cut && alike && session.place.made === type) return session.refuse(_("{entity} ({type}) is made; for another one inside it, on {words}, press {key} first", { entity: quote(formOf(session, alike.from, alike.to)), type, words: quote(formOf(session, from, to)), key: session.keyOf("Escape") }));
  const has = over.some((span) => inside({ from, to }, span) && span.type === type && (!nested || (!cut && !cutsOff.includes(span))));
  if (has || !cut) return session.change((annotation) => (has ? annotation : marked(annotation, from, to, type, nested)), { from: to, word: to, cut: null, made: type });
  const change = (annotation) => marked(cutOut(session, annotation, [from, to], cut), from + shift, to + shift, type, nested);
  session.change(change, { from: to + shift, word: to + shift, cut: null, made: type });
}

/** Accept or reject the suggested entity at the cursor and move to the next; without a suggestion the innermost entity is removed. */
function decide(session, yes) {
  const [from, to] = selected(session);
  const left = suggestedSpans(session.annotation, session.data);
  const here = left.find((span) => span.from <= to && span.to >= from);
  if (!here) {
    const next = left[0];
    if (yes) return next && select(session, next.from);
    const over = spansOf(session.annotation.entities).filter((span) => overlap(span, { from, to }));
    const own = over.findLast((span) => inside(span, over[0]));
    return session.change((annotation) => marked(annotation, own?.from ?? from, own?.to ?? to, null, Boolean(own)));
  }
  const next = left[left.indexOf(here) + 1] ?? here;
  const change = (annotation) => marked(annotation, here.from, here.to, yes ? here.type : null);
  session.change(change, { word: next.from, from: next.from });
}

/** Draw the sentence as words with boxes around entities. */
function pieces(session) {
  const { annotation, data } = session;
  const sure = spansOf(annotation.entities).map((span) => ({ ...span, kind: "sure" }));
  const guesses = suggestedSpans(annotation, data).map((span) => ({ ...span, kind: "guess" }));
  return boxes(session, [...sure, ...guesses], 0, wordsOf(session).length - 1, (word) => endMark(session, word));
}

/** Draw words from one to another with boxes around entities, and boxes in these around those inside; `mark` draws what follows a word. */
function boxes(session, spans, from, to, mark = (_word) => null) {
  const made = [];
  for (let word = from; word <= to; word += 1) {
    const span = spans.find((each) => each.from === word);
    if (!span) {
      made.push(piece(session, word), mark(word));
      continue;
    }
    const within = spans.filter((each) => each !== span && inside(each, span));
    made.push(h("span", { class: `entity ${span.kind} ${colourOf(session, span.type)}`, style: fade(span.sure) }, boxes(session, within, span.from, span.to), h("span", { class: "type", dir: "ltr" }, span.type, sureness(span))));
    word = span.to;
    made.push(mark(word));
  }
  return made;
}

/** Return the text about words: the confirmed or suggested entities that contain them. */
function said({ annotation, data }, from, to) {
  const over = (span) => span.from <= to && span.to >= from;
  const confirmed = spansOf(annotation.entities).filter(over).map(({ type }) => _("{label}, confirmed", { label: type }));
  const guesses = suggestedSpans(annotation, data).filter(over).map(({ type, sure }) => suggestedSaid(type, percent(sure)));
  const open = annotation.entities.slice(from, to + 1).includes(OPEN);
  return [...confirmed, ...guesses].join("; ") || (open ? _("open") : _("no entity, confirmed"));
}

function sureness({ kind, sure }) {
  return kind === "sure" || !percent(sure) ? null : h("small", {}, ` ${percent(sure)}`);
}

function piece(session, word) {
  const { place } = session;
  const form = wordsOf(session)[word];
  const [start, end] = covered(session, word);
  const whole = end - start === form.length;
  const parts = letters(session, word);
  return h(
    "button",
    {
      type: "button", tabindex: "-1", "data-word": word, class: `piece${whole ? " selected" : ""}${place.word === word ? " here" : ""}`,
      "aria-label": `${form}: ${said(session, word, word)}`, "aria-current": place.word === word,
      onpointerdown: (event) => {
        press(session, event, event.shiftKey ? wholeWord(session, place.from) : { form, word, ...letterAt(event, parts) });
        Object.assign(place, { from: session.pressed.word, word, cut: null, made: null });
        event.target.releasePointerCapture?.(event.pointerId);
        session.frame.focus({ preventScroll: true });
        session.draw();
      },
      onpointermove: (event) => {
        if (dragged(session, event)) drag(session, { word, ...letterAt(event, parts) });
      },
      onpointerup: () => (session.pressed = null),
    },
    h(
      "bdi",
      { class: "form" },
      parts.length === 1 ? form : parts.map((part, letter) =>
        h("span", { "data-letter": letter, class: !whole && start <= part.start && part.end <= end ? "selected" : null }, form.slice(part.start, part.end)),
      ),
    ),
    gloss(session, word),
  );
}
