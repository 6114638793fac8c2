// Other keys than the editors' own: which ones there are in this browser, and how they are changed.

import { _, quote } from "./messages.js";

const KEYS = "fewshot keys"; // in localStorage: other keys, by the editors' own

export function otherKeys() {
  try {
    return JSON.parse(localStorage.getItem(KEYS)) ?? {};
  } catch {
    return {};
  }
}

export function startRebinding(session) {
  session.rebinding = {};
  session.message = _("press the key that you want to change");
  session.draw();
}

/** Give a command another key, in this browser: first its key as it is, then the new one, twice where it is in use. */
export function rebind(session, found, name) {
  const { command, taken } = session.rebinding;
  const titled = ({ name: title, label, key }) => quote(title ?? label ?? key);
  if (!command && !found && name !== "Escape") return;
  if (name === "Escape") {
    session.rebinding = null;
    session.message = "";
  } else if (!command) {
    session.rebinding = { command: found };
    session.message = _("now press the new key for {name}", { name: titled(found) });
  } else if (found && found.own !== command.own && taken !== name) {
    session.rebinding = { command, taken: name };
    session.message = _("{key} is already the key for {name}: press it again to swap it with {other}, press Escape to keep both, or press another key", { key: name, name: titled(found), other: command.key });
  } else {
    const keys = { ...otherKeys(), ...(found ? { [found.own]: command.key } : {}), [command.own]: name };
    localStorage.setItem(KEYS, JSON.stringify(keys));
    session.rebinding = null;
    session.message = _("the new key is {key}, in this browser", { key: name });
  }
  session.draw();
}
