// A window that shows an editor as the app does, and a server of which a test decides what it does.

import { readFileSync } from "node:fs";
import { afterEach, beforeEach, mock } from "node:test";
import { window } from "./dom.js";
import { named } from "../../annotate/components/editors/alignment.js";
import { ANSWERS } from "../../annotate/components/editors/answers.js";
import { CHOICE } from "../../annotate/components/editors/choice.js";
import { same } from "../../annotate/components/editors/dom.js";
import { mount } from "../../annotate/components/editors/runtime.js";
import { SPANS } from "../../annotate/components/editors/spans.js";
import { TAGS } from "../../annotate/components/editors/tags.js";
import { TREE } from "../../annotate/components/editors/tree.js";

export { resize, window } from "./dom.js";

const EDITORS = { tags: TAGS, tree: TREE, spans: SPANS, choice: CHOICE, answers: ANSWERS };
const FILE = JSON.parse(readFileSync(new URL("payloads.json", import.meta.url), "utf-8"));
const TRIP = 20; // milliseconds to the server and back
const PATIENCE = 30_000; // milliseconds
const STEP = 50; // milliseconds
const OPENED = new Set();

export const copy = (value) => JSON.parse(JSON.stringify(value));

/** The payloads of a project's items, see payloads.py, each with some values in place of its own. */
export const payloads = (name, changes = {}) =>
  FILE.payloads[name].map((one) => ({ ...copy(one), labels: copy(FILE.labels[one.labels]), language: "en", ...changes }));

beforeEach(() => {
  mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"], now: Date.UTC(2026, 0, 1) });
  const mocked = setTimeout;
  globalThis.setTimeout = (run, after = 0) => mocked(run, after); // a mocked one without a time never fires
  navigator.onLine = true;
  document.hidden = false;
});

afterEach(() => {
  for (const page of OPENED) page.close();
  OPENED.clear();
  localStorage.clear();
  document.body.replaceChildren();
  mock.timers.reset();
});

/** Let time go by, in steps: timers that fire within one all see its end. */
export function tick(milliseconds) {
  for (let left = milliseconds; left > 0; left -= STEP) mock.timers.tick(Math.min(left, STEP));
}

/** Keeps items and answers saves as `annotate.server.saves` does, and shows them as the page does. */
export class Server {
  constructor(items) {
    this.items = items;
    this.shown = 0; // the place of the item that the page shows
    this.heard = []; // every revision
    this.turn = null; // of the page's last request
    this.revisions = 0;
    this.own = new Map(); // the newest revision of each client
    this.refuses = () => false; // whether an event that is sent as done is saved, but not as done
    this.changes = {}; // what else the next payloads hold
    this.values = {}; // what else the next answers hold: the example and the annotation, where another task has set values
  }

  get item() {
    return this.items[this.shown];
  }

  get payload() {
    const { annotation, example } = this.item;
    return copy({ ...this.item, annotation: annotation && named(annotation, example), ...this.changes, turn: this.turn });
  }

  /** The answer to a revision. */
  receive({ client, seq, seen, annotation, done, ...event }) {
    this.heard.push({ ...event, client, seq, seen, annotation, done });
    const item = this.items.find(({ item: id }) => id === event.item);
    const refused = done && this.refuses(event);
    if (seq > (item.acks[client] ?? 0)) {
      const { revision } = item;
      if (revision && revision.client !== client && revision.id !== seen) return { status: 409, error: "overtaken", newest: this.newest(item) };
      this.store(item, annotation, client, done && !refused, seq);
    }
    const reason = refused ? "refused" : "";
    return { status: 200, acknowledged: item.acks[client], revision: this.own.get(client), done: item.done, problems: [], reason, ...copy(this.values) };
  }

  newest({ annotation, done, acks, revision, problems, example, following }) {
    return copy({ annotation: named(annotation, example), done, acks, revision, problems, example, following });
  }

  move({ item, go, turn }) {
    this.turn = turn;
    if (!go || item !== this.item.item) return;
    this.shown = Math.max(0, Math.min(this.items.length - 1, this.shown + (go === "back" ? -1 : 1)));
  }

  store(item, annotation, client, done, seq) {
    this.revisions += 1;
    const { words, ranges, ends, joined, ...columns } = annotation;
    const kept = same(named(columns, item.example), annotation) ? columns : annotation; // words are kept where they are others
    Object.assign(item, { annotation: copy(kept), done, revision: { id: this.revisions, client } });
    item.acks[client] = seq;
    this.own.set(client, this.revisions);
  }

  /** Another window saves something. */
  save(annotation, done = false) {
    this.store(this.item, annotation, "another window", done, (this.item.acks["another window"] ?? 0) + 1);
  }
}

/** A window with an editor. Unless it is `held`, what it saves and asks for arrives and is answered by itself. */
export class Page {
  constructor(server, held = false) {
    Object.assign(this, { server, held, sent: [], answered: [], moves: [] });
    OPENED.add(this);
    this.reload();
  }

