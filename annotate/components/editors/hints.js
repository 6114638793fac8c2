// What keys do: one line of those for the moment, all of them when asked for.

import { h } from "./dom.js";
import { caps } from "./keyboard.js";
import { _ } from "./messages.js";

const ASKING = {
  label: () => [["", _("type to filter")], ["ArrowUp", ""], ["ArrowDown", _("choose")], ["Enter", _("take")], ["Escape", _("leave")]],
  deps: () => [["Enter", _("set")], ["Escape", _("leave")]],
  misc: () => [["Enter", _("set, next word")], ["Escape", _("leave")]],
  split: () => [["Space", _("where the word splits")], ["Enter", _("split")], ["Escape", _("leave")]],
};

/** What a key does, as a button that does it too. */
export const hint = ({ key, label, name, run }) =>
  h("button", { class: "hint", tabindex: "-1", type: "button", onclick: run }, ...caps(key), " ", label ?? name);

/** The keys for the moment: while something is typed those of its field, else those that are used most. */
export function momentary(commands, asking) {
  const typing = ASKING[asking]?.().map(([key, label]) => h("span", { class: "hint" }, ...(key ? caps(key) : []), " ", label));
  return typing ?? commands.filter(({ label, rare }) => label && !rare).map(hint);
}

/** All keys, by what they are for; `own` are those of the editor, `shared` those of all. */
export function everyKey(own, shared) {
  const groups = [
    [_("Here"), own.filter(({ label }) => label)],
    [_("Labels"), own.filter(({ label, name }) => name && !label)],
    [_("Sentence by sentence"), shared.filter(({ label }) => label)],
  ];
  const shown = groups.filter(([, keys]) => keys.length);
  return shown.map(([title, keys]) => h("section", {}, h("div", { class: "caption" }, title), h("div", { class: "keys" }, keys.map(hint))));
}
