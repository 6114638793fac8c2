// Dependency trees: choose a dependent, then its head; then the relation.
//
// Keys are those of ConlluEditor. Enter takes the word as dependent, arrows or the head's number lead to the head, and
// Enter attaches; Enter twice on one word makes it the root. A letter sets the relation, `l` asks for one by its prefix.

import { h } from "./dom.js";
import { composing } from "./keyboard.js";
import { crossing, cycle, picture } from "./arcs.js";
import { proposals, sameWords } from "./versions.js";
import { ask, few, forms, moves, OPEN, repairs, splitter, wordsOf } from "./words.js";

export const TREE = {
  start: ({ example }) => ({ heads: example.words.map(() => -1), deprels: example.words.map(() => OPEN) }),
  place: () => ({ word: 0, dependent: null, digits: "" }),

  accept: (annotation, { suggestion }) => {
    const words = annotation.heads.keys();
    return [...words].reduce((made, word) => confirmed(made, suggestion, word), annotation);
  },

  spoken: (session) => spoken(session),

  problems: (session) => [...unfinished(session), ...illegal(session)],

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
  const { annotation, data } = session;
  const guess = data.suggestion && !annotation.words ? data.suggestion : null;
  const attached = annotation.heads[word] >= 0;
  if (!attached && !guess) return null;
  const { heads, deprels } = attached ? annotation : guess.annotation;
  const label = attached && deprels[word] === OPEN ? proposals(session, "deprels", word).join(" | ") || "?" : deprels[word];
  const sure = attached ? "" : ` ${Math.round(100 * guess.confidence[word])}`;
  return { word, head: heads[word] - 1, label: label + sure, kind: attached ? "sure" : "guess" };
}

/** The arcs of a word: its own; in a review where it has none, that of each version, with the key that takes it. */
function arcsOf(session, word) {
  const own = arcOf(session, word);
  const { annotation, data } = session;
  if (own || !data.versions) return own ? [own] : [];
  return data.versions.flatMap(({ annotation: { heads, deprels, ...named } }, which) =>
    sameWords(annotation, named) ? [{ word, head: heads[word] - 1, label: `${"[]"[which]} ${deprels[word]}`, kind: "version" }] : [],
  );
}

