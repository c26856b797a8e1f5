// What holds for the rules of extraction whatever the text is: nothing is invented, nothing breaks a promise of the type.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { plain } from "../../../src/memory/extraction/extraction-source.ts";
import { builtInDetails, extractBuiltIn } from "../../../src/models/extraction/built-in.ts";
import { contentMaxCharacters } from "../../../src/platform/limits.ts";
import { onOneLine } from "../../../src/platform/text/one-line.ts";
import { loadAnnotated } from "./score.ts";

const now = Date.parse("2026-11-21T12:00:00Z");
const parts = loadAnnotated("seen").flatMap(({ text }) => text.split(/(?<=[\n.])/));
const marks = [
  ..."\n|\n\n|> |>>> |- |1. |```\n|~~~|# |## Ideas\n|**|_|[|](|)|`|: |Ann: |<ann> |[2026-01-05 09:00] |--\n|\u200b|\u202e|\ud800".split(
    "|",
  ),
  ...[
    "On Mon, Bo wrote:\n",
    "From: a@b.example\n",
    "Cheers,\n",
    "until Friday ",
    "I ",
    "my ",
    "must ",
    "我",
    "أنا ",
    "🎉",
    "\u2028",
  ],
];
const text = fc
  .array(
    fc.oneof(
      fc.constantFrom(...parts),
      fc.constantFrom(...marks),
      fc.string({ unit: "binary", maxLength: 30 }),
    ),
    {
      maxLength: 40,
    },
  )
  .map((pieces) => pieces.join(""));

test.each(builtInDetails)(
  "every item is a part of the text, and keeps the promises of its type: %s",
  (detail) => {
    fc.assert(
      fc.property(text, (given) => {
        let end = 0;
        for (const item of extractBuiltIn(plain(given, detail), now)) {
          const { content, evidence, importance, expiresAt, type } = item;
          const start = given.indexOf(evidence, end);
          expect(start).toBeGreaterThanOrEqual(end);
          end = start + evidence.length;
          expect(onOneLine(content)).toBe(onOneLine(evidence));
          expect(content.trim()).not.toBe("");
          expect(content.length).toBeLessThanOrEqual(contentMaxCharacters);
          expect(importance).toBeGreaterThan(0);
          expect(importance).toBeLessThanOrEqual(1);
          expect(["rule", "fact", "context"]).toContain(type);
          expect(expiresAt === null || expiresAt > now).toBe(true);
          expect(type === "context").toBe(expiresAt !== null || item.passage === true);
        }
      }),
      { numRuns: 300 },
    );
  },
);

test("the same text gives the same items, and one that follows another paragraph is found as if alone", () => {
  const sentences = ["We use Bun 1.4.", "Secrets must never be committed.", "The API listens on port 8080."];
  fc.assert(
    fc.property(fc.shuffledSubarray(sentences), (chosen) => {
      const found = extractBuiltIn(plain(chosen.join("\n\n")), now).map(({ evidence }) => evidence);
      expect(found).toEqual(chosen);
    }),
  );
});
