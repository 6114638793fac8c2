// The editors by the name that a task gives, as a Streamlit component.

import { ANSWERS } from "./answers.js";
import { CHOICE } from "./choice.js";
import { learn } from "./messages.js";
import { mount } from "./runtime.js";
import { SPANS } from "./spans.js";
import { TAGS } from "./tags.js";
import { TREE } from "./tree.js";

const EDITORS = { tags: TAGS, tree: TREE, spans: SPANS, choice: CHOICE, answers: ANSWERS };

export default async function (component) {
  await learn(component.data.language);
  return mount(component, EDITORS[component.data.editor]);
}
