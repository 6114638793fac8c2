// What every editor shares: the working copy, undo, drafts, active time, saving until acknowledged, keys.
//
// The working copy lives in the browser and is drawn here, with no call to the server. Each change is saved whole, with
// the client's next sequence number, until the server has acknowledged that number (saves.js). Until then a draft stays
// in localStorage, from which a reload goes on, undo included. Of Streamlit's page a session asks only to be drawn again,
// with this item or another one. Texts reach the page as text nodes only.
//
// An editor is an object:
//   start(data)               -> the annotation to begin with, where none is saved yet
//   draw(session)             -> a DOM node of the annotation as it is now
//   keys(session)             -> [{key, label, name, rare, run}], what keys do: `label` says it below, where it is `rare`
//                                only among all keys; `name` is the label of an annotation that the key gives
//   busy(session)             -> whether something was begun that comes first: what leads away is no hint then (optional)
//   problems(session)         -> [{level, message, word, or place}] of the working copy: "todo" (not annotated yet) and "error" block
//                                "done", "warning" does not
//   spoken(session)           -> [text, what is said of it]: the unit at the cursor, its state and label, for screen readers
//   accept(annotation, data)  -> the annotation with every open part taken from the suggestion (optional)
//   finished(annotation)      -> the annotation as it is when it is done (optional)
//   place(data)               -> what `session.place` begins with: the cursor, never part of an annotation;
//                                `word` or, of an article, `question` (its id) is the unit that it is on

import { named } from "./alignment.js";
import { closeConnectionErrors } from "./connection.js";
import { copy, h, isolated, same, told } from "./dom.js";
import { remember, restore } from "./drafts.js";
import { everyKey, hint, momentary } from "./hints.js";
import { composing, keyName, pressed } from "./keyboard.js";
import { _ } from "./messages.js";
import { otherKeys, rebind, startRebinding } from "./rebinding.js";
import { Player } from "./recording.js";
import { Requests } from "./requests.js";
import { put, Saver } from "./saves.js";
import { strip } from "./second.js";
import { Stopwatch } from "./stopwatch.js";
import { markDisputed, openUnit, undecided, versionKeys } from "./versions.js";
import { agreed, changedPlaces, disputed, rebased, sameWords, shared, unsettled } from "./windows.js";

const SLOW = 5000; // milliseconds without an answer, after which the server counts as away
const ATTENTION = 400; // milliseconds, soon enough for whoever closes a dialog and types on
const BURST = 150; // milliseconds: changes that are closer are one revision, and no answer comes between them
const BAR = 24; // pixels, more than a bar that scrolls
const REMEMBERED = 100; // steps of undo
const HELP = "?"; // its hint is always in sight
const SESSIONS = new WeakMap();

let latest = null; // the session of the editor in sight: Streamlit may keep another task's editor, and show it again without a call of `mount`

export function mount({ data, parentElement, setTriggerValue, save = put }, editor) {
  let session = SESSIONS.get(parentElement);
  if (!session) {
    session = new Session(parentElement, editor, save);
    SESSIONS.set(parentElement, session);
  }
  session.trigger = (event) => setTriggerValue("move", event);
  session.receive(data);
  const call = (session.call = {});
  return () => session.call === call && session.close(); // one that was overtaken while the modules came closes nothing
}

