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

/**
 * Return the tags of the words of a sentence after the word `at` was merged with the next one. Whole entities move, as in
 * `fewshot.corpora.iob.moved`: the merged word belongs to the first entity there, to those around it and inside it; an
 * entity apart from these begins at the next word, and one without words, or equal to another one, is gone.
 */
export function merged(tags, at) {
  const kept = [];
  for (const old of spansOf(tags)) {
    const apart = kept.some((other) => other.old.to === at && old.from === at + 1);
    const [from, to] = [old.from, old.to].map((word) => (word > at ? word - 1 : word));
    const made = { old, from: apart ? from + 1 : from, to, type: old.type };
    const repeated = kept.some((other) => ["from", "to", "type"].every((name) => other[name] === made[name]));
    if (made.from <= made.to && !repeated) kept.push(made);
  }
  return tagsOf(kept, tags.toSpliced(at, 2, tags[at]));
}
