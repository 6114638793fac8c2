// Dragging from word to word: draws a line, and scrolls at the edges.

import { h } from "./dom.js";

const STILL = 5; // pixels that the pointer may move during a click
const EDGE = 48; // pixels from the visible edge at which scrolling begins
const PACE = 12; // scrolled pixels per frame

/** Report clicks and drags on elements with `data-word` inside the scrolling element: `on.word(word)`, `on.drag(from, to)`. */
export function draggable(session, scroller, on) {
  scroller.addEventListener("pointerdown", (event) => {
    const node = event.target.closest("[data-word]");
    if (node && event.button === 0 && !event.target.closest(".name")) follow(session, scroller, node, event, on);
  });
}

const wordOf = (node) => Number(node.dataset.word);

function follow(session, scroller, node, { clientX, clientY }, on) {
  const begun = [clientX, clientY];
  let [x, y] = begun;
  let frame = null;
  const line = h("path", {});
  const sheet = h("svg", { class: "dragged" }, line);
  const draw = () => {
    scrollAt(scroller, x, y);
    const box = (node.querySelector(".form") ?? node).getBoundingClientRect();
    line.setAttribute("d", `M${box.left + box.width / 2},${box.top + box.height / 2} L${x},${y}`);
    frame = requestAnimationFrame(draw);
  };
  const move = (event) => {
    [x, y] = [event.clientX, event.clientY];
    if (frame !== null || Math.hypot(x - begun[0], y - begun[1]) < STILL) return;
    session.frame.append(sheet);
    draw();
  };
  const end = ({ type, clientX: left, clientY: top }) => {
    cancelAnimationFrame(frame);
    sheet.remove();
    listening.abort();
    const other = type === "pointerup" ? session.frame.getRootNode().elementFromPoint(left, top)?.closest("[data-word]") : null;
    if (!other) return;
    if (other === node) on.word(wordOf(node));
    else on.drag(wordOf(node), wordOf(other));
  };
  const listening = new AbortController();
  document.addEventListener("pointermove", move, { signal: listening.signal });
  document.addEventListener("pointerup", end, { signal: listening.signal });
  document.addEventListener("pointercancel", end, { signal: listening.signal });
}

function scrollAt(scroller, x, y) {
  const box = scroller.getBoundingClientRect();
  const by = (at, low, high) => (at < low + EDGE ? -PACE : at > high - EDGE ? PACE : 0);
  scroller.scrollBy(by(x, box.left, box.right), by(y, box.top, box.bottom));
}
