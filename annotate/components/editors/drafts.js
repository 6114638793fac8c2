// Drafts: what a window has not saved, and its undo, stay in localStorage, from which a reload goes on.

import { named } from "./alignment.js";
import { same } from "./dom.js";
import { _ } from "./messages.js";

const keyOf = ({ data, item }) => `fewshot ${data.scope} ${item}`;

export function remember(session) {
  const { client, annotation, common, past, future, base, changed, done } = session;
  const sent = session.sent.filter(({ item }) => item === session.item);
  try {
    localStorage.setItem(keyOf(session), JSON.stringify({ client, annotation, common, sent, past, future, base, done, unsaved: changed }));
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
    const { annotation, past, future } = draft;
    const sent = [...session.sent.filter(({ item }) => item !== session.item), ...sentBefore(session, draft)];
    Object.assign(session, { annotation, past, future, sent, common: commonOf(session, draft) });
    session.settled = null;
    session.message = _("unsaved changes were restored");
    session.put(draft.done ?? false);
  } else if (isKnown) {
    Object.assign(session, { past: draft.past, future: draft.future });
  } else if (draft.unsaved) {
    session.diverge({ annotation: draft.annotation, place: session.place }, draft.past, commonOf(session, draft));
  }
}

/** Return what the window of a draft and the server both had last: its newest stored revision, or what it had loaded. */
function commonOf(session, { client, sent = [], common = session.common }) {
  const stored = session.data.acks[client] ?? 0;
  return (stored && sent.findLast(({ seq }) => seq <= stored)?.annotation) || common;
}

/** Return what the window of a draft has sent, as revisions without a number: each of them may still be stored. */
function sentBefore({ item }, { annotation, sent = [] }) {
  return [...sent, { annotation }].map((revision) => ({ item, seq: 0, annotation: revision.annotation }));
}
