// Elements, what they say, and values as JSON.

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

/** Let a node say something else; where it says that already it stays, so that nobody hears it twice. */
export function told(node, ...children) {
  const text = children.map((child) => child.textContent ?? child).join("");
  if (node.textContent !== text) node.replaceChildren(...children);
}

const TURNED = "[\\u0590-\\u08ff\\ufb1d-\\ufdff\\ufe70-\\ufefc]"; // a letter of a script from right to left
const QUOTED = ["“”", "„“", "«»", "「」", "''", '""'].map(([open, close]) => `(?<=${open})(?=\\S)[^${close}]*${TURNED}[^${close}]*(?=${close})`);

/** A message with what it quotes from a script from right to left isolated, so that this turns nothing around it. */
export function isolated(message) {
  return message.split(new RegExp(`(${QUOTED.join("|")})`)).map((part, place) => (place % 2 ? h("bdi", {}, part) : part));
}

export const copy = (value) => JSON.parse(JSON.stringify(value));
const sorted = (_key, value) => (value?.constructor === Object ? Object.fromEntries(Object.entries(value).sort()) : value);
export const same = (a, b) => JSON.stringify(a, sorted) === JSON.stringify(b, sorted);
