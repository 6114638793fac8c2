// The editors of all tasks, in the manner of a Streamlit component.

import { CHOICE } from "./choice.js";
import { DEP } from "./dep.js";
import { POS } from "./pos.js";
import { QA } from "./qa.js";
import { mount } from "./runtime.js";
import { SPANS } from "./spans.js";

const EDITORS = { pos: POS, dep: DEP, ner: SPANS, nli: CHOICE, topic: CHOICE, qa: QA };

export default (component) => mount(component, EDITORS[component.data.task]);
