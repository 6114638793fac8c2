// Dependency trees: choose a dependent, then its head; then the relation.
//
// Keys are those of ConlluEditor. Enter takes the word as dependent, arrows or the head's number lead to the head, and
// Enter attaches; 0, or Enter twice on one word, makes it the root. A letter sets the relation, `l` asks for one by its
// prefix. Head and relation are confirmed each by itself: to a head that the model did not see, its relation is a guess.

import { blocks, links, moved, OPEN } from "./alignment.js";
import { crossing, cycle, picture } from "./arcs.js";
import { h } from "./dom.js";
import { composing } from "./keyboard.js";
import { proposals, versionColumns } from "./versions.js";
import { ask, compared, few, forms, guess, moves, repairs, splitter, sureness, tokenization, wordsOf } from "./words.js";

const ROOT = "root";

export const TREE = {
  start: ({ example }) => ({ heads: example.words.map(() => -1), deprels: example.words.map(() => OPEN) }),
  place: () => ({ word: 0, dependent: null, digits: "" }),

  accept: (annotation, data) => {
    const suggestion = guess({ annotation, data });
    return [...annotation.heads.keys()].reduce((made, word) => confirmed(made, suggestion, word), annotation);
  },

  spoken: (session) => spoken(session),

  problems: (session) => [...unfinished(session), ...illegal(session), ...unrelated(session)],

  keys: (session) => {
    const choosing = session.place.dependent !== null;
    const letters = session.data.labels.filter(({ key }) => key);
    return [
      ...moves(session),
      { key: "Enter", label: choosing ? "attach here" : "dependent, then head", run: () => enter(session) },
      ...(choosing ? numbers(session) : hints(session)),
      { key: "Escape", label: choosing ? "leave" : null, run: () => go(session, { dependent: null, digits: "" }) },
      { key: " ", label: "confirm, next", run: () => confirmNext(session) },
      { key: "l", label: "relation", run: () => ask(session, "label") },
      ...letters.map(({ key, name }) => ({ key, name, run: () => relate(session, session.place.word, name) })),
      { key: "Backspace", label: "clear", rare: true, run: () => clear(session) },
      { key: "t", label: "table", rare: true, run: () => table(session) },
      ...repairs(session),
    ];
  },

  draw: (session) => {
    session.tabular ??= window.innerWidth < 480;
    return h(
      "div",
      {},
      session.tabular ? rows(session) : h("div", { class: "scroll", dir: "ltr", lang: session.data.lang }, tree(session)),
      guesses(session),
      forms(session),
      splitter(session),
      relations(session),
    );
  },
};

/** The arc of a word: what a person said, else what a model guesses, else none. */
function arcOf(session, word) {
  const { heads, deprels } = session.annotation;
  const suggestion = guess(session);
  const arc = (head, label, kind) => ({ word, head: head - 1, label, kind });
  if (heads[word] >= 0 && deprels[word] !== OPEN) return arc(heads[word], deprels[word], "sure");
  const guessed = suggestion?.annotation.deprels[word] ?? OPEN;
  if (heads[word] >= 0) {
    const label = fits(heads[word], guessed) ? `${guessed}?` : proposals(session, "deprels", word).join(" | ") || "?";
    return arc(heads[word], label, "unnamed");
  }
  const head = suggestion?.annotation.heads[word] ?? -1;
  return head < 0 ? null : arc(head, `${guessed} ${sureness(suggestion, word)}`, "guess");
}

/** Whether a relation can be that to a head: the root's is `root`, no other one's is. */
const fits = (head, name) => name !== OPEN && (head === 0) === (name.split(":")[0] === ROOT);

/** The arcs of a word: its own; in a review where it has none, that of each version, with the key that takes it. */
function arcsOf(session, word) {
  const own = arcOf(session, word);
  if (own) return [own];
  return versionColumns(session).flatMap(({ heads, deprels }, which) =>
    heads[word] < 0 ? [] : [{ word, head: heads[word] - 1, label: `${"[]"[which]} ${deprels[word]}`, kind: "version" }],
  );
}

/** The tags of the words: those of another task, where the words are still the same. */
function tagsOf(session) {
  const { example } = session.data;
  const now = compared(session, example, () => moved({ upos: example.upos }, ...links(blocks(tokenization(session), example))));
  return now.upos.map((tag) => tag.replace(OPEN, ""));
}