class Session {
  constructor(parent, editor, save) {
    this.editor = editor;
    this.saver = new Saver(() => this.unsent(), (...answer) => this.answered(...answer), save);
    this.client = Array.from(crypto.getRandomValues(new Uint8Array(9)), (byte) => byte.toString(36)).join("");
    this.watch = new Stopwatch();
    this.spent = new Map(); // of items shown before in this page: seconds, edits and seq go on from there
    this.sent = []; // revisions that are not acknowledged: the server may have them
    this.left = []; // revisions of items that a button led away from before they were acknowledged
    this.item = null;
    this.trigger = (_event) => {}; // `mount` sets it
    this.rebinding = null; // state of the dialog that changes a key
    this.page = new Requests(this.client, (event) => this.trigger(event));
    this.player = new Player((key) => this.keyOf(key));
    this.stage = h("div"); // drawn anew with every change; what is heard when it changes stays: the note, the state, the voice
    this.strip = h("div"); // of a second suggestion
    this.hints = h("div", { class: "hints" });
    this.more = h("div", { class: "more" });
    this.every = h("div", { class: "every" }); // all keys, when asked for
    this.state = h("span", { role: "status" });
    this.note = h("div", { class: "note", role: "alert" });
    this.list = h("ul", { class: "problems" });
    this.voice = h("div", { class: "spoken", "aria-live": "polite" });
    const foot = h("div", { class: "foot", dir: "ltr" }, h("div", { class: "row" }, this.hints, this.more, this.state), this.note, this.list, this.every);
    this.frame = h("div", { class: "frame", tabindex: "0", role: "application" }, this.player.node, this.stage, this.strip, foot, this.voice);
    parent.append(this.frame);
    this.listen();
    const wide = new ResizeObserver(([{ contentRect }]) => this.resize(contentRect.width));
    wide.observe(this.stage);
    const attention = setInterval(() => {
      if (!latest) this.appear();
      this.attend();
    }, ATTENTION);
    const beat = setInterval(() => this.unsaved && this.drawFoot(), SLOW / 2);
    this.close = () => {
      if (latest === this) latest = null;
      this.ending.abort();
      this.saver.close();
      clearTimeout(this.waiting);
      this.page.close();
      wide.disconnect();
      clearInterval(attention);
      clearInterval(beat);
      this.player.stop();
      this.frame.remove();
      SESSIONS.delete(parent);
    };
  }

  /** Hear what somebody does in this editor and beside it, until it is closed. */
  listen() {
    this.ending = new AbortController();
    const { signal } = this.ending;
    closeConnectionErrors(signal);
    const on = (target, events, run, capture = false) => {
      for (const event of events) target.addEventListener(event, run, { signal, capture });
    };
    on(document, ["keydown", "pointerdown", "pointermove"], () => this.watch.tick(), true);
    on(document, ["click"], (event) => this.clicked(event), true); // before the page changes what was clicked
    on(document, ["visibilitychange"], () => this.watch.pause());
    on(document, ["pointerup", "pointercancel"], () => setTimeout(() => this.drop()));
    on(window, ["online"], () => this.saver.retry());
    on(window, ["pagehide"], () => this.unsaved && this.saver.send(this.payload(), () => {}));
    on(window, ["focus"], () => this.look());
    on(this.frame, ["keydown"], (event) => this.press(event));
    on(document, ["keydown"], (event) => event.target === document.body && latest === this && this.press(event), true); // drawing the page can take the focus
    on(this.frame, ["pointerdown"], () => (this.held = true)); // what is dragged over is not drawn anew
  }

  clicked({ target, detail }) {
    if (!detail) return; // by a key of the keyboard, which stays where it is
    const button = target.closest("button:not([aria-haspopup], [aria-checked='false'])"); // that leads nowhere else
    this.attend(button ?? target.closest("main"));
    this.opener = target.closest("[aria-haspopup='dialog']") ?? this.opener; // what it opens may be closed soon
  }

  get unsaved() {
    return this.seq > this.acknowledged;
  }

  /** Whether somebody has changed or finished something that is not saved: time alone is no change. */
  get changed() {
    return this.unsaved && (this.edits !== this.settled || (this.done && !this.data.done));
  }

  /** Take what the page hands over: another item, or the same one, drawn again. */
  receive(data) {
    if (this.page.take(data.turn)?.item === data.item) this.leaving = null; // it was the last one
    this.shown = data; // what the page was drawn with
    if (latest !== this || data.item !== this.item) this.appear();
    this.watch.idle = data.idle;
    this.player.take(data.recording);
    this.take(data);
    this.attend();
  }

  /** Take what the server has of an item: of this one it may be older than what was acknowledged since. */
  take(data) {
    const other = data.item !== this.item;
    const { id = 0, client } = data.revision ?? {};
    if (!other && id < this.base) data = { ...data, ...this.saved };
    this.data = other ? data : { ...data, ...this.kept(data) };
    const elsewhere = (client !== this.client && id > (this.base ?? 0)) || (!other && this.isOnOtherWords(data));
    if (!other) this.acknowledge(data.acks[this.client] ?? 0);
    if (elsewhere && !other && this.changed) this.diverge(this.step(), this.past, this.common);
    else if (other || elsewhere) this.open(this.data);
    else {
      this.base = Math.max(this.base ?? 0, id) || null;
      if (data.annotation) this.adopt(data.annotation);
    }
    if (!this.unsaved) {
      if (this.done && !data.done) this.leaving = null; // it was refused as done, and says why here
      this.done = data.done; // a button beside the editor may have opened it again
      if (!this.apart) this.settled = this.edits;
      if (!this.apart) remember(this);
      if (this.leaving && !this.page.asked?.go) this.depart();
    }
    if (this.held && !other) this.drawFoot();
    else this.draw();
  }

