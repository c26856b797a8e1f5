// What counts as a quotation of a text, and that whatever a text holds is found in it.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { createQuotationFinder } from "../../../src/models/extraction/evidence.ts";

function quote(text: string, quotation: string): string | null {
  const found = createQuotationFinder(text)(quotation);
  return found === null ? null : text.slice(found.start, found.end);
}

describe("the text's own words are found", () => {
  test.each<[string, string, string, string]>([
    ["as they stand", "Hi. I like tea. Bye.", "I like tea.", "I like tea."],
    ["in other case", "STRASSE und Maße", "straße und masse", "STRASSE und Maße"],
    ["with other white space", "I\u00a0 like\r\n\ttea.", "I like tea", "I\u00a0 like\r\n\ttea"],
    [
      "with other quotation marks",
      "She said “don’t wait”.",
      'she said "don\'t wait"',
      "She said “don’t wait",
    ],
    ["within quotation marks", "I like tea.", '"I like tea."', "I like tea."],
    ["with other dashes", "9–17 o’clock — daily", "9-17 o'clock - daily", "9–17 o’clock — daily"],
    ["composed or not", "Cafe\u0301 in Que\u0301bec", "Café in Québec", "Cafe\u0301 in Que\u0301bec"],
    ["with marks in another order", "a\u0323\u0302 and more", "ậ and more", "a\u0323\u0302 and more"],
    ["in compatible forms", "ﬁx ① thing…", "fix 1 thing...", "ﬁx ① thing…"],
    ["in full width", "ＡＢＣ ｄｅｆ", "abc def", "ＡＢＣ ｄｅｆ"],
    [
      "with invisible characters",
      "soft\u00adware is\u200b fine",
      "software is fine",
      "soft\u00adware is\u200b fine",
    ],
    ["in scripts without spaces", "你好。我住在罗马。", "我住在罗马", "我住在罗马"],
    ["from right to left", "שלום. אני גר ברומא.", "אני גר ברומא", "אני גר ברומא"],
    ["in jamo", "나는 로마에 산다".normalize("NFD"), "나는 로마에 산다", "나는 로마에 산다".normalize("NFD")],
  ])("%s", (_, text, quotation, passage) => {
    expect(quote(text, quotation)).toBe(passage);
  });
});

test("a text that is short itself is quoted as a whole", () => {
  expect(quote("Vegan.", "vegan")).toBe("Vegan");
  expect(quote("我是", "我是")).toBe("我是");
  expect(quote("Vegan since May.", "vegan")).toBeNull();
  expect(quote("...", "...")).toBeNull();
});

test("of several places, one with whole words counts", () => {
  expect(quote("I live in Romeville. I live in Rome.", "i live in rome")).toBe("I live in Rome");
});

describe("other words are not", () => {
  test.each<[string, string, string]>([
    ["with a word less", "I do not like tea.", "I like tea."],
    ["with a word more", "I like tea.", "I like green tea."],
    ["translated", "Ich mag Tee.", "I like tea."],
    ["of two sentences", "I like tea. It rains. I am Ann.", "I like tea. I am Ann."],
    ["too short", "I am a man.", "a man"],
    ["of one word", "Programming is fun.", "Programming"],
    ["of marks only", "--- *** ---", "--- ***"],
    ["of nothing", "I like tea.", " "],
    ["of two ideographs", "我是学生。", "我是"],
    ["that ends within a word", "I live in Romeville.", "I live in Rome"],
    ["that begins within a word", "I unlike tea a lot.", "like tea a lot"],
    ["that ends within a number", "Close ticket 8812 now.", "Close ticket 881"],
    ["that ends within a decimal", "It costs about 3.14 euro.", "It costs about 3"],
    ["that begins within a time", "We meet at 10:30 today.", "30 today"],
    ["without the mark of its last letter", "We like the cafe\u0301 here.", "like the cafe"],
  ])("%s", (_, text, quotation) => {
    expect(quote(text, quotation)).toBeNull();
  });
});

test("any part of a text that contains two real words is found, and what is found is the same text", () => {
  const part = fc.string({ unit: "grapheme", maxLength: 20 });
  fc.assert(
    fc.property(part, part, part, (before, within, after) => {
      const part = `wordless ${within} evidence`;
      const passage = quote(`${before} ${part} ${after}`, part);
      expect(passage).not.toBeNull();
      expect(quote(part, passage ?? "")).not.toBeNull();
    }),
  );
});
