// Tests imports with owners, dates and maps as processes, against the server that they start: nothing is lost between users, and an export of
// a subject is imported as it was.

import { afterEach, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createLocalChannel } from "../../src/assistants/local-access/local-channel.ts";
import { isObject, type Json, type JsonObject } from "../../src/platform/json/json.ts";
import { readAnswer } from "../../src/platform/received-answer.ts";
import { endServersAfterEach } from "../assistants/local-access/background.ts";
import { cleanUp, createFolder, run, runJson } from "./command.ts";

afterEach(cleanUp);
const { directory } = endServersAfterEach();

const objectsIn = (value: Json | undefined) => (Array.isArray(value) ? value.filter(isObject) : []);
const written = (name: string, text: string) => {
  const path = join(createFolder(), name);
  writeFileSync(path, text);
  return path;
};

/** The memories of a subject; null: the project's own. */
async function memoriesOf(
  dataDir: string,
  subject: string | null,
  project = "default",
): Promise<JsonObject[]> {
  const channel = createLocalChannel({ dataDir, project, start: false });
  const query = new URLSearchParams({ page_size: "100", ...(subject !== null && { subject }) });
  const answer = await readAnswer(await channel.fetch(`/v1/memories?${query}`, { method: "GET" }));
  return objectsIn(answer.memories);
}

test("an export of mem0 of 20 users with common sentences is stored completely, each with its owner and date", async () => {
  const dataDir = directory();
  const users = Array.from({ length: 20 }, (_, at) => `u${at}`);
  const said = (user: string) => [
    "The user is vegetarian.",
    "The user prefers short answers.",
    "The user lives in Porto.",
    `The user is called ${user}.`,
    `The user started on day ${user}.`,
  ];
  const memories = users.flatMap((user, day) =>
    said(user).map((memory, at) => ({
      id: `${user}-${at}`,
      memory,
      user_id: user,
      metadata: null,
      created_at: `2025-01-${String(day + 1).padStart(2, "0")}T10:00:00-08:00`,
    })),
  );
  const file = written("mem0.json", JSON.stringify({ results: memories }, null, 2));
  const words = ["memory", "import", file, "--data-dir", dataDir];
  const first = await runJson(words);
  expect(first.object).toMatchObject({ format: "mem0", created: 100, existing: 0, skipped: 0, refused: 0 });
  for (const [day, user] of users.entries()) {
    const stored = await memoriesOf(dataDir, `user:${user}`);
    expect(stored.map(({ content }) => String(content)).toSorted()).toEqual(said(user).toSorted());
    const date = `2025-01-${String(day + 1).padStart(2, "0")}T18:00:00.000Z`;
    expect(stored.map(({ origins }) => origins)).toEqual(stored.map(() => [{ said_at: date }]));
  }
  expect(await memoriesOf(dataDir, null)).toEqual([]);
  expect((await runJson(words)).object).toMatchObject({ created: 0, existing: 100, refused: 0 });
}, 120_000);

test("memories without an owner get that of --subject, and an export of it is imported elsewhere as it was", async () => {
  const dataDir = directory();
  const file = written("notes.md", "# Rules\n- Use tabs\n\n# Places\nThe office is in Porto.\n");
  const words = ["--data-dir", dataDir, "--subject", "user:ada"];
  expect((await runJson(["memory", "import", file, ...words])).object).toMatchObject({
    rules: 1,
    facts: 1,
    created: 2,
  });
  expect(await memoriesOf(dataDir, null)).toEqual([]);
  const out = join(createFolder(), "ada.jsonl");
  expect((await runJson(["memory", "export", "--out", out, ...words])).object).toMatchObject({ memories: 2 });
  expect((await run(["memory", "export", "--out", "-", "--data-dir", dataDir])).stdout).toBe("");
  expect(readFileSync(out, "utf8")).toContain('"subject":"user:ada"');
  await runJson(["memory", "import", out, "--data-dir", dataDir, "--project", "copy"]);
  const values = (all: readonly JsonObject[]) =>
    all
      .map(({ content, memory_type, lead, subject }) => ({ content, memory_type, lead, subject }))
      .toSorted((one, other) => (String(one.content) < String(other.content) ? -1 : 1));
  const copied = await memoriesOf(dataDir, "user:ada", "copy");
  expect(values(copied)).toEqual(values(await memoriesOf(dataDir, "user:ada")));
  expect(values(copied)[1]).toMatchObject({ memory_type: "rule", lead: "Rules" });
  expect(copied.map(({ origins }) => origins)).toEqual(copied.map(() => [{ said_at: expect.any(String) }]));
});

