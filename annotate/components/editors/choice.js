// One class for a text or a pair of texts: one key chooses the class, saves the item as done and opens the next; Alt+Left goes back.

import { h } from "./dom.js";
import { labelButton, numbered } from "./keyboard.js";
import { _ } from "./messages.js";
import { fade, percent, suggestedSaid } from "./words.js";

export const CHOICE = {
  start: () => ({ label: "_" }),
  accept: (annotation, { suggestion }) => (annotation.label === "_" ? { ...suggestion.annotation } : annotation),
  problems: ({ annotation }) => (annotation.label === "_" ? [{ level: "todo", message: _("no class yet") }] : []),

  spoken: (session) => {
    const { premise, text } = session.data.example;
    const guess = guessed(session);
    const open = guess ? suggestedSaid(guess.name, guess.sure) : _("open");
    return [premise ?? text, session.annotation.label === "_" ? open : _("{label}, confirmed", { label: session.annotation.label })];
  },

  keys: (session) => [
    ...numbered(session).map(({ name, key }) => ({ key, name, run: () => choose(session, name) })),
    { key: "Enter", label: session.data.suggestion ? _("confirm") : null, run: () => choose(session, session.annotation.label, guessed(session)?.name) },
  ],

  draw: (session) => {
    const { premise, hypothesis, text } = session.data.example;
    const card = (title, words) =>
      h("div", { class: "text" }, title ? h("div", { class: "caption", dir: "ltr" }, title) : null, h("p", { dir: "auto", lang: session.data.lang }, words));
    const texts = premise === undefined ? [card("", text)] : [card(_("Premise"), premise), card(_("Hypothesis"), hypothesis)];
    const buttons = numbered(session).map((one) => classButton(session, one));
    return h("div", {}, texts, h("div", { class: "palette wide", dir: "ltr", role: "radiogroup" }, buttons));
  },
};

function guessed({ data, annotation }) {
  if (!data.suggestion || annotation.label !== "_") return null;
  return { name: data.suggestion.annotation.label, likely: data.suggestion.confidence?.[0], sure: percent(data.suggestion.confidence?.[0]) };
}

function classButton(session, label) {
  const guess = guessed(session);
  const chosen = session.annotation.label === label.name;
  const suggested = guess?.name === label.name;
  const state = chosen ? " chosen" : suggested ? " guess" : "";
  const attributes = { tabindex: null, role: "radio", "aria-checked": String(chosen), class: `choice${state}`, style: suggested && !chosen ? fade(guess.likely) : null };
  const sure = suggested && guess.sure ? h("small", {}, ` ${guess.sure}`) : null;
  return labelButton(session, label, () => choose(session, label.name), attributes, sure);
}

function choose(session, name, instead) {
  const label = name === "_" ? instead : name;
  if (!label) return;
  session.change(() => ({ label }));
  session.finish();
}
