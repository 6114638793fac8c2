// The columns of a tree in a table: what a cell contains, what can be typed into it, and what that changes.
//
// A column is {column, title, label(form), lang, text(word), guess(word), isSure(word), offered(word), wrong(word, typed),
// isNew(word, typed), set(annotation, word, typed)}. An empty text is an open cell, and `guess` the model's value for it.

import { OPEN } from "./alignment.js";
import { correct, corrects, isCorrected, seen } from "./corrections.js";
import { depsCells } from "./enhanced.js";
import { fits, noRelation } from "./legal.js";
import { _ } from "./messages.js";
import { miscCells } from "./misc.js";
import { correctionCells } from "./morphology.js";
import { notOf } from "./palette.js";
import { guess } from "./words.js";

/** Return the columns that the data has. `hung` and `named` change the head and the relation of a word. */
export const columnsOf = (session, edits) => [...tagCells(session), ...correctionCells(session), headCells(session, edits), relationCells(session, edits), ...depsCells(session), miscCells(session)];

function tagCells(session) {
  if (!corrects(session, "upos")) return [];
  const { tags } = session.data;
  const meant = (typed) => tags.find(({ name }) => name === typed.toUpperCase())?.name ?? typed;
  const tag = seen(session, "upos");
  return [{
    column: "upos", title: "UPOS", label: (word) => _("tag of {word}", { word }),
    text: (word) => tag[word].replace(/^_$/, ""), isSure: (word) => isCorrected(session, "upos", word),
    offered: () => tags.map(({ name }) => name),
    wrong: (_word, typed) => notOf(tags, "tag")(meant(typed)),
    set: (annotation, word, typed) => correct(session, annotation, "upos", word, meant(typed)),
  }];
}

function headCells(session, { hung }) {
  const { heads } = session.annotation;
  const number = (head) => (head === undefined || head < 0 ? "" : String(head));
  const last = heads.length;
  const wrong = (word, typed) => {
    if (Number(typed) === word + 1) return _("a word cannot be its own head");
    return typed === "" || (/^\d+$/.test(typed) && Number(typed) <= last) ? "" : _("type the number of the head, or 0 for the root");
  };
  return {
    column: "heads", title: _("head"), label: (word) => _("head of {word}", { word }), wrong,
    text: (word) => number(heads[word]), isSure: (word) => heads[word] >= 0,
    guess: (word) => number(guess(session)?.annotation.heads[word]),
    set: (annotation, word, typed) => hung(annotation, word, typed === "" ? -1 : Number(typed)),
  };
}

function relationCells(session, { named }) {
  const { heads, deprels } = session.annotation;
  const suggested = (word) => {
    const { heads: ofModel = [], deprels: names = [] } = guess(session)?.annotation ?? {};
    const name = names[word] ?? OPEN;
    return fits(heads[word] < 0 ? ofModel[word] : heads[word], name) ? name : "";
  };
  return {
    column: "deprels", title: _("relation"), label: (word) => _("relation of {word}", { word }),
    text: (word) => deprels[word].replace(/^_$/, ""), isSure: (word) => deprels[word] !== OPEN, guess: suggested,
    offered: () => session.data.labels.map(({ name }) => name),
    wrong: (_word, typed) => (typed ? noRelation(session, typed) : ""),
    set: (annotation, word, typed) => named(annotation, word, typed || OPEN),
  };
}

