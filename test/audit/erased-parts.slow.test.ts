// Erases one memory of a search of ten from the data directory of a real server, in a new one and in one of the previous format, whose
// records of both versions are in one chain: one part of the search is gone from every file, and both verifiers find the rest intact.

import { Database } from "bun:sqlite";
import { afterAll, afterEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isObject, type Json, type JsonObject } from "../../src/platform/json/json.ts";
import { cleanUp, createFolder, type Running, run, serve } from "../cli/command.ts";
import { everythingStored, payloadsIn } from "../everything-stored.ts";
import { copyKept, keptFormats } from "../upgrade/kept-formats.ts";
import { askPython } from "./ask-python.ts";
import { always, dataOf, exportAll, send, type Target } from "./export/exporting.ts";

setDefaultTimeout(120_000);
const kept = keptFormats.find(({ format }) => format === 7);
let server: Running | null = null;
const stop = async () => {
  await server?.end("SIGTERM");
  server = null;
};
afterEach(stop);
afterAll(cleanUp);

interface Place {
  readonly target: Target;
  readonly dataDir: string;
}

async function start(isKept: boolean): Promise<Place> {
  const dataDir = join(createFolder(), "data");
  if (isKept && kept !== undefined) copyKept(kept, dataDir);
  server = await serve(dataDir, ["--rerank", "off"]);
  return { dataDir, target: { url: server.url, key: String(isKept ? kept?.secret : server.ready.api_key) } };
}

const post = async (target: Target, path: string, body: JsonObject): Promise<JsonObject> =>
  dataOf(await send(target, "POST", path, { body }));
const read = async (target: Target, path: string): Promise<JsonObject> =>
  dataOf(await send(target, "GET", path));
const itemsOf = (value: Json | undefined) => (Array.isArray(value) ? value.filter(isObject) : []);

async function newest(target: Target, action: string): Promise<JsonObject> {
  const [record] = itemsOf((await read(target, `/v1/audit/logs?action=${action}&page_size=1`)).logs);
  return read(target, `/v1/audit/logs/${record?.id}`);
}

async function redact({ dataDir }: Place, ...words: string[]): Promise<JsonObject> {
  const { exitCode, stdout } = await run([
    "audit",
    "redact",
    ...words,
    "--yes",
    "--json",
    "--data-dir",
    dataDir,
  ]);
  expect(exitCode).toBe(0);
  return JSON.parse(stdout);
}

interface Said {
  readonly verdict: Json;
  readonly seq: Json;
  readonly check: Json;
}

/** What both verifiers say of a database or an export, in that order. */
async function verdicts({ dataDir }: Place, path: string, checkpoint: string): Promise<Said[]> {
  const words = ["--checkpoint", checkpoint, "--public-key", join(dataDir, "audit.pub")];
  const ours = JSON.parse((await run(["audit", "verify", path, ...words, "--json"])).stdout);
  const first: JsonObject = itemsOf(ours.chains).find(({ failure }) => isObject(failure)) ?? ours;
  const failure = isObject(first.failure) ? first.failure : {};
  const said = [{ verdict: ours.verdict, seq: failure.seq ?? null, check: failure.check ?? null }];
  const other = askPython(path, ...words);
  if (other !== null)
    said.push({ verdict: other.verdict ?? null, seq: other.seq ?? null, check: other.check ?? null });
  return said;
}

/** Of all chains. */
async function keepCheckpoint({ dataDir }: Place): Promise<string> {
  const path = join(dataDir, "..", `kept-${crypto.randomUUID()}.notes`);
  expect((await run(["audit", "checkpoint", "--out", path, "--data-dir", dataDir])).exitCode).toBe(0);
  return path;
}

async function downloadExport({ target, dataDir }: Place): Promise<string> {
  const { id, text } = await exportAll(target, { ...always, format: "json" });
  const path = join(dataDir, "..", `${id}.json`);
  writeFileSync(path, text);
  writeFileSync(
    `${path}.manifest`,
    await (await send(target, "GET", `/v1/audit/logs/export/${id}/manifest`)).text(),
  );
  return path;
}

const names = "Ahab Boas Cleo Dora Emil Fenja Gustl Hedda Ivo Juno".split(" ");
const contentOf = (name: string) => `${name} keeps a red bicycle in the harbour shed.`;
const intact = { verdict: "intact" };

