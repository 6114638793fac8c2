// A small browser for the editors: happy-dom, and stubs of what it does not lay out. Imported before any editor.

import { mock } from "node:test";
import { Window } from "happy-dom";

const LETTER = 8; // pixels

/** happy-dom keeps results of searches in WeakRefs. A real one holds its object until a job ends, and a test is one job. */
globalThis.WeakRef = class {
  constructor(object) {
    this.deref = () => object;
  }
};
export const window = new Window({ url: "http://localhost/", width: 1280, height: 800 });
const { document } = window;

/** Observers of sizes; `resize` tells all of them another width. */
class ResizeObserver {
  static all = new Set();
  constructor(heard) {
    this.heard = heard;
  }
  observe() {
    ResizeObserver.all.add(this);
  }
  disconnect() {
    ResizeObserver.all.delete(this);
  }
}

export function resize(width) {
  for (const { heard } of ResizeObserver.all) heard([{ contentRect: { width } }]);
}

const parts = {
  window, document, ResizeObserver, MutationObserver: window.MutationObserver, localStorage: window.localStorage, navigator: { onLine: true },
  HTMLInputElement: window.HTMLInputElement, getComputedStyle: () => ({ fontFamily: "sans-serif" }),
  requestAnimationFrame: (draw) => setTimeout(draw, 16), cancelAnimationFrame: (frame) => clearTimeout(frame),
};
for (const [name, value] of Object.entries(parts)) Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });

Object.defineProperty(document, "hidden", { value: false, writable: true });
const { prototype } = window.HTMLElement;
window.Element.prototype.scrollIntoView = function () {
  document.seen = this; // what was brought into sight last
};
Object.defineProperty(prototype, "clientWidth", { get: () => 1000 });
prototype.scrollBy = function (x, y) {
  this.scrolled = [x, y];
};
window.HTMLCanvasElement.prototype.getContext = () => ({ measureText: (text) => ({ width: LETTER * text.length }) });
window.HTMLMediaElement.prototype.play = async function () {
  Object.defineProperty(this, "paused", { value: false, configurable: true });
  this.dispatchEvent(new window.Event("play"));
};
window.HTMLMediaElement.prototype.pause = function () {
  Object.defineProperty(this, "paused", { value: true, configurable: true });
  this.dispatchEvent(new window.Event("pause"));
};
mock.method(performance, "now", () => Date.now()); // which the mocked timers move on
