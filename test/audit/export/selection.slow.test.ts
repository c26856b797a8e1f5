// Checks exports of the records that a filter selects: what they have, that both verifiers prove each record with the checkpoint in the manifest,
// and that an erasure removes those that have its records, and no others.

import { afterAll, afterEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { recordFieldNames } from "../../../src/audit/record-schema.ts";
import { pruneRecords } from "../../../src/calls/operations/ledger/prune.ts";
import { isObject, type JsonObject } from "../../../src/platform/json/json.ts";
import { cleanUp, createFolder, type Running, run, runJson, serve } from "../../cli/command.ts";
import { startTestApp } from "../../fixture.ts";
import { copyKept, keptFormats } from "../../upgrade/kept-formats.ts";
import { askPython } from "../ask-python.ts";
import { always, dataOf, exportAll, fatten, parseCsv, send, type Target } from "./exporting.ts";

setDefaultTimeout(120_000);
const python = Bun.which("python3");
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

async function start(isKept = false): Promise<Place> {
  const dataDir = join(createFolder(), "data");
  const kept = keptFormats.find(({ format }) => format === 7);
  if (isKept && kept !== undefined) copyKept(kept, dataDir);
  server = await serve(dataDir, ["--rerank", "off"]);
  const key = String(isKept ? kept?.secret : server.ready.api_key);
  return { dataDir, target: { url: server.url, key } };
}

async function post({ target }: Place, path: string, body: JsonObject): Promise<JsonObject> {
  const response = await send(target, "POST", path, { body });
  expect([path, response.ok]).toEqual([path, true]);
  return dataOf(response);
}

/** Of two subjects and of the project. @returns the id of the memory of Ana */
async function callForSubjects(place: Place): Promise<string> {
  const create = async (content: string, fields: JsonObject) =>
    String((await post(place, "/v1/memories", { content, memory_type: "fact", ...fields })).id);
  const ofAna = await create("Ana lives at 21 Example Lane.", { subject: "user:ana", tags: ["address"] });
  await post(place, "/v1/memories/search", { query: "Where does Ana live?", subject: "user:ana" });
  await create("Bo lives at 7 Sample Street.", { subject: "user:bo", tags: ["address"] });
  await create("The shop is open on Sundays.", { metadata: { team: "sales" } });
  await post(place, "/v1/memories/search", { query: "When is it open?" });
  await post(place, "/v1/memories/search", { query: "What does Ana like?", subject: "user:ana" });
  return ofAna;
}

interface Written {
  readonly id: string;
  readonly path: string;
  readonly text: string;
  readonly rows: readonly JsonObject[];
  readonly detail: JsonObject;
  readonly manifest: JsonObject;
}

async function write(place: Place, body: JsonObject): Promise<Written> {
  const { target, dataDir } = place;
  const format = String(body.format ?? "json");
  const { id, text, detail } = await exportAll(target, { ...always, format, ...body });
  const note = await (await send(target, "GET", `/v1/audit/logs/export/${id}/manifest`)).text();
  const path = join(dataDir, `copy-${id}.${format}`);
  writeFileSync(path, text);
  writeFileSync(`${path}.manifest`, note);
  const [said = "", members = ""] = note.split("\n");
  expect(said).toBe("memledger-export/v2");
  return { id, path, text, detail, rows: rowsOf(format, text), manifest: JSON.parse(members) };
}

function rowsOf(format: string, text: string): readonly JsonObject[] {
  if (format === "json") return JSON.parse(text);
  const [header = [], ...rows] = parseCsv(text);
  return rows.map((row) => Object.fromEntries(header.map((column, index) => [column, row[index] ?? ""])));
}

/** With the checkpoint in the manifest as one that was kept. @returns the verdicts of both verifiers */
async function verdicts({ dataDir }: Place, path: string, checkpoint: unknown): Promise<unknown[]> {
  const kept = join(dataDir, "kept.note");
  writeFileSync(kept, String(checkpoint));
  const evidence = ["--checkpoint", kept, "--public-key", join(dataDir, "audit.pub")];
  const { object } = await runJson(["audit", "verify", path, ...evidence]);
  const said = [object, ...(python === null ? [] : [askPython(path, ...evidence) ?? {}])];
  return said.map(({ verdict }) => verdict);
}

const intact = python === null ? ["intact"] : ["intact", "intact"];
const broken = intact.map(() => "broken");
const actionsOf = (rows: readonly JsonObject[]) => rows.map(({ action }) => action);
const created = "memory.create";
const searched = "memory.search";

describe.each([
  ["a new data directory", false],
  ["one of format 7, whose records of both versions are in one chain", true],
] as const)("of %s", (_, isKept) => {
  test("records of a subject are proved one by one, in both formats", async () => {
    const place = await start(isKept);
    await callForSubjects(place);
    await fatten(place.target, 300, 12);
    for (const format of ["json", "csv"]) {
      const { rows, text, path, manifest, detail } = await write(place, { subject: "user:ana", format });
      expect(actionsOf(rows)).toEqual([created, searched, searched]);
      const [first, , last] = rows.map(({ seq }) => Number(seq));
      const { subject } = JSON.parse(String(rows[0]?.entry));
      expect(manifest).toMatchObject({ records: "some", filter: { subject }, parts: "all", before: null });
      expect(manifest).toMatchObject({ first_seq: first ?? 0, last_seq: last ?? 0, rows: 3 });
      expect(detail).toMatchObject({ filter: { subject }, estimated_records: 3, records: 3 });
      expect(Object.keys(rows[0] ?? {})).toEqual([
        ...recordFieldNames,
        ...["erased_parts", "proof", "entry", "salt", "payload"],
      ]);
      expect(JSON.stringify([manifest, detail])).not.toContain("user:ana");
      expect(await verdicts(place, path, manifest.checkpoint)).toEqual(intact);
      const [, proof] = /"proof":\["([^"]+)"|\[""([^"]+)""/.exec(text) ?? [];
      const forged = `${path}.forged`;
      const hash = proof ?? "";
      writeFileSync(
        forged,
        text.replace(hash, hash.startsWith("A") ? `B${hash.slice(1)}` : `A${hash.slice(1)}`),
      );
      writeFileSync(`${forged}.manifest`, readFileSync(`${path}.manifest`));
      if (format === "json") expect(await verdicts(place, forged, manifest.checkpoint)).toEqual(broken);
    }
  });

  test("each filter of the list selects what the list shows", async () => {
    const place = await start(isKept);
    const memory = await callForSubjects(place);
    const filters: readonly (readonly [JsonObject, readonly string[]])[] = [
      [{ tag: ["address"] }, [created, created]],
      [{ tag: ["address"], subject: "user:bo" }, [created]],
      [{ metadata: { team: "sales" } }, [created]],
      [{ action: searched, subject: "user:ana" }, [searched, searched]],
      [{ memory_id: memory }, [created]],
      [{ status_class: "4xx", subject: "user:ana" }, []],
      [{ subject: "user:nobody" }, []],
    ];
    for (const [filter, actions] of filters) {
      const { rows, path, manifest, detail } = await write(place, filter);
      expect([filter, actionsOf(rows)]).toEqual([filter, [...actions]]);
      const described = Object.entries({ ...filter }).map(([name, value]) => [
        name,
        name === "tag" || name === "metadata" ? true : name === "subject" ? expect.any(String) : value,
      ]);
      expect(manifest).toMatchObject({ records: "some", filter: Object.fromEntries(described) });
      expect(JSON.stringify([manifest, detail])).not.toMatch(/address|sales/);
      expect(detail.estimated_records).toBe(actions.length);
      if (actions.length > 0) expect(await verdicts(place, path, manifest.checkpoint)).toEqual(intact);
      else expect(manifest).toMatchObject({ rows: 0, first_seq: null, checkpoint: null, before: null });
    }
  });
});

