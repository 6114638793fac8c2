// One class for a text or a pair of texts: one key chooses, saves as done and goes on; Alt+Left goes back.

import { h } from "./dom.js";
import { numbered } from "./keyboard.js";

export const CHOICE = {
  start: () => ({ label: "_" }),
  accept: (annotation, { suggestion }) => (annotation.label === "_" ? { ...suggestion.annotation } : annotation),
  problems: ({ annotation }) => (annotation.label === "_" ? [{ level: "todo", message: "no class yet" }] : []),

  keys: (session) => [
    ...numbered(session).map(({ name, key }) => ({ key, run: () => choose(session, name) })),
    { key: "Enter", label: "confirm", run: () => choose(session, session.annotation.label, guessed(session)?.name) },
  ],

  draw: (session) => {
    const { premise, hypothesis, text } = session.data.example;
    const card = (title, words) =>
      h("div", { class: "text" }, title ? h("div", { class: "caption", dir: "ltr" }, title) : null, h("p", { dir: "auto", lang: session.data.lang }, words));
    const texts = premise === undefined ? [card("", text)] : [card("Premise", premise), card("Hypothesis", hypothesis)];
    const buttons = numbered(session).map((one) => classButton(session, one));
    return h("div", {}, texts, h("div", { class: "palette wide", dir: "ltr", role: "radiogroup" }, buttons));
  },
};

function guessed({ data, annotation }) {
  if (!data.suggestion || annotation.label !== "_") return null;
  return { name: data.suggestion.annotation.label, sure: Math.round(100 * data.suggestion.confidence[0]) };
}

function classButton(session, { name, key, definition, example }) {
  const guess = guessed(session);
  const suggested = guess?.name === name;
  const state = session.annotation.label === name ? " chosen" : suggested ? " guess" : "";
  const attributes = {
    type: "button", role: "radio", "aria-checked": String(session.annotation.label === name), class: `choice${state}`,
    title: [definition, example].filter(Boolean).join("\n"), onclick: () => choose(session, name),
  };
  return h("button", attributes, key ? h("kbd", {}, session.keyOf(key)) : null, name, suggested ? h("small", {}, ` ${guess.sure}`) : null);
}

function choose(session, name, instead) {
  const label = name === "_" ? instead : name;
  if (!label) return;
  session.change(() => ({ label }));
  session.finish();
}
