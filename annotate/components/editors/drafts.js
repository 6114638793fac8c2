// Drafts: what a window has not saved, and its undo, stay in localStorage, from which a reload goes on.

import { named } from "./alignment.js";
import { same } from "./dom.js";
import { _ } from "./messages.js";

const keyOf = ({ data, item }) => `fewshot ${data.scope} ${item}`;

export function remember(session) {
  const { client, annotation, common, past, future, base, changed, done } = session;
  try {
    localStorage.setItem(keyOf(session), JSON.stringify({ client, annotation, common, past, future, base, done, unsaved: changed }));
  } catch {
    session.past = past.slice(-10); // the storage is full: nothing but older steps of undo depends on it
  }
}

/** Go on from the draft of a window that was closed or cut off; `newest` is the one that saved last. */
export function restore(session, newest) {
  let draft = null;
  try {
    draft = JSON.parse(localStorage.getItem(keyOf(session)));
  } catch {
    return;
  }
  if (!draft) return;
  for (const step of [draft, ...draft.past, ...draft.future]) step.annotation = named(step.annotation, session.data.example); // of an older version
  const isKnown = same(draft.annotation, session.annotation);
  const isSaved = isKnown && (session.done || !draft.done);
  if (draft.unsaved && !isSaved && (draft.base === session.base || draft.client === newest)) {
    Object.assign(session, { annotation: draft.annotation, past: draft.past, future: draft.future });
    session.settled = null;
    session.message = _("unsaved changes were restored");
    session.put(draft.done ?? false);
  } else if (isKnown) {
    Object.assign(session, { past: draft.past, future: draft.future });
  } else if (draft.unsaved) {
    session.diverge({ annotation: draft.annotation, place: session.place }, draft.past, draft.common);
  }
}
