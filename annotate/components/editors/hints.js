// Hints about keys: a line with the keys of the moment, and a list of all keys on request.

import { h } from "./dom.js";
import { caps } from "./keyboard.js";
import { _ } from "./messages.js";

const FILTERED = () => [["", _("type to filter")], ["ArrowUp", ""], ["ArrowDown", _("choose")], ["Enter", _("take")], ["Escape", _("leave")]];
const SET = () => [["Enter", _("set")], ["Escape", _("leave")]];
const ASKING = {
  label: FILTERED,
  tag: FILTERED,
  lemmas: SET,
  xpos: SET,
  feats: SET,
  deps: SET,
  node: () => [["Tab", _("next field")], ...SET()],
  cell: () => [["Ctrl+Enter", _("done, next")], ["Ctrl+z", _("undo")]],
  misc: () => [["Enter", _("set, next word")], ["Escape", _("leave")]],
  split: () => [["Space", _("where the word splits")], ["Enter", _("split")], ["Escape", _("leave")]],
};

/** Draw the hint of a key as a button that does the same. */
export const hint = ({ key, label, name, run }) =>
  h("button", { class: "hint", tabindex: "-1", type: "button", onclick: run }, ...caps(key), " ", label ?? name);

/** Return the keys of the moment: those of the open field, else the most used keys. */
export function momentary(commands, asking) {
  const typing = ASKING[asking]?.().map(([key, label]) => h("span", { class: "hint" }, ...(key ? caps(key) : []), " ", label));
  return typing ?? commands.filter(({ label, rare }) => label && !rare).map(hint);
}

/** Draw all keys by purpose; `own`: keys of the editor, `shared`: keys of all editors. */
export function everyKey(own, shared) {
  const groups = [
    [_("Here"), own.filter(({ label }) => label)],
    [_("Labels"), own.filter(({ label, name }) => name && !label)],
    [_("Sentence by sentence"), shared.filter(({ label }) => label)],
  ];
  const shown = groups.filter(([, keys]) => keys.length);
  return shown.map(([title, keys]) => h("section", {}, h("div", { class: "caption" }, title), h("div", { class: "keys" }, keys.map(hint))));
}