  /** Show what the server has: at first, after a request, and whenever the app draws the page anew. */
  show(data = this.server.payload) {
    const { parent } = this;
    const isThis = () => this.parent === parent; // nothing of a page that is gone
    const setTriggerValue = (_name, event) => isThis() && this.move(copy(event));
    const save = (revision, answered) => isThis() && this.save(copy(revision), (answer) => isThis() && answered(answer));
    this.unmount = mount({ data, parentElement: parent, setTriggerValue, save }, EDITORS[data.editor]);
  }

  save(revision, answered) {
    const place = this.sent.push(revision) - 1;
    this.answered[place] = answered;
    if (!this.held) setTimeout(() => this.deliver(place), TRIP);
  }

  /** Let a revision that was sent arrive, and its answer come back unless that is lost. */
  deliver(place = this.sent.length - 1, isAnswered = true) {
    if (!OPENED.has(this)) return;
    const answer = this.server.receive(this.sent[place]);
    if (isAnswered) this.answered[place](answer);
  }

  move(request) {
    this.moves.push(request);
    if (!this.held) setTimeout(() => this.turn(request), TRIP);
  }

  /** Let the page be drawn as a request asks. */
  turn(request = this.moves.at(-1)) {
    if (!OPENED.has(this)) return;
    this.server.move(request);
    this.show();
  }

  reload() {
    this.close();
    OPENED.add(this);
    this.parent = document.createElement("div");
    document.body.append(this.parent);
    document.activeElement?.blur();
    this.show();
  }

  close() {
    OPENED.delete(this);
    this.unmount?.();
    this.parent?.remove();
  }

  get frame() {
    return this.parent.querySelector(".frame");
  }

  /** Press keys where the keyboard is, one after the other; in a field signs are typed. */
  press(...names) {
    for (const name of names) this.key(name);
    return this;
  }

  key(name, more = {}) {
    const modifiers = name.split(/\+(?=.)/);
    const key = modifiers.pop();
    const held = { ctrlKey: modifiers.includes("Ctrl"), altKey: modifiers.includes("Alt"), shiftKey: modifiers.includes("Shift") };
    const target = document.activeElement;
    const event = new window.KeyboardEvent("keydown", { key, ...held, bubbles: true, cancelable: true, ...more });
    for (const [property, value] of Object.entries(more)) Object.defineProperty(event, property, { value });
    target.dispatchEvent(event);
    if (event.defaultPrevented || held.ctrlKey) return;
    if (target.tagName === "INPUT" && key.length === 1) this.fill(target.value + key, target);
    if (target.tagName === "BUTTON" && key === "Enter") target.dispatchEvent(new window.MouseEvent("click", { bubbles: true, detail: 0 }));
  }

  /** Let a field, that which is asked for unless another is given, hold a text. */
  fill(text, field = this.find(".asking input")) {
    field.value = text;
    field.dispatchEvent(new window.Event("input", { bubbles: true }));
    field.dispatchEvent(new window.Event("change", { bubbles: true }));
    return this;
  }

  /** Press the key that asks for something, let its field hold a text, and take that. */
  ask(key, text) {
    return this.press(key).fill(text).press("Enter");
  }

  click(node, more = {}) {
    this.mouse(node, "pointerdown", more);
    this.mouse(node, "pointerup", more);
    node.dispatchEvent(new window.MouseEvent("click", { bubbles: true, detail: 1 }));
    tick(1); // what was held is drawn anew
    return this;
  }

  mouse(node, type, more = {}) {
    node.dispatchEvent(new window.PointerEvent(type, { bubbles: true, button: 0, ...more }));
    return this;
  }

  find(selector) {
    return this.frame.querySelector(selector);
  }

  all(selector) {
    return [...this.frame.querySelectorAll(selector)];
  }

  texts(selector) {
    return this.all(selector).map(({ textContent }) => textContent.replace(/\s+/g, " ").trim());
  }

  text(selector) {
    return this.texts(selector).filter(Boolean).join(" ");
  }

  get words() {
    return this.texts(".form");
  }

  get tags() {
    return this.texts(".tag");
  }

  get note() {
    return this.text(".note");
  }

  get said() {
    return this.text("[aria-live]");
  }

  /** Let time go by until the server has everything; return what it has of the item that is shown. */
  saved() {
    const { dataset } = this.frame;
    for (let waited = 0; dataset.seq !== dataset.acked; waited += 100) {
      if (waited > PATIENCE) throw new Error(`not saved: ${this.text(".state")} ${this.note}`);
      tick(100);
    }
    return this.server.item.annotation;
  }

  /** Press a key that leads to another item; return what the server has of the one that was left. */
  leave(key = "Ctrl+Enter") {
    const { dataset } = this.frame;
    const left = this.server.item;
    this.press(key);
    for (let waited = 0; Number(dataset.item) === left.item; waited += 100) {
      if (waited > PATIENCE) throw new Error(`not left: ${this.note}`);
      tick(100);
    }
    return left.annotation;
  }

  /** Save the last item as done; return what the server has of it. */
  finish() {
    this.press("Ctrl+Enter");
    const annotation = this.saved();
    tick(1000);
    if (!this.server.item.done) throw new Error(`not done: ${this.note}`);
    return annotation;
  }
}

/** Open a project's first item. */
export const open = (name, changes) => new Page(new Server(payloads(name, changes)));