  /** Take the number of the newest revision that the server has stored: what the window changes from now on differs from that. */
  acknowledge(seq) {
    if (seq <= this.acknowledged) return;
    const isStored = (one) => one.item === this.item && one.seq <= seq;
    this.common = this.sent.findLast(isStored)?.annotation ?? this.common;
    this.sent = this.sent.filter((one) => !isStored(one));
    this.acknowledged = seq;
  }

  /** Take the values that another task has set meanwhile, where this window has not changed them; undo leads back to no older ones. */
  adopt(newest) {
    const { common, item } = this;
    if (!Object.keys(changedPlaces(common, newest) ?? {}).length) return;
    const rebase = (one) => ({ ...one, annotation: rebased(one.annotation, common, newest) });
    this.past = this.past.map(rebase);
    this.future = this.future.map(rebase);
    this.sent = this.sent.map((one) => (one.item === item ? rebase(one) : one));
    this.annotation = rebased(this.annotation, common, newest);
    this.common = rebased(common, common, newest);
  }

  /** Take the answer to a revision; see docs/developers/saving.md. */
  answered(revision, answer, isFinal) {
    const { item, seq, annotation } = revision;
    const { acknowledged, done, problems, newest, error = "", reason, example = this.data.example } = answer;
    if (isFinal) this.left = this.left.filter((one) => one !== revision);
    if (acknowledged) this.sent = this.sent.filter((one) => one.item !== item || one.seq > seq);
    if (error || this.message === this.error) this.message = error; // none, where it says what is over
    this.error = error;
    if (item !== this.item) return this.drawFoot();
    if (acknowledged) {
      const acks = { ...this.data.acks, [this.client]: acknowledged };
      const stored = answer.annotation ?? annotation; // with what another task has set meanwhile
      this.saved = { annotation: stored, example, done, problems, acks, revision: { id: answer.revision, client: this.client } };
      this.common = annotation;
      this.take({ ...this.data, ...this.saved });
      if (reason) this.message = reason;
    } else if (newest) {
      this.take({ ...this.data, ...newest });
    } else if (isFinal) {
      this.refused = seq;
      this.leaving = null;
      this.look();
    }
    if (!this.unsaved && this.isOutdated) this.look();
    this.drawFoot();
  }

  /** Whether the page shows something that a save has changed: how many are done, or which sentences are joined. */
  get isOutdated() {
    const { done, annotation, example } = this.shown;
    return this.done !== done || (this.annotation.joined ?? 0) !== ((annotation ?? example).joined ?? 0);
  }

  /** Whether all of this window is saved, and words were repaired in another task since. */
  isOnOtherWords({ acks, annotation, example }) {
    const saved = (acks[this.client] ?? 0) === this.seq && !this.apart;
    return saved && !sameWords(annotation ?? named({}, example), this.annotation);
  }

  /** What stays as it was when the item was opened: nothing that arrives meanwhile moves what somebody works on. */
  kept({ suggestion, second, versions }) {
    const shown = { suggestion: suggestion && this.data.suggestion, second: second && this.data.second };
    return { ...shown, versions: this.windows ?? versions };
  }

  drop() {
    this.pressed = null; // also where the mouse was let go beside the words
    if (!this.held) return;
    this.held = false;
    this.draw();
  }

  /** Become the editor in sight: the button or the editor that led here loses the keyboard. */
  appear() {
    latest = this;
    /** @type {HTMLElement} */ (document.activeElement)?.blur();
  }

