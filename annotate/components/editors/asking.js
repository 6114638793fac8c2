// A small field below the sentence that asks for a value of the word at the cursor.

import { composing } from "./keyboard.js";

export function ask(session, what) {
  session.place.asking = what;
  session.draw();
  const field = session.frame.querySelector(".asking input");
  field?.focus();
  field?.setSelectionRange(field.value.length, field.value.length); // after the value, not before it
}

/** Close the field and return the keyboard focus to the sentence. */
export function answered(session) {
  session.place.asking = null;
  session.frame.focus();
}

/** Close the field without a change. */
export function leave(session) {
  answered(session);
  session.draw();
}

/** Handle keys in a field of one line: Enter calls `enter`, Escape closes the field; no key reaches the sentence. */
export function fieldKeys(session, enter) {
  return (event) => {
    event.stopPropagation();
    if (composing(event) || !["Enter", "Escape"].includes(event.key)) return;
    event.preventDefault();
    if (event.key === "Escape") leave(session);
    else enter();
  };
}
