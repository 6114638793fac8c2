// One class for a text or a pair of texts: one key chooses the class, saves the item as done and opens the next; Alt+Left goes back.
// Where a text may have several classes, a key takes one or leaves it, and Enter goes on. They are joined by a bar.

import { h } from "./dom.js";
import { labelButton, numbered } from "./keyboard.js";
import { _ } from "./messages.js";
import { fade, percent, suggestedSaid } from "./words.js";

const OPEN = "_";
const BAR = "|";

export const CHOICE = {
  start: () => ({ label: OPEN }),
  accept: (annotation, { suggestion }) => (annotation.label === OPEN ? { ...suggestion.annotation } : annotation),
  problems: ({ annotation }) => (annotation.label === OPEN ? [{ level: "todo", message: _("no class yet") }] : []),

  spoken: (session) => {
    const { premise, text } = session.data.example;
    const guess = guessed(session);
    const open = guess ? suggestedSaid(guess.name, guess.sure) : _("open");
    return [premise ?? text, session.annotation.label === OPEN ? open : _("{label}, confirmed", { label: session.annotation.label })];
  },

  keys: (session) => [
    ...numbered(session).map(({ name, key }) => ({ key, name, run: () => press(session, name) })),
    { key: "Enter", label: session.data.several ? _("done, next") : session.data.suggestion ? _("confirm") : null, run: () => finish(session, session.annotation.label, guessed(session)?.name) },
  ],

  draw: (session) => {
    const { premise, hypothesis, text } = session.data.example;
    const card = (title, words) =>
      h("div", { class: "text" }, title ? h("div", { class: "caption", dir: "ltr" }, title) : null, h("p", { dir: "auto", lang: session.data.lang }, words));
    const texts = premise === undefined ? [card("", text)] : [card(_("Premise"), premise), card(_("Hypothesis"), hypothesis)];
    const buttons = numbered(session).map((one) => classButton(session, one));
    return h("div", {}, texts, h("div", { class: "palette wide", dir: "ltr", role: session.data.several ? "group" : "radiogroup" }, buttons));
  },
};

/** Return the names in a label. */
const namesOf = ({ data }, label) => (label === OPEN ? [] : data.several ? label.split(BAR) : [label]);

function guessed({ data, annotation }) {
  if (!data.suggestion || annotation.label !== OPEN) return null;
  return { name: data.suggestion.annotation.label, likely: data.suggestion.confidence?.[0], sure: percent(data.suggestion.confidence?.[0]) };
}

function classButton(session, label) {
  const guess = guessed(session);
  const chosen = namesOf(session, session.annotation.label).includes(label.name);
  const suggested = Boolean(guess) && namesOf(session, guess.name).includes(label.name);
  const state = chosen ? " chosen" : suggested ? " guess" : "";
  const role = session.data.several ? "checkbox" : "radio";
  const attributes = { tabindex: null, role, "aria-checked": String(chosen), class: `choice${state}`, style: suggested && !chosen ? fade(guess.likely) : null };
  const sure = suggested && guess.sure ? h("small", {}, ` ${guess.sure}`) : null;
  return labelButton(session, label, () => press(session, label.name), attributes, sure);
}

/** Choose a class; of several take it or leave it. */
function press(session, name) {
  if (!session.data.several) return finish(session, name);
  const now = namesOf(session, session.annotation.label);
  const taken = session.data.labels.map((label) => label.name).filter((own) => (own === name) !== now.includes(own)).sort();
  session.change(() => ({ label: taken.join(BAR) || OPEN }));
}

function finish(session, name, instead) {
  const label = name === OPEN ? instead : name;
  if (!label) return;
  session.change(() => ({ label }));
  session.finish();
}
