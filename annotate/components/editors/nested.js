// Entities and the IOB2 tags of words. Words of nested entities have a tag of each layer, outermost first and joined by bars:
// `I-ORG|B-LOC` begins a location inside an organisation. An entity is in the same layer at all of its words.

const BAR = /\|(?=[BI]-)/;
const LAYER = /(^|\|)[BI]-/g;

/** Return the entities of tags as {from, to, type}, outer ones before those inside them; an open word ends all entities. */
export function spansOf(tags) {
  const found = [];
  let before = [];
  tags.forEach((tag, word) => {
    const here = [];
    for (const [depth, layer] of tag.split(BAR).entries()) {
      const [prefix, type] = [layer.slice(0, 1), layer.slice(2)];
      const around = here.every((span, place) => span === before[place]);
      if (prefix === "I" && around && before[depth]?.type === type) here[depth] = Object.assign(before[depth], { to: word });
      else if (prefix === "B" && type) found.push((here[depth] = { from: word, to: word, type }));
      else break;
    }
    before = here;
  });
  return found;
}

/** Return the tags of entities that do not cross; words without one keep their tag. Of two on the same words the first is the outer one. */
export function tagsOf(spans, tags) {
  const made = tags.map(() => []);
  for (const { from, to, type } of [...spans].sort((one, other) => one.from - other.from || other.to - one.to))
    for (let word = from; word <= to; word += 1) made[word].push(`${word === from ? "B" : "I"}-${type}`);
  return tags.map((tag, word) => made[word].join("|") || tag);
}

/** Return whether an entity is on words of another one. */
export const overlap = (one, other) => one.from <= other.to && one.to >= other.from;

/** Return whether all words of an entity are words of another one. */
export const inside = (one, other) => other.from <= one.from && one.to <= other.to;

/** Return the entities that are inside another one or around one. */
export const nestedOf = (spans) => spans.filter((span) => spans.some((other) => other !== span && overlap(span, other)));

/** Return the tag of a word at which all of its entities begin. */
export const begun = (tag) => tag.replace(LAYER, "$1B-");

/** Return the tag of a word at which all of its entities continue. */
export const continued = (tag) => tag.replace(LAYER, "$1I-");

/** Return the tags of the words of a sentence after the word `at` was merged with the next one, which had the tags `pair`; in each layer the first entity has it, and the rest of the other begins anew. */
export function merged(tags, pair, at) {
  const layers = (tag) => tag.split(BAR);
  const parts = pair.map(layers);
  const depths = [...Array(Math.max(...parts.map(({ length }) => length))).keys()];
  const first = depths.map((depth) => parts.map((part) => part[depth]).find((layer) => layer?.length > 1) ?? parts[0][depth]);
  const made = tags.with(at, first.join("|"));
  for (let word = at; word < made.length; word += 1) {
    const before = layers(made[word - 1] ?? "O");
    let starts = false;
    made[word] = layers(made[word]).map((layer, depth) => {
      starts ||= layer.startsWith("B-") || (layer.startsWith("I-") && before[depth]?.slice(2) !== layer.slice(2));
      return starts ? begun(layer) : layer;
    }).join("|");
  }
  return made;
}
