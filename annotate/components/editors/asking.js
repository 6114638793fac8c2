// A small field below the sentence, in which something of the word at the cursor is asked for.

import { composing } from "./keyboard.js";

export function ask(session, what) {
  session.place.asking = what;
  session.draw();
  session.frame.querySelector(".asking input")?.focus();
}

/** Ask no more, and give the keys back to the sentence. */
export function answered(session) {
  session.place.asking = null;
  session.frame.focus();
}

/** Ask no more, with nothing done. */
export function leave(session) {
  answered(session);
  session.draw();
}

/** What keys do in a field of one line: Enter calls `enter`, Escape leaves, none is heard by the sentence. */
export function fieldKeys(session, enter) {
  return (event) => {
    event.stopPropagation();
    if (composing(event) || !["Enter", "Escape"].includes(event.key)) return;
    event.preventDefault();
    if (event.key === "Escape") leave(session);
    else enter();
  };
}
