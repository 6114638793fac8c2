// Words that are split, merged and written as one: the cases that tests/corpora/tokenization/test_repair.py reads too.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { copy } from "./harness.js"; // before what needs a document
import { repairs, split } from "../../annotate/components/editors/words.js";

const CASES = JSON.parse(readFileSync(new URL("../repairs.json", import.meta.url), "utf-8"));

test("an editor keeps of an annotation what the library keeps", () => {
  for (const { name, text, before, do: [key, at, parts], after } of CASES) {
    const { words, ranges } = before;
    const session = {
      data: { example: { text, words, ranges, ends: [] }, following: [] },
      annotation: copy(before),
      place: { word: at },
      keyOf: (own) => own,
      refuse: assert.fail,
      change: (edit) => (session.annotation = edit(session.annotation)),
    };
    if (key === "split") session.change((annotation) => split(session, annotation, at, parts));
    else repairs(session).find((command) => command.key === key).run();
    assert.deepEqual(session.annotation, after, name);
  }
});