function tree(session) {
  const { annotation, data, place } = session;
  const words = wordsOf(session);
  const cyclic = new Set(cycle(annotation.heads));
  const odd = new Set(crossing(annotation.heads));
  const arcs = words.flatMap((_, word) => arcsOf(session, word));
  for (const arc of arcs) if (cyclic.has(arc.word) || odd.has(arc.word)) arc.kind += cyclic.has(arc.word) ? " wrong" : " odd";
  return picture({
    words, arcs, here: place.word, chosen: place.dependent, numbers: place.dependent !== null, rtl: data.dir === "rtl",
    tags: tagsOf(session),
    family: getComputedStyle(session.frame).fontFamily,
    on: {
      word: (word) => click(session, word),
      label: (word) => {
        go(session, { word, dependent: null });
        ask(session, "label");
      },
      drag: (dependent, head) => attach(session, dependent, head),
    },
  });
}

function go(session, place) {
  Object.assign(session.place, place);
  session.draw();
}

function click(session, word) {
  session.frame.focus({ preventScroll: true });
  if (session.place.dependent === null) return go(session, { word, dependent: word, digits: "" });
  attach(session, session.place.dependent, word);
}

function enter(session) {
  const { word, dependent } = session.place;
  if (dependent === null) return go(session, { dependent: word, digits: "" });
  attach(session, dependent, word);
}

/** Attach a word; on itself it becomes the root. A relation that somebody gave it stays, that of a model is still to be confirmed. */
function attach(session, dependent, head) {
  const number = dependent === head ? 0 : head + 1;
  session.change((annotation) => hung(annotation, dependent, number), { word: dependent, dependent: null, digits: "" });
}

/** The annotation with the number of a word's head, -1 for none. Only the root is `root`. */
function hung(annotation, word, head) {
  const now = annotation.deprels[word];
  annotation.heads[word] = head;
  annotation.deprels[word] = head === 0 ? ROOT : now === ROOT ? OPEN : now;
  return annotation;
}

/** While a head is chosen, digits lead to the word of that number; 0 is the root. */
function numbers(session) {
  return [..."0123456789"].map((digit) => ({ key: digit, run: () => number(session, digit) }));
}

function number(session, digit) {
  const { dependent } = session.place;
  const last = wordsOf(session).length;
  if (session.place.digits + digit === "0") return attach(session, dependent, dependent);
  const digits = [session.place.digits + digit, digit].find((found) => found >= 1 && found <= last);
  if (digits) go(session, { digits, word: Number(digits) - 1 });
}

/** The model's likeliest heads of the dependent, or of the word under the cursor while there is none. */
function likely(session) {
  const { place } = session;
  const word = place.dependent ?? place.word;
  const ranked = guess(session)?.heads_ranked[word] ?? [];
  return ranked.slice(0, 3).map(([head, sure]) => ({
    name: head ? wordsOf(session)[head - 1] : "root",
    sure: Math.round(100 * sure),
    take: () => attach(session, word, head ? head - 1 : word),
  }));
}

/** While no head is chosen, 1 to 3 take the model's likeliest heads, and 0 makes the word the root. */
function hints(session) {
  const { word } = session.place;
  const heads = likely(session).map(({ take }, place) => ({ key: String(place + 1), run: take }));
  return [...heads, { key: "0", label: "root", run: () => attach(session, word, word) }];
}

/** The likeliest heads as buttons, in a row of their own: it changes with the cursor, the hints below stay in place. */
function guesses(session) {
  const heads = likely(session);
  if (!heads.length) return null;
  const { dependent, word } = session.place;
  const buttons = heads.map(({ name, sure, take }, place) =>
    h(
      "button",
      { type: "button", tabindex: "-1", class: "choice guess", onclick: take },
      dependent === null ? h("kbd", {}, session.keyOf(String(place + 1))) : null, // else it is the number of a word
      h("bdi", { lang: session.data.lang }, name),
      h("small", {}, ` ${sure}`),
    ),
  );
  const title = ["head of ", h("bdi", { lang: session.data.lang }, wordsOf(session)[dependent ?? word]), "?"];
  return h("div", { class: "palette heads", dir: "ltr" }, h("span", {}, title), buttons);
}