  /** Take the keyboard where nothing, or nothing but what is idle, has it: at the start, and when a dialog was closed. */
  attend(idle) {
    const opener = document.querySelector("[aria-haspopup='dialog'][aria-expanded='true']");
    const closed = opener ? null : this.opener;
    this.opener = opener;
    if (latest === this && [document.body, idle, closed].includes(document.activeElement)) this.frame.focus({ preventScroll: true });
  }

  open(data, restored = true) {
    const again = data.item === this.item;
    if (!again && this.item !== null && this.unsaved) this.left.push({ ...this.payload(), left: true }); // by a button
    this.spent.set(this.item, { seconds: this.watch.seconds, edits: this.edits, seq: this.seq });
    const { seconds, edits, seq } = this.spent.get(data.item) ?? { seconds: 0, edits: 0, seq: 0 };
    this.left = this.left.filter(({ item }) => item !== data.item); // its draft is gone on from
    this.item = data.item;
    this.help = this.help && again;
    this.base = data.revision ? data.revision.id : null;
    this.seq = this.acknowledged = Math.max(again ? 0 : seq, data.acks[this.client] ?? 0);
    const { annotation, done, problems, acks, revision } = data;
    this.saved = { annotation, done, problems, acks, revision }; // what the server has, the newest that is known
    this.refused = null; // the number of what the server refuses, which is not sent again
    this.annotation = data.annotation ?? named(this.editor.start(data), data.example);
    this.common = this.annotation; // what this window and the server both had last
    this.done = data.done;
    this.past = [];
    this.future = [];
    this.edits = this.settled = edits; // the second: how many of them are saved, null where a draft is not
    this.watch.seconds = seconds;
    this.watch.last = performance.now();
    this.leaving = null; // where to go
    this.windows = null; // as versions: what this window and another one made of the item
    this.apart = false; // whether the two are still to be decided on; until then what this one made stays its draft
    this.reported = seconds;
    this.suggestion = data.suggestion?.id ?? null; // one that comes later is another matter for what suggestions save
    this.second = data.second?.id ?? null;
    this.message = again ? _("another window has changed this example; this is the newest version") : "";
    this.place = this.editor.place ? this.editor.place(data) : {};
    if (restored) restore(this, data.revision?.client);
    if (data.versions) Object.assign(this.place, openUnit(this));
  }

  /** Go on where another window has saved the item: with what one of the two has changed since they had a common version; what both have is open to be decided. */
  diverge(step, past, common) {
    this.open(this.data, false);
    const [mine, theirs] = shared(common, step.annotation, this.annotation);
    const places = disputed(mine, theirs);
    this.windows = [
      { name: _("this window"), annotation: mine },
      { name: _("the other window"), annotation: theirs },
    ];
    this.data = { ...this.data, versions: this.windows };
    this.annotation = agreed(mine, theirs);
    this.past = [...past, step];
    this.apart = places.length > 0;
    this.settled = null;
    if (!this.apart) this.put(false);
    this.message = this.apart
      ? _("another window has saved this example too; where the two differ, [ takes the version of this window and ] that of the other")
      : _("another window has saved this example too; both versions are merged here");
    Object.assign(this.place, step.place, places[0]);
  }

  /** Show why something is not done. */
  refuse(message) {
    this.message = message;
    this.draw();
  }

  /** Edit the annotation, and go to `place`: `edit` changes a copy of it, or returns another one. */
  change(edit, place = {}) {
    if (this.leaving) return;
    const step = this.step();
    const draft = copy(this.annotation);
    const after = edit(draft) ?? draft;
    Object.assign(this.place, place);
    if (same(after, this.annotation)) return this.draw();
    this.past = [...this.past, step].slice(-REMEMBERED);
    this.future = [];
    this.annotation = after;
    this.edits += 1;
    this.message = "";
    this.put(false);
    this.draw();
  }

  /** What undo leads back to: the annotation, and where the cursor was. */
  step() {
    return { annotation: this.annotation, place: copy(this.place) };
  }

  undo(from = "past", to = "future") {
    if (!this[from].length || this.leaving) return;
    this[to] = [...this[to], this.step()];
    const { annotation, place } = this[from].pop();
    this.annotation = annotation;
    this.place = place;
    this.edits += 1;
    this.message = "";
    this.put(false);
    this.draw();
  }

  redo() {
    this.undo("future", "past");
  }

  acceptAll() {
    const { editor, data } = this;
    if (editor.accept && data.suggestion) this.change((annotation) => editor.accept(annotation, data));
  }

