// Elements, their texts, and values as JSON.

/** Build an element; strings become text nodes, `on*` properties listeners. */
export function h(tag, attributes = {}, ...children) {
  const svg = ["svg", "path", "g", "text", "rect"].includes(tag);
  const node = svg ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true && !name.startsWith("aria-") ? "" : value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}

/** Set the text of a node; an equal text is not set again, so that screen readers do not repeat it. */
export function told(node, ...children) {
  const text = children.map((child) => child.textContent ?? child).join("");
  if (node.textContent !== text) node.replaceChildren(...children);
}

const TURNED = "[\\u0590-\\u08ff\\ufb1d-\\ufdff\\ufe70-\\ufefc]"; // a letter of a right-to-left script
const QUOTED = ["“”", "„“", "«»", "「」", "''", '""'].map(([open, close]) => `(?<=${open})(?=\\S)[^${close}]*${TURNED}[^${close}]*(?=${close})`);

/** Return a message with quotations in right-to-left scripts isolated, so that the order of the other words is unchanged. */
export function isolated(message) {
  return message.split(new RegExp(`(${QUOTED.join("|")})`)).map((part, place) => (place % 2 ? h("bdi", {}, part) : part));
}

export const copy = (value) => JSON.parse(JSON.stringify(value));
const sorted = (_key, value) => (value?.constructor === Object ? Object.fromEntries(Object.entries(value).sort()) : value);
export const same = (a, b) => JSON.stringify(a, sorted) === JSON.stringify(b, sorted);