/** The annotation with the model's head of a word where it has none, and the model's relation where that is open. */
function confirmed(annotation, suggestion, word) {
  const { heads, deprels } = suggestion.annotation;
  if (annotation.heads[word] < 0) annotation.heads[word] = heads[word];
  if (annotation.deprels[word] === OPEN && fits(annotation.heads[word], deprels[word])) annotation.deprels[word] = deprels[word];
  return annotation;
}

function confirmNext(session) {
  const next = { word: Math.min(session.place.word + 1, wordsOf(session).length - 1) };
  const suggestion = guess(session);
  if (!suggestion) return go(session, next);
  session.change((annotation) => confirmed(annotation, suggestion, session.place.word), next);
}

/** The annotation with a word's relation; `root` makes it the root. */
function named(annotation, word, name) {
  if (name === ROOT) return hung(annotation, word, 0);
  annotation.deprels[word] = name;
  return annotation;
}

/** Give a word a relation; where it hangs on nothing yet, its head is the model's. */
function relate(session, word, name) {
  const head = guess(session)?.annotation.heads[word] ?? -1;
  session.change((annotation) => {
    if (annotation.heads[word] < 0 && fits(head, name)) annotation.heads[word] = head;
    return named(annotation, word, name);
  }, { asking: null, dependent: null });
}

function clear(session) {
  session.change((annotation) => {
    annotation.heads[session.place.word] = -1;
    annotation.deprels[session.place.word] = OPEN;
    return annotation;
  });
}

/** The field in which a relation is chosen by its prefix, the model's likeliest first. */
function relations(session) {
  if (session.place.asking !== "label") return null;
  const { word } = session.place;
  const ranked = (guess(session)?.deprels_ranked[word] ?? []).map(([name]) => name);
  const order = ({ name }) => (ranked.includes(name) ? ranked.indexOf(name) : ranked.length);
  const labels = [...session.data.labels].sort((a, b) => order(a) - order(b));
  const list = h("div", { class: "list", role: "listbox", "aria-label": "relations" });
  const leave = () => {
    session.place.asking = null;
    session.frame.focus();
    session.draw();
  };
  const take = (name) => {
    session.place.asking = null;
    session.frame.focus();
    relate(session, word, name);
  };
  const typed = () => field.value.trim().toLowerCase();
  const fit = () => {
    const all = labels.filter(({ name }) => name.toLowerCase().startsWith(typed()));
    const whole = ({ name }) => name.toLowerCase() === typed();
    return [...all.filter(whole), ...all.filter((label) => !whole(label))];
  };
  const fill = () =>
    list.replaceChildren(
      ...fit().slice(0, 8).map(({ name, definition }, place) =>
        h(
          "button",
          { type: "button", tabindex: "-1", role: "option", class: place ? "option" : "option first", onclick: () => take(name) },
          h("b", {}, name), " ", definition,
        ),
      ),
    );
  const why = h("div", { class: "why", role: "alert" });
  const field = h("input", {
    "aria-label": `relation of ${wordsOf(session)[word]}`, placeholder: "relation",
    oninput: () => {
      why.textContent = "";
      fill();
    },
    onkeydown: (event) => {
      event.stopPropagation();
      if (composing(event) || !["Enter", "Escape"].includes(event.key)) return;
      event.preventDefault();
      if (event.key === "Escape" || !typed()) return leave();
      const name = fit()[0]?.name ?? typed(); // a subtype is typed whole
      why.textContent = noRelation(session, name);
      if (!why.textContent) take(name);
    },
  });
  fill();
  return h("div", { class: "asking" }, field, list, why);
}

/** Why a name is no relation: neither one of the list, nor one with a subtype as UD writes it; nothing where it is. */
function noRelation({ data }, name) {
  const known = data.labels.map((label) => label.name);
  const [universal, ...subtype] = name.split(":");
  if (known.includes(name)) return "";
  if (!known.includes(universal)) return `“${name}” is no relation of UD; choose one of the list, or a subtype of one, as in acl:relcl`;
  if (/^[a-z]+$/.test(subtype.join(":"))) return "";
  return `“${name}” is no subtype of ${universal}; write letters a to z behind one colon, as in acl:relcl`;
}

