// What counts as a sentence: examples of every kind of text, and what must hold for any text at all.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { splitSentences } from "../../../src/models/extraction/sentences.ts";

const texts = (text: string) => splitSentences(text).map((sentence) => sentence.text);

describe("splits", () => {
  test.each<[string, string, string[]]>([
    ["at full stops", "We use Bun. It is fast! Is it?", ["We use Bun.", "It is fast!", "Is it?"]],
    ["chats without capitals", "i like tea. we use bun", ["i like tea.", "we use bun"]],
    ["at line breaks", "- use Bun\n- no Node\r\n\r\nDone", ["- use Bun", "- no Node", "Done"]],
    ["Chinese and Japanese", "今日は会議です。明日も会議です！", ["今日は会議です。", "明日も会議です！"]],
    ["Arabic", "هذا نص. وهذا آخر؟ نعم.", ["هذا نص.", "وهذا آخر؟", "نعم."]],
  ])("%s", (_, text, expected) => {
    expect(texts(text)).toEqual(expected);
  });
});

describe("does not split", () => {
  test.each([
    ["versions and file names", "We run Node.js 20.1 and tools/build.ts everywhere."],
    ["titles and initials", "Dr. Smith and J. R. Tolkien met Mr. Brown."],
    ["abbreviations", "Use a cache, e.g. Redis, approx. five of them."],
    ["German abbreviations and dates", "Der Server, z. B. Nginx, geht am 3. Oktober bzw. Nr. 4 online."],
    ["numbered items", "1. Always rebase."],
    [
      "lines that an editor wrapped",
      "Deployments go through the pipeline of the platform team and are\nnever done from a laptop.",
    ],
  ])("%s", (_, text) => {
    expect(texts(text)).toEqual([text]);
  });
});

test("of any text, every sentence stands where it says, in order, and nothing but white space is lost", () => {
  const piece = fc.oneof(
    fc.string({ unit: "binary", maxLength: 40 }),
    fc.constantFrom(
      ". ",
      "\n",
      "\r\n",
      "Dr. ",
      "z. B. ",
      " a. b",
      "12. ",
      "\u2028",
      "👩‍👩‍👧",
      "。",
      "- ",
      "Ann: ",
    ),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      const text = pieces.join("");
      let end = 0;
      let rest = "";
      for (const { text: sentence, start } of splitSentences(text)) {
        expect(start).toBeGreaterThanOrEqual(end);
        expect(text.slice(start, start + sentence.length)).toBe(sentence);
        expect(sentence).toBe(sentence.trim());
        rest += text.slice(end, start);
        end = start + sentence.length;
      }
      expect((rest + text.slice(end)).trim()).toBe("");
    }),
  );
});
