// A tree as a table that is edited like a spreadsheet: typing replaces the value of a cell, Enter takes it, or the model's
// suggestion, and goes down, Tab goes across, Ctrl+D gives the next row the same value.

import { wordsOf } from "./alignment.js";
import { columnsOf } from "./cells.js";
import { h } from "./dom.js";
import { hint } from "./hints.js";
import { composing, pressed } from "./keyboard.js";
import { _ } from "./messages.js";
import { endsAt } from "./sentences.js";

const OFFERS = "values of the cell";
const WIDTHS = [4, 40]; // letters of the narrowest and of the widest column
const OF_FRAME = ["Ctrl+Enter", "Ctrl+z", "Ctrl+y", "Ctrl+Shift+Z", "Alt+ArrowLeft", "Alt+ArrowRight", "Alt+ArrowDown", "Alt+ArrowUp"]; // keys that also work in a cell

/** Draw the table. `edits` change the head and the relation of a word. */
export function table(session, edits) {
  const columns = columnsOf(session, edits);
  if (!columns.some(({ column }) => column === session.column)) session.column = columns[0].column;
  const words = wordsOf(session);
  const rows = words.map((form, word) => {
    const cells = columns.map((column) => h("td", {}, cell(session, edits, column, word)));
    const name = h("th", { scope: "row" }, h("bdi", { class: "form", lang: session.data.lang }, form));
    const state = `${word === session.place.word ? "here" : ""}${endsAt(session, word) ? " ends" : ""}`;
    return h("tr", { "data-word": word, class: state }, h("td", {}, String(word + 1)), name, cells);
  });
  const titles = ["", _("word"), ...columns.map(({ title }) => title)].map((title) => h("th", {}, title));
  const keys = [
    { key: "Enter", label: _("take, next row"), run: () => focus(session) },
    { key: "Tab", label: _("next column"), run: () => focus(session) },
    { key: "Ctrl+d", label: _("same value in the next row"), run: () => fill(session, edits) },
    { key: "Escape", label: _("leave the table"), run: () => session.frame.focus() },
  ];
  const grid = h("table", { class: "table", style: widths(columns, words.length) }, h("thead", {}, h("tr", {}, titles)), h("tbody", {}, rows));
  const why = h("span", { class: "why", role: "alert" });
  return h("div", {}, h("div", { class: "scroll tall" }, grid), h("div", { class: "cells", dir: "ltr" }, keys.map(hint), why), h("datalist", { id: OFFERS }));
}

/** Return the style with the width of each column, which its longest value decides. */
function widths(columns, count) {
  const letters = ({ text, guess }, word) => [...(text(word) || guess?.(word) || "")].length;
  const longest = (column) => Math.max(...Array.from({ length: count }, (_, word) => letters(column, word)));
  return columns.map((column) => `--${column.column}: ${Math.max(WIDTHS[0], Math.min(WIDTHS[1], longest(column)))}ch`).join("; ");
}

const stateOf = ({ text, guess, isSure }, word) => (!text(word) && guess?.(word) ? "guess" : isSure(word) ? "sure" : null);

function cell(session, edits, column, word) {
  const { text, guess, label, lang } = column;
  const isTabbed = word === session.place.word && column.column === session.column;
  const input = h("input", {
    class: stateOf(column, word), style: `width: calc(var(--${column.column}) + 18px)`, "data-column": column.column, list: OFFERS,
    lang: lang ?? "en", dir: lang ? "auto" : "ltr", autocomplete: "off", spellcheck: "false", tabindex: isTabbed ? "0" : "-1",
    "aria-label": label(wordsOf(session)[word]), value: text(word), placeholder: guess?.(word) || null,
    onfocus: () => entered(session, column, word, input),
    onblur: ({ relatedTarget }) => left(session, column, word, input, relatedTarget),
    onkeydown: (event) => press(session, edits, column, word, input, event),
  });
  return input;
}

/** Make the word of a cell that has the focus the word at the cursor, and offer the values of the cell. */
function entered(session, { column, offered }, word, input) {
  session.column = column;
  if (word !== session.place.word) {
    release(session, input);
    session.place.word = word;
    session.draw();
    return focus(session);
  }
  session.place.asking = "cell";
  session.drawFoot();
  const values = offered?.(word) ?? [];
  session.frame.querySelector("datalist").replaceChildren(...values.map((value) => h("option", { value })));
  input.select();
}

