// Tests what becomes of answers as language models of several kinds send them: large ones with a strict schema, those that write prose and
// code fences around it, and small ones that answer badly. The files in recorded/ are whole completions in the forms of several servers.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { readExtractionSource } from "../../../src/memory/extraction/extraction-source.ts";
import type { Extraction, LeftOutReason } from "../../../src/memory/extraction/extractor.ts";
import { createLlmExtractor } from "../../../src/models/extraction/llm-extractor.ts";
import { Refusal } from "../../../src/platform/errors.ts";
import { createLogger } from "../../../src/platform/log/logger.ts";
import { type FakeLlm, sends, startFakeLlm } from "./fake-llm.ts";

const now = Date.parse("2026-11-21T12:00:00Z");
const never = { project: "project 1", signal: new AbortController().signal };
const messages = [
  {
    role: "user",
    id: "m1",
    name: "Dana",
    said_at: "2026-11-20T10:00:00Z",
    content:
      "I have moved from Oslo to Lisbon, the new flat is in Alfama. Ticket 882 is mine now. Coffee later?",
  },
  { role: "assistant", content: "Noted. Shall I update the address?" },
  { role: "user", content: "Ja, bitte. Antworte mir ab jetzt immer auf Deutsch." },
];
const known = [
  "Dana lives in Oslo.",
  "Ticket 881 belongs to Dana.",
  "Dana is answered in English.",
  "Vegan.",
];
const memories = known.map((content, at) => ({ id: `memory ${at + 1}`, content, saidAt: now }));

let fake: FakeLlm;
beforeAll(async () => {
  fake = await startFakeLlm();
});
afterAll(() => fake.stop());

interface Read extends Extraction {
  readonly asked: number;
  readonly user: string;
}

const folder = join(import.meta.dir, "recorded");
const contentOf = (file: string) => readFileSync(join(folder, `${file}.json`), "utf8");
const read = (file: string) => ask(contentOf(file));

async function ask(completion: string): Promise<Read> {
  fake.otherwise(sends(200, completion));
  const before = fake.requests.length;
  const extractor = await createLlmExtractor({
    baseUrl: fake.url,
    model: "configured",
    apiKey: null,
    timeoutMs: 5_000,
    logger: createLogger("error", () => true),
    wait: async () => {},
  });
  const source = readExtractionSource({ messages, conversation: "chat-17" });
  const extraction = await extractor.extract(source, now, never, { findNear: async () => memories });
  const asked = fake.requests.slice(before);
  return { ...extraction, asked: asked.length, user: asked[0]?.user ?? "" };
}

/** Content, and what it replaces. */
type Expected = readonly (readonly [content: string, memory?: number, quote?: string])[];

const moved = ["Dana lives in Lisbon, in Alfama.", 1, "lives in Oslo"] as const;
const movedOnly = [moved[0]] as const;
const ticket = ["Ticket 882 belongs to Dana."] as const;
const german = ["Dana is answered in German.", 3, "answered in English"] as const;
const germanOnly = [german[0]] as const;

