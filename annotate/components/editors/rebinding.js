// Keys that replace the editors' default keys in this browser, and the dialog that changes them.

import { _, quote } from "./messages.js";

const KEYS = "fewshot keys"; // name in localStorage of the new keys by default key

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

/** Give a command another key in this browser: press its present key, then the new key, twice if the new key is in use. */
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