test("a dry run with a map shows the first memories, and the import stores them", async () => {
  const dataDir = directory();
  const file = written("crm.csv", 'who;note;at\nada;"Likes tea; no milk.";2024-03-12\nbo;Left.;never\n');
  const words = ["memory", "import", file, "--map", "content=note,created=at", "--map", "subject=who"];
  const dry = await run([...words, "--dry-run"]);
  expect(dry.exitCode).toBe(1);
  expect(dry.stderr).toBe(
    `${file} is read as map: it has columns.\n${file}:3: Field "at" must be an RFC 3339 timestamp with a time zone, such as 2026-12-31T23:59:59Z.\n`,
  );
  expect(dry.stdout).toContain("line 2\n");
  expect(dry.stdout).toContain("Likes tea; no milk.");
  expect(dry.stdout).toMatch(/subject +ada/);
  expect(dry.stdout).toMatch(/origins +said_at=2024-03-12T00:00:00.000Z/);
  const { object: output } = await runJson([...words, "--data-dir", dataDir]);
  expect(output).toMatchObject({ format: "map", created: 1, refused: 1 });
  expect(await memoriesOf(dataDir, "ada")).toMatchObject([
    { content: "Likes tea; no milk.", subject: "ada", origins: [{ said_at: "2024-03-12T00:00:00.000Z" }] },
  ]);
});

test.each<[string, readonly string[], RegExp]>([
  ["a map with a mistake", ["--map", "contents=a"], /did you mean "content"/],
  ["a map without the content", ["--map", "lead=a"], /Say which field is the content/],
  ["a map and a format", ["--map", "content=a", "--format", "mem0"], /cannot be used with option/],
  ["a subject that none can have", ["--subject", " "], /--subject must not be blank/],
])("%s is refused before the file is read", async (_, words, message) => {
  const { exitCode, stderr } = await run(["memory", "import", "none.csv", ...words]);
  expect([exitCode, stderr]).toEqual([2, expect.stringMatching(message)]);
});

test("a value at fault is named by its line and its column, as the file has them", async () => {
  const rows = [
    "wer;Notiz;wann;gültig bis;Gewicht;Thema",
    "ada;Eins.;12.03.2024;;;",
    "ada;Zwei.;2024-02-30;;;",
    "ada;Drei.;;next week;;",
    "ada;Vier.;;;heavy;",
    "ada\u0001;Fünf.;;;;",
    "ada;Sechs.;2024-03-12;;0.5;tea",
  ];
  const file = written("notes.csv", `${rows.join("\n")}\n`);
  const map =
    "content=Notiz,created=wann,expires=gültig bis,importance=Gewicht,subject=wer,metadata.topic=Thema";
  const { exitCode, object } = await runJson(["memory", "import", file, "--map", map, "--dry-run"]);
  expect(exitCode).toBe(1);
  const messages = objectsIn(object.messages).map(({ line, message }) => `${line}: ${message}`);
  expect(messages).toEqual([
    expect.stringMatching(/^2: Field "wann" must be an RFC 3339 timestamp/),
    expect.stringMatching(/^3: Field "wann" names a day that does not exist/),
    expect.stringMatching(/^4: Field "gültig bis" must be/),
    expect.stringMatching(/^5: Field "Gewicht" must be a number from 0 to 1/),
    expect.stringMatching(/^6: Field "wer" contains a control character/),
  ]);
});