describe.each([
  ["a new data directory", false],
  ["one of format 7", true],
])("an erasure in %s", (_, isKept) => {
  test("takes one part of a search of ten, and all others still verify", async () => {
    const place = await start(isKept);
    const { target, dataDir } = place;
    const ids = new Map<string, string>();
    for (const name of names)
      ids.set(
        name,
        String((await post(target, "/v1/memories", { content: contentOf(name), memory_type: "fact" })).id),
      );
    const found = itemsOf(
      (
        await post(target, "/v1/memories/search", {
          query: "Who keeps a red bicycle in the harbour shed?",
          top_k: 10,
        })
      ).results,
    );
    expect(found).toHaveLength(10);
    const search = await newest(target, "memory.search");
    const checkpoint = await keepCheckpoint(place);
    const before = await downloadExport(place);
    const database = join(dataDir, "memledger.db");
    const rowBefore = readPayload(database, String(search.id));
    const stored = `${everythingStored(place.dataDir)}${payloadsIn(place.dataDir)}`;
    expect(stored.includes("Fenja")).toBe(true);

    const erased = await redact(place, "--memory", String(ids.get("Fenja")), "--delete-memory");
    // The request and the answer of its creation, and the result of the search.
    expect(erased).toMatchObject({ redacted: 2, parts: 3, shown: 2, memory: "deleted" });

    const result = itemsOf(search.memory_results).findIndex(({ content }) => content === contentOf("Fenja"));
    const shown = await read(target, `/v1/audit/logs/${search.id}`);
    expect(shown).toMatchObject({
      redacted: false,
      erased_places: [`/response_body/data/results/${result}`],
      request_body: search.request_body,
      memory_results: itemsOf(search.memory_results).filter(({ content }) => content !== contentOf("Fenja")),
    });
    expect(itemsOf(shown.memory_results)).toHaveLength(9);
    const erasure = await newest(target, "audit.redact");
    expect(erasure.response_body).toMatchObject({ data: { redacted: 2, parts: 3 } });
    const [created] = itemsOf(
      (await read(target, `/v1/audit/logs?memory_id=${ids.get("Fenja")}&action=memory.create`)).logs,
    );
    expect(isObject(erasure.response_body) && erasure.response_body.data).toMatchObject({
      records: [created?.id, search.id],
    });

    const left = `${everythingStored(place.dataDir)}${payloadsIn(place.dataDir)}`;
    expect(left.includes("Fenja")).toBe(false);
    expect(left.includes(rowBefore.text.toString("latin1"))).toBe(false);
    expect(names.filter((name) => !left.includes(contentOf(name)))).toEqual(["Fenja"]);

    const later = await keepCheckpoint(place);
    const after = await downloadExport(place);
    const rows: JsonObject[] = JSON.parse(readFileSync(after, "utf8"));
    expect(rows.find(({ id }) => id === search.id)?.erased_parts).toHaveLength(1);
    for (const [path, note] of [
      [before, checkpoint],
      [after, checkpoint],
      [after, later],
    ] as const)
      for (const said of await verdicts(place, path, note)) expect(said).toMatchObject(intact);
    for (const said of await verdicts(place, database, checkpoint)) expect(said).toMatchObject(intact);
    await stop();
    for (const said of await verdicts(place, database, checkpoint)) expect(said).toMatchObject(intact);

    // Somebody puts the part back, with the salt, from a copy of the database.
    restorePayload(database, rowBefore);
    for (const said of await verdicts(place, database, later))
      expect(said).toEqual({ verdict: "broken", seq: Number(search.seq), check: "payload" });
  });
});

test("an erasure takes the whole payload of records of version 1, and parts of those of version 2", async () => {
  const place = await start(true);
  const { target, dataDir } = place;
  const { content } = await read(target, `/v1/memories/${kept?.fact}`);
  const checkpoint = await keepCheckpoint(place);
  const erased = await redact(place, "--memory", String(kept?.fact), "--delete-memory");
  const records = itemsOf((await read(target, "/v1/audit/logs?page_size=100")).logs);
  expect(records.filter(({ redacted }) => redacted).length).toBe(Number(erased.redacted) - 1);
  expect(await newest(target, "memory.read")).toMatchObject({
    redacted: false,
    erased_places: ["/response_body/data/content"],
    memory_results: [{ id: kept?.fact, content: "" }],
  });
  expect(`${everythingStored(place.dataDir)}${payloadsIn(place.dataDir)}`.includes(String(content))).toBe(
    false,
  );
  for (const said of await verdicts(place, join(dataDir, "memledger.db"), checkpoint))
    expect(said).toMatchObject(intact);
});

interface StoredRow {
  readonly entry: number;
  readonly salt: Buffer;
  readonly text: Buffer;
}

function readPayload(path: string, id: string): StoredRow {
  using database = new Database(path, { readonly: true });
  const [row] = database
    .query(
      "SELECT p.entry, p.salt, p.text FROM audit_payload p JOIN audit_entry e ON e.number = p.entry WHERE e.id = ?",
    )
    .values(id);
  const [entry, salt, text] = row ?? [];
  return {
    entry: Number(entry),
    salt: Buffer.from(salt as Uint8Array),
    text: Buffer.from(text as Uint8Array),
  };
}

function restorePayload(path: string, { entry, salt, text }: StoredRow): void {
  using database = new Database(path);
  database.run("UPDATE audit_payload SET salt = ?, text = ? WHERE entry = ?", [salt, text, entry]);
}