/** Words whose relation is none, or is not that of their head. */
function unrelated(session) {
  const { heads, deprels } = session.annotation;
  return wordsOf(session).flatMap((form, word) => {
    const name = deprels[word];
    if (heads[word] < 0 || name === OPEN) return [];
    const wrong = noRelation(session, name) || (!fits(heads[word], name) && `only the root is “root”, and it is nothing else; press 0 to make this word the root, or l for another relation`);
    return wrong ? [{ level: "error", word, message: `“${form}” (${word + 1}): ${wrong}` }] : [];
  });
}

function unfinished(session) {
  const { heads, deprels } = session.annotation;
  const words = wordsOf(session);
  const open = words.flatMap((form, word) => (heads[word] < 0 || deprels[word] === OPEN ? [word] : []));
  const names = open.map((word) => `“${words[word]}”`);
  const what = heads[open[0]] < 0 ? "no head yet" : "no relation yet";
  return open.length ? [{ level: "todo", message: `${what}: ${few(names)}`, word: open[0] }] : [];
}

function illegal(session) {
  const { heads } = session.annotation;
  const words = wordsOf(session);
  const named = (word) => `“${words[word]}” (${word + 1})`;
  const roots = heads.flatMap((head, word) => (head === 0 ? [word] : []));
  const found = [];
  const around = cycle(heads);
  if (around.length)
    found.push({ level: "error", word: around[0], message: `${around.map(named).join(" → ")} hang on each other in a cycle; attach one of them to another word, or make it the root` });
  if (roots.length > 1)
    found.push({ level: "error", word: roots[1], message: `${roots.map(named).join(" and ")} are all roots; attach ${named(roots[1])} to ${named(roots[0])}, or the other way round` });
  if (!roots.length && !around.length && heads.every((head) => head >= 0))
    found.push({ level: "error", word: 0, message: "no word is the root; press 0 on it" });
  return found;
}

/** The head that a field of the table says: a whole number, -1 for none. */
function headOf(text, most) {
  return text === "" ? -1 : Math.max(-1, Math.min(Math.trunc(Number(text)), most));
}

/** The tree as a table, for narrow screens and screen readers. */
function rows(session) {
  const { annotation, data, place } = session;
  const names = [OPEN, ...data.labels.map(({ name }) => name)];
  const tags = tagsOf(session);
  const tagged = tags.some(Boolean);
  const line = (form, word) => {
    const now = annotation.deprels[word];
    const head = h("input", {
      type: "number", min: -1, max: annotation.heads.length, value: annotation.heads[word] < 0 ? "" : annotation.heads[word],
      "aria-label": `head of ${form}`,
      onchange: ({ target }) => session.change((made) => hung(made, word, headOf(target.value, made.heads.length)), { word }),
    });
    const options = [...new Set([...names, now])].map((name) => h("option", { value: name, selected: name === now }, name));
    const relation = h("select", { "aria-label": `relation of ${form}`, onchange: ({ target }) => session.change((made) => named(made, word, target.value), { word }) }, options);
    const cells = [String(word + 1), h("bdi", { lang: data.lang }, form), ...(tagged ? [tags[word] ?? ""] : []), head, relation];
    return h("tr", { "data-word": word, class: word === place.word ? "here" : "" }, cells.map((cell) => h("td", {}, cell)));
  };
  const titles = ["", "word", ...(tagged ? ["UPOS"] : []), "head", "relation"].map((title) => h("th", {}, title));
  return h("table", { class: "table" }, h("thead", {}, h("tr", {}, titles)), h("tbody", {}, wordsOf(session).map(line)));
}

function table(session) {
  session.tabular = !session.tabular;
  session.draw();
}

function spoken(session) {
  const { word, dependent } = session.place;
  const words = wordsOf(session);
  if (dependent !== null) return [words[word], `the head of ${words[dependent]}?`];
  const arc = arcOf(session, word);
  if (!arc) return [words[word], "open"];
  const state = { guess: "suggested", sure: "confirmed" }[arc.kind] ?? "relation open";
  return [words[word], `${arc.label}, head ${words[arc.head] ?? "root"}, ${state}`];
}
