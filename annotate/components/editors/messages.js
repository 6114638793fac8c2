// Messages in the language of whoever reads them: those of the app's catalogue, which the browser fetches once.
//
// What stands in `_("...")` is the English text and the key of its translation; `pybabel extract` finds it there, so it is
// one string in double quotes, outside of templates and not while modules are loaded, when no language is known yet.

const ENGLISH = "en";
let known = { language: ENGLISH, texts: {} };

/** Use a language from now on; where its catalogue does not come, English stays until the next call. */
export async function learn(language) {
  if (language === known.language) return;
  try {
    const texts = language === ENGLISH ? {} : await (await fetch(new URL(`messages/${language}.json`, import.meta.url))).json();
    known = { language, texts };
  } catch {
    known = { language: ENGLISH, texts: {} };
  }
}

/** The pieces of a text, every second of which is the name of a placeholder. */
const pieces = (text) => text.split(/\{(\w+)\}/);

/** A message with values in place of its `{placeholders}`. */
export function _(message, values = {}) {
  return pieces(known.texts[message] ?? message).map((piece, place) => (place % 2 ? (values[piece] ?? `{${piece}}`) : piece)).join("");
}

/** A translated text as a list, with nodes in place of placeholders. */
export const woven = (text, nodes) => pieces(text).map((piece, place) => (place % 2 ? nodes[piece] : piece));

/** A text between the quotation marks of the language. */
export const quote = (text) => _("“{text}”", { text });

/** Some things, the last behind an "and". */
export const listed = (things) => things.reduce((first, next) => _("{first} and {next}", { first, next }));