/** Set what was typed in a cell that the mouse has left; the cell that was clicked gets the focus again. */
function left(session, column, word, input, clicked) {
  if (!clicked?.dataset.column) session.place.asking = null;
  if (input.readOnly || input.value.trim() === column.text(word)) return;
  const row = clicked?.closest("tr")?.dataset.word;
  if (settle(session, column, word, input) && row) setTimeout(() => focus(session, row, clicked.dataset.column));
}

/** Focus a cell, by default the one that had the focus last. */
function focus(session, word = session.place.word, column = session.column) {
  session.frame.querySelector(`tr[data-word="${word}"] [data-column="${column}"]`)?.focus();
}

/** Return the keyboard to the sentence, which may then be drawn anew; the cell is not set again. */
function release(session, input) {
  input.readOnly = true;
  session.place.asking = null;
  session.frame.focus({ preventScroll: true });
}

/** Set what is typed in a cell, or by Enter the suggestion in an open one; return whether it was not refused. */
function settle(session, column, word, input, isEnter = false) {
  const typed = input.value.trim() || (isEnter && !column.text(word) && column.guess?.(word)) || "";
  if (typed === column.text(word)) return true;
  const why = refusal(session, column, word, typed, isEnter);
  tell(session, why);
  if (why) input.setAttribute("aria-invalid", "true");
  else set(session, column, word, typed, input);
  return !why;
}

function set(session, column, word, value, input) {
  if (input) release(session, input);
  session.change((annotation) => column.set(annotation, word, value));
}

function tell(session, why) {
  session.frame.querySelector(".cells .why").textContent = why;
}

/** Return why a value is not set; a value that is new in its list is set at the second Enter. */
function refusal(session, column, word, typed, isEnter) {
  const wrong = column.wrong(word, typed);
  const asked = `${column.column} ${word} ${typed}`;
  if (wrong || !isEnter || session.asked === asked || !column.isNew?.(word, typed)) return wrong;
  session.asked = asked;
  return _("{value} is new here; press Enter again to use it", { value: typed });
}

function press(session, edits, column, word, input, event) {
  if (composing(event)) return;
  const columns = columnsOf(session, edits).map((one) => one.column);
  const last = wordsOf(session).length - 1;
  const place = columns.indexOf(column.column);
  const go = (to, isEnter) => {
    if (!settle(session, column, word, input, isEnter)) return;
    const row = Math.floor(to / columns.length);
    if (row < 0 || row > last) return release(session, input);
    focus(session, row, columns.at(to % columns.length));
  };
  const down = (by, isEnter) => go(Math.max(0, Math.min(last, word + by)) * columns.length + place, isEnter);
  const keys = {
    Enter: () => down(1, true),
    ArrowDown: () => down(1),
    ArrowUp: () => down(-1),
    Tab: () => go(word * columns.length + place + 1),
    "Shift+Tab": () => go(word * columns.length + place - 1),
    "Ctrl+d": () => settle(session, column, word, input, true) && fill(session, edits, input),
    Escape: () => {
      release(session, input);
      session.draw();
    },
  };
  const own = Object.keys(keys).find((name) => pressed(event, name));
  const shared = OF_FRAME.find((name) => pressed(event, name));
  const isTyped = input.value.trim() !== column.text(word);
  if (!own && (!shared || (isTyped && /[zy]$/i.test(shared)))) return; // undo of what is typed is the browser's
  event.preventDefault();
  event.stopPropagation();
  if (own) return keys[own]();
  if (!settle(session, column, word, input)) return;
  const { item } = session;
  release(session, input);
  session.frame.dispatchEvent(new event.constructor("keydown", event));
  if (session.item === item && !session.leaving) focus(session, word, column.column);
}

/** Give the next row the value of the cell that had the focus last, and go there. */
function fill(session, edits, input) {
  const { word } = session.place;
  const column = columnsOf(session, edits).find((one) => one.column === session.column);
  const value = column.text(word);
  if (word + 1 >= wordsOf(session).length) return focus(session);
  const why = value === column.text(word + 1) ? "" : refusal(session, column, word + 1, value);
  if (why) {
    focus(session);
    return tell(session, why);
  }
  set(session, column, word + 1, value, input);
  focus(session, word + 1);
}