test("many records fill several pieces, and records between them are left out", async () => {
  const place = await start();
  for (let round = 0; round < 3; round++) {
    await fatten(place.target, 40, 100_000);
    await callForSubjects(place).catch(() => undefined);
  }
  const { rows, path, manifest } = await write(place, { action: "gateway.chat" });
  expect(actionsOf(rows)).toEqual(Array(120).fill("gateway.chat"));
  expect(Number(manifest.last_seq) - Number(manifest.first_seq)).toBeGreaterThan(120);
  expect(await verdicts(place, path, manifest.checkpoint)).toEqual(intact);
});

describe("an erasure", () => {
  const filesIn = (dataDir: string) => readdirSync(join(dataDir, "exports")).toSorted();
  const filesOf = (...exports: Written[]) =>
    exports.flatMap(({ id }) => [`${id}.json`, `${id}.json.manifest`]).toSorted();

  test("of a subject removes the exports that have its records, and no others", async () => {
    const place = await start();
    await callForSubjects(place);
    await write(place, { subject: "user:ana" });
    const ofBo = await write(place, { subject: "user:bo" });
    await write(place, { tag: ["address"] });
    const ofSales = await write(place, { metadata: { team: "sales" } });
    const erased = await post(place, "/v1/subjects/user:ana/erase", {});
    expect(erased).toMatchObject({ erased: true, exports: 2 });
    expect(filesIn(place.dataDir)).toEqual(filesOf(ofBo, ofSales));
    const { rows, path, manifest } = await write(place, { status_class: "2xx" });
    expect(JSON.stringify(rows)).not.toContain("Example Lane");
    expect(await verdicts(place, path, manifest.checkpoint)).toEqual(intact);
  });
});

