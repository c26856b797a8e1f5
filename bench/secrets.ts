// How well secrets are recognised in texts, and what it costs. Must never print a text of the unseen cases.

import { plain } from "../src/memory/extraction/extraction-source.ts";
import { redactSource } from "../src/models/extraction/secrets/redact.ts";
import { extractionTextMaxCharacters } from "../src/platform/limits.ts";
import { loadAnnotated } from "../test/models/extraction/score.ts";
import { falseCases } from "../test/models/extraction/secrets/false-cases.ts";
import { missedCases, type TrueCase, trueCases } from "../test/models/extraction/secrets/true-cases.ts";
import { unseenFalseCases, unseenTrueCases } from "../test/models/extraction/secrets/unseen-cases.ts";
import { median, ms, percent } from "./figures.ts";
import { type BenchOptions, measureTable, type Table } from "./harness.ts";

const leastPrecision = 0.95;
const leastRecall = 0.85;
const longestMs = 250;

export async function secrets({ rounds }: BenchOptions): Promise<readonly Table[]> {
  return [await quality(), await cost(rounds)];
}

async function quality(): Promise<Table> {
  const annotated = [...loadAnnotated("seen"), ...loadAnnotated("unseen")].map(({ text }) => text);
  const seen = await measure([...trueCases, ...missedCases], falseCases);
  const unseen = await measure(unseenTrueCases, unseenFalseCases);
  const ordinary = await measure([], annotated);
  const verdict = (is: boolean) => (is ? "reached" : "**not reached**");
  return {
    title: "Secrets: quality",
    note: `Texts with one made-up secret each, and texts without (test/models/extraction/secrets). A secret is found when nothing of it remains; a text without secrets is wrong when anything is removed. The rules were corrected with the seen cases and never with the unseen ones. One author wrote rules and cases. Bars on the unseen cases: precision ≥ ${percent(leastPrecision)} ${verdict(unseen.precision >= leastPrecision)}, recall ≥ ${percent(leastRecall)} ${verdict(unseen.recall >= leastRecall)}.`,
    columns: ["cases", "with a secret", "kinds", "found", "without", "wrong", "precision", "recall"],
    rows: [toRow("seen", seen), toRow("unseen", unseen), toRow("annotated texts of the extractor", ordinary)],
  };
}

async function measure(secretTexts: readonly TrueCase[], others: readonly string[]) {
  let [found, wrong] = [0, 0];
  for (const { text, secret } of secretTexts)
    if (!(await redactSource(plain(text))).source.text.includes(secret)) found += 1;
  for (const text of others) if ((await redactSource(plain(text))).redacted.length > 0) wrong += 1;
  return {
    secrets: secretTexts.length,
    kinds: new Set(secretTexts.map(({ kind }) => kind)).size,
    others: others.length,
    found,
    wrong,
    precision: found / (found + wrong),
    recall: found / secretTexts.length,
  };
}

function toRow(name: string, counted: Awaited<ReturnType<typeof measure>>): string[] {
  const share = (value: number) => (Number.isNaN(value) ? "" : percent(value));
  const counts = [counted.secrets, counted.kinds, counted.found, counted.others, counted.wrong].map(String);
  return [name, ...counts, share(counted.precision), share(counted.recall)];
}

async function cost(rounds: number): Promise<Table> {
  const prose = loadAnnotated("seen").map(({ text }) => text);
  const what = `removing secrets from ${extractionTextMaxCharacters.toLocaleString("en")} characters of`;
  const rows = [
    { what: `${what} ordinary text`, part: prose.join("\n\n") },
    { what: `${what} "password is " in a row`, part: "password is " },
    { what: `${what} "https://a:b" in a row`, part: "https://a:b" },
    { what: `${what} "a-b." in a row`, part: "a-b." },
  ];
  const measured: { what: string; took: number }[] = [];
  for (const row of rows) measured.push({ what: row.what, took: await timeOf(row.part, rounds) });
  return measureTable(
    "Secrets: cost",
    "The rules alone, in this process; in the server they run in the thread of the extractor.",
    measured.map(({ what, took }) => ({
      what,
      figure: ms(took),
      comparedTo: "",
      bar: `≤ ${longestMs} ms`,
      reached: took <= longestMs,
    })),
  );
}

async function timeOf(part: string, rounds: number): Promise<number> {
  const repeated = part.repeat(Math.ceil(extractionTextMaxCharacters / part.length));
  const source = plain(repeated.slice(0, extractionTextMaxCharacters));
  const times: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const startedAt = performance.now();
    await redactSource(source);
    // The first round compiles the patterns.
    if (round > 0) times.push(performance.now() - startedAt);
  }
  return median(times);
}
