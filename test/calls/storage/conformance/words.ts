// What every engine promises about words: any text can be stored and asked for, other projects change nothing, and a word is found in
// the ways in which people write it.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type Member, unitVector } from "../seam.ts";
import { type EngineUnderTest, has, withNewSeam, withSeam } from "./engine-under-test.ts";

const far = unitVector(1_000);
const search = (member: Member, words: string) => member.search({ vector: far, words, topK: 50 });

/** What the words of the query find, best first. */
async function found(member: Member, words: string): Promise<string[]> {
  const hits = await search(member, words);
  return hits.filter(({ keyword }) => keyword > 0).map(({ memory }) => memory.content);
}

/** Syntax of full-text queries and of SQL, scripts without spaces, marks without letters, letters outside the basic plane, and anything else. */
const anyText = fc
  .array(
    fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 12 }),
      fc.string({ unit: "binary", maxLength: 12 }),
      fc.constantFrom(
        '"',
        "'",
        "*",
        "^",
        "-",
        "(",
        ")",
        "{",
        "}",
        ":",
        "+",
        ",",
        ";",
        "--",
        "/*",
        "\\",
        "%",
        "_",
      ),
      fc.constantFrom("AND", "OR", "NOT", "NEAR", "NEAR(a b, 3)", "words:", "- words : x", '"a"*', "rowid:1"),
      fc.constantFrom(
        "東京タワー",
        "สวัสดีครับ",
        "회의는",
        "ﷺ",
        "ﬁ",
        "İ",
        "ß",
        "e\u0301",
        "\u0301",
        "𝔘𝔫𝔦",
        "𞤀𞤣",
        "क्ष",
        "١٢٣",
      ),
    ),
    { maxLength: 10 },
  )
  .map((parts) => parts.join(" ").replaceAll("\0", " ").toWellFormed());

type Found = readonly [what: string, content: string, query: string];

const findings: readonly Found[] = [
  ["an identifier by its parts", "The log says ERR_4711 again.", "err 4711"],
  ["accents and case left out", "Café in ZÜRICH", "cafe zurich"],
  ["accents added", "Cafe in Zurich", "café Zürich"],
  ["full-width letters and ligatures", "Ｏｆﬁｃｅ", "office"],
  ["a Chinese word inside a sentence", "我们周二发布新版本。", "发布"],
  ["a single Chinese character", "黒い猫が好き", "猫"],
  ["a Japanese word", "明日は東京タワーに行きます", "タワー"],
  ["a Thai word", "ประชุมวันอังคาร", "อังคาร"],
  ["a Korean word with its particle", "회의는 화요일이다", "회의"],
  ["Greek with another final sigma", "ΟΔΥΣΣΕΥΣ", "οδυσσευς"],
  ["a word longer than any index keeps", `id ${"x".repeat(5_000)}`, "x".repeat(5_000)],
];
const wordForms: readonly Found[] = [
  ["another form of an English word", "Releases are scheduled.", "release schedule"],
];

export function testWords(subject: EngineUnderTest): void {
  describe.each(Object.entries(subject.searchOptions ?? { default: {} }))("words, %s", (_, options) => {
    test("any text can be stored and asked for, and a text finds itself", async () => {
      let words = 0;
      await withNewSeam(
        subject,
        async (seam) => {
          const member = await seam.project();
          let written = 0;
          await fc.assert(
            fc.asyncProperty(anyText, anyText, async (content, query) => {
              const stored = `${content} ${++written}`;
              expect(await member.create({ content: stored, vector: unitVector(written) })).toMatchObject({
                status: 201,
              });
              await search(member, query);
              const itself = await member.search({ vector: unitVector(written), words: stored, topK: 1 });
              expect(itself).toEqual([expect.objectContaining({ keyword: expect.closeTo(1, 9) })]);
              if ((await search(member, query)).some(({ keyword }) => keyword > 0)) words += 1;
            }),
            { numRuns: 50 },
          );
        },
        options,
      );
      expect(words).toBeGreaterThan(10);
    }, 30_000);
  });

  describe("words", () => {
    test.each([...findings, ...(has(subject, "word forms") ? wordForms : [])])(
      "find %s",
      (_, content, query) =>
        withSeam(subject, async (seam) => {
          const member = await seam.project();
          await member.create({ content, vector: unitVector(1) });
          await member.create({ content: "Something else entirely", vector: unitVector(2) });
          expect(await found(member, query)).toEqual([content]);
        }),
    );

    test("of a query of the greatest length are answered, by the rarest", () =>
      withSeam(subject, async (seam) => {
        const member = await seam.project();
        const common = Array.from({ length: 300 }, (_, at) => `w${at}`);
        for (let at = 0; at < 5; at++)
          await member.create({ content: `${common.join(" ")} ${at}`, vector: unitVector(at) });
        await member.create({ content: "needle", vector: unitVector(9) });
        expect(await found(member, `${common.join(" ")} needle`)).toContain("needle");
        await search(member, Array.from({ length: 2_000 }, (_, at) => `x${at}`).join(" "));
        await search(member, "東京".repeat(5_000));
      }));

    test("of another project change nothing in what a search answers", () =>
      withSeam(subject, async (seam) => {
        const [mine, theirs] = [await seam.project(), await seam.project()];
        for (const [at, content] of ["blue whale", "red fox", "blue fox"].entries())
          await mine.create({ content, vector: unitVector(at), importance: at / 3 });
        const before = await search(mine, "blue whale sings");
        for (let at = 0; at < 50; at++)
          await theirs.create({ content: `blue whale sings ${at}`, vector: unitVector(at) });
        expect(await search(mine, "blue whale sings")).toEqual(before);
        expect(before.map(({ keyword }) => keyword > 0).sort()).toEqual([false, true, true]);
      }));

    test("of memories that were deleted, changed or refused are not found", () =>
      withSeam(subject, async (seam) => {
        const member = await seam.project({ memory_limit: 4 });
        const create = async (content: string, type: "fact" | "context" = "fact") =>
          String((await member.create({ content, vector: unitVector(content.length), type })).data.id);
        const [deleted, changed] = [await create("quokkas once"), await create("axolotl twice")];
        await create("pangolin three times", "context");
        await create("wombat stays");
        await create("numbat refused");
        expect(await found(member, "quokkas axolotl pangolin wombat numbat")).toHaveLength(4);
        await member.call("memory.delete", { memory_id: deleted });
        await member.call("memory.update", { memory_id: changed, content: "narwhal instead" }, unitVector(5));
        await member.call("memory.delete_all", { memory_type: "context" });
        expect((await found(member, "quokkas axolotl pangolin narwhal wombat")).sort()).toEqual([
          "narwhal instead",
          "wombat stays",
        ]);
      }));
  });
}