  /** What is wrong with the working copy, and what is left to do. */
  problems() {
    return [...this.editor.problems(this), ...(this.windows ? unsettled(this) : undecided(this))];
  }

  /** Save as done and go on; refused, with the fix named, while something is wrong. */
  finish() {
    const found = this.problems();
    const wrong = found.find(({ level }) => level === "error") ?? found.find(({ level }) => level === "todo");
    if (wrong) {
      this.message = wrong.message;
      const { word } = wrong;
      Object.assign(this.place, wrong.place ?? (Number.isInteger(word) ? { word, from: word } : {}));
      return this.draw();
    }
    if (this.editor.finished) this.annotation = this.editor.finished(this.annotation);
    this.put(true);
    this.go("next");
  }

  /** Leave for another item, in a direction or by its id, once everything is acknowledged; until that one is here, keys change nothing. */
  go(where) {
    if (this.leaving) return;
    if (!this.unsaved && !this.apart && this.watch.seconds > this.reported + 1) this.put(this.done); // time counts
    this.leaving = where;
    if (this.unsaved) this.saver.retry();
    else this.depart();
    this.draw();
  }

  depart() {
    this.page.ask({ item: this.item, go: this.leaving });
  }

  put(done) {
    if (!this.unsaved) this.since = performance.now();
    this.seq += 1;
    this.done = done;
    this.apart = false;
    remember(this);
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.saver.run(), BURST);
  }

  /** The revision to save next: of items that were left first, then of this one as it is now. */
  unsent() {
    return this.left[0] ?? (this.unsaved && this.seq !== this.refused ? this.payload() : null);
  }

  payload() {
    const { client, item, seq, annotation, done, edits, suggestion, second } = this;
    const [seen, seconds, scope] = [this.base ?? 0, this.watch.seconds, this.data.scope];
    this.sent = [...this.sent.filter((one) => one.item !== item || one.seq !== seq), { item, seq, annotation }];
    const changed = changedPlaces(this.common, ...this.sent.filter((one) => one.item === item).map((one) => one.annotation));
    this.reported = seconds;
    return { client, item, seq, scope, seen, annotation, changed, done, edits, suggestion, second, seconds };
  }

  /** Ask for the newest version: another window may have saved it before somebody comes back to this one. */
  look() {
    if (!this.leaving && !this.page.asked) this.page.ask({ item: this.item });
  }

  /** What keys do in this editor, and what they do in every one. */
  commands() {
    const { data, editor } = this;
    const busy = editor.busy?.(this) ?? false;
    const shared = [
      { key: "Ctrl+Enter", label: _("done, next"), rare: busy, run: () => this.finish() },
      { key: "Ctrl+z", label: _("undo"), rare: busy, run: () => this.undo() },
      { key: "Ctrl+y", label: _("redo"), rare: true, run: () => this.redo() },
      { key: "Ctrl+Shift+Z", run: () => this.redo() },
      { key: "Alt+ArrowLeft", label: _("back"), rare: true, run: () => this.go("back") },
      { key: "Alt+ArrowRight", label: _("next"), rare: true, run: () => this.go("next") },
      { key: "Alt+s", label: _("skip"), rare: true, run: () => this.go("skip") },
      { key: HELP, label: this.help ? _("fewer keys") : _("all keys"), run: () => this.toggleHelp() },
      { key: "Ctrl+k", label: _("change a key"), rare: true, run: () => startRebinding(this) },
    ];
    if (data.tasks > 1)
      shared.push(
        { key: "Alt+ArrowDown", label: _("next task"), rare: true, run: () => this.go("task after") },
        { key: "Alt+ArrowUp", label: _("task before"), rare: true, run: () => this.go("task before") },
      );
    shared.push(...this.player.commands());
    if (data.suggestion && editor.accept)
      shared.unshift({ key: "Shift+A", label: _("accept all"), rare: busy, run: () => this.acceptAll() });
    const keys = otherKeys();
    const named = (all) => all.map((one) => ({ ...one, own: one.key, key: keys[one.key] ?? one.key }));
    return [named([...versionKeys(this), ...editor.keys(this)]), named(shared)];
  }

  toggleHelp() {
    this.help = !this.help;
    this.draw();
  }

  press(event) {
    const { tagName, tabIndex } = event.target;
    if (composing(event) || /^(INPUT|SELECT)$/.test(tagName)) return;
    if (tagName === "BUTTON" && tabIndex >= 0 && /^(Enter| )$/.test(event.key) && !event.ctrlKey) return; // presses it
    const found = this.help && event.key === "Escape" ? { run: () => this.toggleHelp() } : this.commands().flat().find((command) => pressed(event, command.key));
    if (this.rebinding ? /^(Shift|Control|Alt|AltGraph|Meta)$/.test(event.key) : !found) return;
    event.preventDefault();
    event.stopImmediatePropagation(); // Streamlit may still hold the editor of the task before
    this.attend();
    if (this.rebinding) rebind(this, found, keyName(event));
    else found.run(event);
  }

  /** The key that stands for an editor's own one in this browser. */
  keyOf(own) {
    return otherKeys()[own] ?? own;
  }

  draw() {
    if (!this.data) return;
    const typing = this.frame.getRootNode().activeElement;
    if (typing instanceof HTMLInputElement && this.frame.contains(typing)) return this.drawFoot();
    const focused = this.frame.contains(typing);
    const button = [...this.strip.querySelectorAll("button")].indexOf(typing);
    const { scrollLeft, scrollTop } = this.frame.querySelector(".scroll") ?? {};
    this.frame.dir = this.data.dir;
    this.frame.lang = this.data.language;
    this.frame.dataset.item = this.item;
    this.frame.setAttribute("aria-label", _("{title} editor", { title: this.data.title }));
    this.stage.replaceChildren(this.editor.draw(this));
    this.strip.replaceChildren(...strip(this));
    markDisputed(this);
    this.player.draw();
    const scrolled = this.frame.querySelector(".scroll");
    if (scrolled) Object.assign(scrolled, { scrollLeft: scrollLeft ?? 0, scrollTop: scrollTop ?? 0 });
    for (const node of this.frame.querySelectorAll(".reading .cursor, mark.cursor, .here")) node.scrollIntoView({ block: "nearest", inline: "nearest" });
    this.drawFoot();
    this.speak();
    if (focused) (this.strip.querySelectorAll("button")[button] ?? this.frame).focus({ preventScroll: true });
  }

  drawFoot() {
    const [own, shared] = this.commands();
    const problems = [...this.problems(), ...(this.unsaved ? [] : this.data.problems ?? [])];
    const others = problems.filter(({ message }) => message !== this.message);
    const list = others.map(({ level, message }) => h("li", { class: level }, isolated(message)));
    const [name, text] = this.standing();
    this.hints.replaceChildren(...momentary([...own, ...shared.filter(({ own: key }) => key !== HELP)], this.place.asking));
    this.more.replaceChildren(hint(shared.find(({ own: key }) => key === HELP)));
    this.every.replaceChildren(...(this.help ? everyKey(own, shared) : []));
    Object.assign(this.frame.dataset, { seq: this.seq, acked: this.acknowledged });
    this.state.className = `state ${name}`;
    told(this.state, text);
    told(this.note, ...isolated(this.message));
    this.list.replaceChildren(...list);
  }

  /** Draw anew for another width of the window; what comes and goes with a bar that scrolls is none. */
  resize(width) {
    if (Math.abs(width - (this.width ?? 0)) < BAR) return;
    this.width = width;
    if (!this.held) this.draw();
  }

  /** Let a screen reader say what is at the cursor, in the language that it is in. */
  speak() {
    const [text, rest] = this.editor.spoken(this);
    told(this.voice, h("bdi", { lang: this.data.lang }, text), `: ${rest}`);
  }

  standing() {
    const isAway = this.saver.failures || performance.now() - this.since > SLOW || !navigator.onLine;
    if (this.unsaved && this.seq === this.refused) return ["unsaved", _("not saved; kept in this window")];
    if (this.unsaved) return ["unsaved", isAway ? _("server unreachable; kept in this window") : _("saving")];
    if (this.apart) return ["unsaved", _("two versions, kept in this window")];
    if (this.done) return ["saved", _("saved as done")];
    return ["saved", this.past.length || this.data.annotation ? _("saved") : _("nothing to save")];
  }
}
