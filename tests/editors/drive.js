// Presses keys in editors, then annotates what is left: `node drive.js CASES RESULTS`, both files of JSON.

import { readFileSync, writeFileSync } from "node:fs";
import { mock } from "node:test";
import { Page, Server } from "./harness.js";

/** Return what an editor would save: null where nothing was changed. */
function drive({ data, moves, heads, relations }) {
  const page = new Page(new Server([{ ...data, language: "en" }]), true);
  const type = (key, text) => {
    page.press(key);
    if (page.find(".asking input")) page.fill(text).press("Enter");
    if (page.find(".asking input")) page.press("Escape"); // it was not taken
  };
  for (const [key, text] of moves) {
    if (text === null) page.press(key);
    else type(key, text);
  }
  const words = page.all("[data-word]").length;
  page.press("Escape");
  for (let word = 0; word < words; word += 1) {
    page.press("Home", ...Array(word).fill("ArrowRight"));
    if (data.editor === "tags") page.press("n");
    if (data.editor === "spans") page.press("o"); // no more entities
    if (data.editor !== "tree") continue;
    const head = word ? 1 + (heads[word % heads.length] % word) : 0;
    page.press(...(head ? ["Enter", ...String(head), "Enter"] : ["0"]));
    const relation = relations[word % relations.length];
    if (word && relation) type("l", relation);
    else page.press(" ");
  }
  page.press("Ctrl+Enter");
  const draft = localStorage.getItem(`fewshot ${data.scope} ${data.item}`);
  page.close();
  localStorage.clear();
  return JSON.parse(draft);
}

mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"] });
const [cases, results] = process.argv.slice(2);
writeFileSync(results, JSON.stringify(JSON.parse(readFileSync(cases, "utf-8")).map(drive)));
process.exit();