function tree(session) {
  const { annotation, data, place } = session;
  const words = wordsOf(session);
  const cyclic = new Set(cycle(annotation.heads));
  const odd = new Set(crossing(annotation.heads));
  const arcs = words.flatMap((_, word) => arcsOf(session, word));
  for (const arc of arcs) if (cyclic.has(arc.word) || odd.has(arc.word)) arc.kind = cyclic.has(arc.word) ? "wrong" : "odd";
  return picture({
    words, arcs, here: place.word, chosen: place.dependent, numbers: place.dependent !== null, rtl: data.dir === "rtl",
    tags: words.map((_, word) => (annotation.words ? "" : (data.example.upos?.[word] ?? "").replace(OPEN, ""))),
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

/** Attach a word; on itself it becomes the root. A relation that is still right stays, as does the model's. */
function attach(session, dependent, head) {
  const root = dependent === head;
  session.change((annotation) => {
    const guess = annotation.words ? null : session.data.suggestion?.annotation;
    const now = annotation.deprels[dependent];
    const known = now !== OPEN ? now : guess && !root ? guess.deprels[dependent] : OPEN;
    annotation.heads[dependent] = root ? 0 : head + 1;
    annotation.deprels[dependent] = root ? "root" : known === "root" ? OPEN : known;
    return annotation;
  }, { word: dependent, dependent: null, digits: "" });
}

/** While a head is chosen, digits lead to the word of that number. */
function numbers(session) {
  const last = wordsOf(session).length;
  return [..."0123456789"].map((digit) => ({
    key: digit,
    run: () => {
      const both = Number(session.place.digits + digit);
      const digits = both <= last ? String(both) : digit;
      go(session, { digits, word: Math.max(0, Number(digits) - 1) });
    },
  }));
}

/** The model's likeliest heads of the dependent, or of the word under the cursor while there is none. */
function likely(session) {
  const { annotation, data, place } = session;
  const word = place.dependent ?? place.word;
  const ranked = annotation.words ? [] : data.suggestion?.heads_ranked?.[word] ?? [];
  return ranked.slice(0, 3).map(([head, sure]) => ({
    name: head ? wordsOf(session)[head - 1] : "root",
    sure: Math.round(100 * sure),
    take: () => attach(session, word, head ? head - 1 : word),
  }));
}

/** While no head is chosen, 1 to 3 take the model's likeliest heads. */
function hints(session) {
  return likely(session).map(({ take }, place) => ({ key: String(place + 1), run: take }));
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

function confirmed(annotation, suggestion, word) {
  if (annotation.words || annotation.heads[word] >= 0) return annotation;
  const { heads, deprels } = suggestion.annotation;
  annotation.heads[word] = heads[word];
  annotation.deprels[word] = deprels[word];
  return annotation;
}

function confirmNext(session) {
  const { place, data } = session;
  const next = { word: Math.min(place.word + 1, wordsOf(session).length - 1) };
  if (!data.suggestion) return go(session, next);
  session.change((annotation) => confirmed(annotation, data.suggestion, place.word), next);
}

function relate(session, word, name) {
  session.change((annotation) => {
    if (annotation.heads[word] < 0) confirmed(annotation, session.data.suggestion ?? { annotation }, word);
    annotation.deprels[word] = name;
    return annotation;
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
  const ranked = (session.data.suggestion?.deprels_ranked?.[word] ?? []).map(([name]) => name);
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
  const fit = () => labels.filter(({ name }) => name.startsWith(field.value.trim().toLowerCase()));
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
  const field = h("input", {
    "aria-label": `relation of ${wordsOf(session)[word]}`, placeholder: "relation", oninput: fill,
    onkeydown: (event) => {
      event.stopPropagation();
      if (composing(event) || !["Enter", "Escape"].includes(event.key)) return;
      event.preventDefault();
      const typed = field.value.trim();
      const found = fit()[0]?.name ?? (typed.includes(":") ? typed : null); // a subtype is typed whole
      if (event.key === "Enter" && found) take(found);
      else leave();
    },
  });
  fill();
  return h("div", { class: "asking" }, field, list);
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
    found.push({ level: "error", word: 0, message: "no word is the root; press Enter twice on it" });
  for (const word of crossing(heads))
    if (!around.length) found.push({ level: "warning", word, message: `the arc to ${named(word)} crosses others; check that this is meant` });
  return found;
}

/** The head that a field of the table says: a whole number, -1 for none. */
function headOf(text, most) {
  return text === "" ? -1 : Math.max(-1, Math.min(Math.trunc(Number(text)), most));
}

/** The tree as a table, for narrow screens and screen readers. */
function rows(session) {
  const { annotation, data, place } = session;
  const set = (word, column, value) => session.change((made) => ({ ...made, [column]: made[column].with(word, value) }), { word });
  const names = [OPEN, ...data.labels.map(({ name }) => name)];
  const tags = (data.example.upos ?? []).map((tag) => tag.replace(OPEN, ""));
  const tagged = tags.some(Boolean);
  const line = (form, word) => {
    const now = annotation.deprels[word];
    const head = h("input", {
      type: "number", min: -1, max: annotation.heads.length, value: annotation.heads[word] < 0 ? "" : annotation.heads[word],
      "aria-label": `head of ${form}`,
      onchange: (event) => set(word, "heads", headOf(event.target.value, annotation.heads.length)),
    });
    const options = [...new Set([...names, now])].map((name) => h("option", { value: name, selected: name === now }, name));
    const relation = h("select", { "aria-label": `relation of ${form}`, onchange: (event) => set(word, "deprels", event.target.value) }, options);
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