test("an administrator exports the same records with memledger audit export, without a name in its record", async () => {
  const place = await start();
  await callForSubjects(place);
  const out = join(place.dataDir, "ana.json");
  const words = ["--project", "default", "--from", "2020-01-01", "--to", "2099-01-01", "--format", "json"];
  const options = ["--subject", "user:ana", "--tag", "address", "--data-dir", place.dataDir];
  const made = await runJson(["audit", "export", ...words, "--out", out, ...options]);
  expect([made.exitCode, made.object.records]).toEqual([0, 1]);
  const [, members = ""] = readFileSync(`${out}.manifest`, "utf8").split("\n");
  const manifest: JsonObject = JSON.parse(members);
  expect(manifest.filter).toMatchObject({ subject: expect.any(String), tag: true });
  expect(await verdicts(place, out, manifest.checkpoint)).toEqual(intact);
  const shown = await runJson(["audit", "list", "--action", "project.export", "--data-dir", place.dataDir]);
  const [record] = Array.isArray(shown.object.logs) ? shown.object.logs.filter(isObject) : [];
  const { stdout } = await run(["audit", "show", String(record?.id), "--json", "--data-dir", place.dataDir]);
  expect(stdout).toContain('"tag":["address"]');
  expect(stdout).not.toContain("user:ana");
});

test("records are proved after retention has removed the records before them", async () => {
  const app = await startTestApp();
  try {
    const { key } = await app.createProject("custom", { retention_days: 30 });
    const place = { target: { url: app.url, key }, dataDir: app.config.dataDir };
    await fatten(place.target, 300, 12);
    app.passTime(40 * 86_400_000);
    await callForSubjects(place);
    const pruned = await app.administer(pruneRecords, {});
    expect(pruned.chains).toMatchObject([{ anchored_through: 300 }]);
    const start_time = new Date(Date.now() + 20 * 86_400_000).toISOString();
    const { rows, path, manifest } = await write(place, { subject: "user:ana", start_time });
    expect([actionsOf(rows), manifest.first_seq]).toEqual([[created, searched, searched], 301]);
    expect(await verdicts(place, path, manifest.checkpoint)).toEqual(intact);
  } finally {
    await app.stop();
  }
});
