// Review: where `data.versions` holds what two people made of the item, [ and ] take the one's or the other's version of
// the unit at the cursor (a word, a question, or the label), and the cursor goes on to the next unit that is open.

/** The keys that take one person's version of the unit at the cursor; each says what that is. */
function versionKeys(session) {
  const take = (version) => {
    session.change((annotation) => taken(annotation, version, session.place));
    Object.assign(session.place, openUnit(session));
    session.draw();
  };
  return (session.data.versions ?? []).map(({ name, annotation }, which) => ({
    key: "[]"[which],
    label: [name, said(annotation, session)].filter(Boolean).join(": "),
    run: () => take(annotation),
  }));
}

const COLUMNS = ["upos", "heads", "deprels", "entities"];
const sameWords = (one, other) => same([one.words, one.ranges], [other.words, other.ranges]);

/** The annotation with a version's unit in it; all of the version where it is about other words. */
function taken(annotation, version, { word, question }) {
  if (!sameWords(annotation, version)) return copy(version);
  for (const column of COLUMNS) if (version[column]) annotation[column][word] = version[column][word];
  if ("label" in version) annotation.label = version.label;
  if (version.answers && question !== undefined) {
    if (question in version.answers) annotation.answers[question] = copy(version.answers[question]);
    else delete annotation.answers[question];
  }
  return annotation;
}

/** What a version says of the unit at the cursor. */
function said(version, { annotation, place, data }) {
  if (!sameWords(annotation, version)) return "other words";
  if (version.answers) return version.answers[place.question]?.map(({ text }) => text).join(" | ");
  if ("label" in version) return version.label;
  const words = annotation.words ?? data.example.words;
  const values = COLUMNS.filter((column) => version[column]).map((column) => [column, version[column][place.word]]);
  return values.map(([column, value]) => (column === "heads" ? words[value - 1] ?? "root" : value)).join(" ← ");
}

/** The place of the next unit that nobody has annotated, from the cursor on and round; nothing where all are. */
function openUnit({ annotation, place, data }) {
  const columns = COLUMNS.map((column) => annotation[column]).filter(Boolean);
  const questions = (data.example.paragraphs ?? []).flatMap((paragraph) => paragraph.questions.map(({ id }) => id));
  const units = annotation.answers ? questions : [...(columns[0] ?? []).keys()];
  const here = Math.max(0, units.indexOf(annotation.answers ? place.question : place.word));
  const isOpen = (unit) =>
    annotation.answers ? !(unit in annotation.answers) : columns.some((column) => ["_", -1].includes(column[unit]));
  const next = [...units.slice(here), ...units.slice(0, here)].find(isOpen);
  if (next === undefined) return {};
  return annotation.answers ? { question: next } : { word: next, from: next };
}
