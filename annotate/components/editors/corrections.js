// Tags, lemmas, XPOS and features of the words of a tree: those of the file or of another task, and their corrections.
//
// `data.corrects` names the columns that people see and may correct. An annotation has such a column if something was
// corrected: for each word the value, or null if it is as in the example.

import { blocks, links, OPEN, tokenization } from "./alignment.js";
import { compared, wholeOf } from "./words.js";

export const corrects = (session, column) => session.data.corrects?.includes(column) ?? false;

/** Return a column of the example on the current words, open for words that were split or merged. */
function ofExample(session, column) {
  const example = wholeOf(session);
  const [from] = compared(session, example.words, () => links(blocks(tokenization(session), example)));
  return from.map((word) => example[column][word] ?? OPEN);
}

/** Return a column as it is seen. */
export function seen(session, column) {
  const own = session.annotation[column] ?? [];
  return ofExample(session, column).map((value, word) => own[word] ?? value);
}

/** Return whether the value of a word was corrected. */
export const isCorrected = ({ annotation }, column, word) => (annotation[column]?.[word] ?? null) !== null;

/** Return the annotation with the value of a word. */
export function correct(session, annotation, column, word, value) {
  const before = annotation[column] ?? annotation.words.map(() => null);
  const isOfExample = value === ofExample({ ...session, annotation }, column)[word]; // then no correction, unless another task made one of the same value
  const after = before.with(word, isOfExample && value !== before[word] ? null : value);
  const { [column]: _before, ...others } = annotation;
  return after.some((own) => own !== null) ? { ...others, [column]: after } : others;
}