test.each<[file: string, items: Expected, leftOut: readonly LeftOutReason[]]>([
  ["large-strict", [moved, ticket, german], []],
  ["large-nothing", [], []],
  ["large-empty", [], []],
  ["large-reasoning", [[moved[0], 1, "Dana lives in Oslo."], ticket], []],
  ["prose-fence", [moved, german], []],
  ["prose-thinking", [moved, ticket], []],
  ["prose-sections", [moved, ticket], []],
  ["prose-empty", [], []],
  ["small-wrong-ids", [movedOnly, ticket, germanOnly], Array(3).fill("unknown-memory")],
  ["small-wrong-memory", [movedOnly, germanOnly], ["memory-not-quoted", "unknown-memory"]],
  [
    "small-invented-quotes",
    [movedOnly, ticket, germanOnly],
    ["not-quoted", ...Array(3).fill("memory-not-quoted"), "not-quoted"],
  ],
  ["small-truncated", [moved, ticket], ["cut-off"]],
  ["small-truncated-unnoticed", [moved, ticket], ["cut-off"]],
  ["small-loop", [ticket], [...Array(30).fill("too-many"), "cut-off"]],
  [
    "small-other-languages",
    [["Dana möchte Antworten auf Deutsch."]],
    ["not-quoted", "memory-not-quoted", "not-quoted"],
  ],
  ["small-repeated-keys", [moved, ticket, german], []],
  ["small-texts-for-numbers", [moved, ticket, german], []],
  ["small-broken-json", [["Dana lives in Lisbon.", 1, "lives in Oslo"], german], ["wrong-form"]],
  ["small-other-operations", [ticket, german], ["wrong-form", "wrong-form"]],
  ["small-expired", [], ["wrong-form", "not-storable", "not-storable"]],
  ["small-copied-prompt", [moved], ["wrong-form"]],
  ["small-obeys", [], Array(3).fill("not-quoted")],
])("%s", async (file, items, leftOut) => {
  const { items: found, leftOut: reasons } = await read(file);
  const shown = found.map(({ content, replaces = [] }) => [
    content,
    ...replaces.flatMap(({ memory, quote }) => [memory, quote]),
  ]);
  const named = items.map(([content, memory, quote]) =>
    memory === undefined ? [content] : [content, `memory ${memory}`, quote],
  );
  // In the order of the text, whatever that of the answer is.
  const inOrder = (each: readonly unknown[]) => [...each].map((one) => JSON.stringify(one)).sort();
  expect(inOrder(shown)).toEqual(inOrder(named));
  expect(inOrder(reasons ?? [])).toEqual(inOrder(leftOut));
  const said = messages.map(({ content }) => content).join("\n\n");
  for (const { evidence, replaces = [] } of found) {
    expect(said).toContain(evidence);
    for (const { content, quote } of replaces) expect(content).toContain(quote);
  }
});

test("an item says who has said it, when, and where, as the messages do, and not the model", async () => {
  const { items } = await read("large-strict");
  const origins = items.map(({ evidence, origin }) => ({ evidence, ...origin }));
  expect(origins).toMatchObject([
    {
      evidence: "I have moved from Oslo to Lisbon, the new flat is in Alfama.",
      conversation: "chat-17",
      message: "m1",
      role: "user",
      name: "Dana",
      saidAt: Date.parse("2026-11-20T10:00:00Z"),
    },
    { evidence: "Ticket 882 is mine now.", message: "m1" },
    { evidence: "Antworte mir ab jetzt immer auf Deutsch.", message: null, role: "user", name: null },
  ]);
});

test("numbers that are texts, and values that mean nothing, get the value that is meant or the usual one", async () => {
  const { items } = await read("small-texts-for-numbers");
  expect(items.map(({ type, importance, expiresAt }) => ({ type, importance, expiresAt }))).toEqual([
    { type: "fact", importance: 0.7, expiresAt: null },
    { type: "fact", importance: 0.5, expiresAt: null },
    { type: "rule", importance: 0.5, expiresAt: Date.parse("2027-01-31T23:59:59Z") },
  ]);
});

test("an answer that is cut off is asked for again, in case the next one is whole", async () => {
  expect((await read("small-truncated")).asked).toBe(3);
  expect((await read("large-strict")).asked).toBe(1);
});

test("an answer without anything of use fails, because the text was not read", async () => {
  const refused = await read("small-talks").catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: 2103 });
});

test("an answer may end anywhere: what is complete in it counts, and nothing else", async () => {
  const files = readdirSync(folder).map((name) => name.replace(".json", ""));
  const readable = files.filter((name) => name !== "small-talks");
  const all = new Map<string, Extraction>();
  for (const name of readable) all.set(name, await read(name));
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...readable), fc.nat(), async (name, place) => {
      const completion = JSON.parse(contentOf(name));
      const { message } = completion.choices[0];
      message.content = message.content.slice(0, place % message.content.length);
      const found = await ask(JSON.stringify(completion)).catch((error: unknown) => error);
      if (found instanceof Refusal) expect(found.code).toBe(2103);
      else
        for (const { content, evidence } of (found as Extraction).items)
          expect(all.get(name)?.items).toContainEqual(expect.objectContaining({ content, evidence }));
    }),
    { numRuns: 200 },
  );
});

test("the question numbers the memories, below lines that nobody can imitate, and names no id", async () => {
  const { user } = await read("large-empty");
  const mark = /^MEMORY (\w{8}) 1, 2026-11-21$/m.exec(user)?.[1];
  expect(mark).toBeDefined();
  for (const [at, content] of known.entries())
    expect(user).toContain(`MEMORY ${mark} ${at + 1}, 2026-11-21\n${content}\n`);
  expect(user).not.toContain("memory 1");
});
