// Random calls about the ledger, with what the model says they must answer.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runtimeCryptography } from "../../src/audit/runtime-cryptography.ts";
import { verifyExport } from "../../src/audit/verify/export/verification.ts";
import { createNoteReader, readKeys, readNotes } from "../../src/audit/verify/note-reader.ts";
import type { JsonObject } from "../../src/platform/json/json.ts";
import type { ModelKey, ModelProject, ModelRecord } from "./model.ts";
import { chance, equal, objectsOf, pick, type Run, send } from "./model-call.ts";

const dayMs = 86_400_000;
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

type LedgerCall = (run: Run, project: ModelProject, key: ModelKey) => Promise<unknown>;

export const ledgerCalls: readonly (readonly [weight: number, call: LedgerCall])[] = [
  [6, list],
  [3, read],
  [5, append],
  [2, checkpoint],
  [1, listCheckpoints],
  [2, verify],
  [2, exportAll],
];

const reading = { permission: "audit.read", feature: "audit", method: "GET" } as const;
const exporting = { permission: "audit.export", feature: "export" } as const;
const base = "/v1/audit/logs";

/** Records as lists show them, newest first. */
function visible(project: ModelProject, now: number): ModelRecord[] {
  const floor = project.floor(now);
  return project.chain.present.filter(({ at }) => at >= floor).toReversed();
}

async function list(run: Run, project: ModelProject, key: ModelKey): Promise<void> {
  const filters = {
    action: (record: ModelRecord) => `action=${record.action}`,
    memory: (record: ModelRecord) => `memory_id=${record.memory}`,
    key: (record: ModelRecord) => `key_id=${record.key}`,
    status: ({ status }: ModelRecord) => `status_class=${Math.floor(status / 100)}xx`,
  };
  const known = visible(project, run.server.now());
  const example = known.length === 0 ? null : pick(run, known);
  const by = pick(run, ["action", "memory", "key", "status", "nothing"] as const);
  const isFiltered = by !== "nothing" && example !== null && example[by] !== null;
  const matches = (record: ModelRecord) =>
    !isFiltered ||
    (by === "status"
      ? Math.floor(record.status / 100) === Math.floor(example.status / 100)
      : record[by] === example[by]);
  const page = 1 + Math.floor(run.random() * 3);
  let now = 0;
  const filter = isFiltered ? `&${filters[by](example)}` : "";
  const query = `page_size=20&page=${page}${filter}`;
  const name = `${key.id} ${filter}`;
  const { outcome, data } = await send(run, project, key, {
    ...reading,
    action: "audit.list",
    path: `${base}?${query}`,
    expect(at) {
      now = at;
      return 1000;
    },
  });
  if (outcome !== 1000) return;
  // All but the record of this very call.
  const size = project.chain.records.length - 1;
  const earlier = page === 1 ? undefined : project.pinnedLists.get(name);
  const pinned = earlier !== undefined && now < earlier.endsAt ? earlier : null;
  const inList = new Set(project.chain.records.slice(0, pinned?.size ?? size));
  const expected = visible(project, now).filter((record) => inList.has(record) && matches(record));
  const total = pinned?.total ?? expected.length;
  if (page === 1) project.pinnedLists.set(name, { size, total, endsAt: now + hourMs });
  const logs = objectsOf(data.logs);
  equal(data.total, total, `total of a list by ${query}`);
  const shown = expected.slice((page - 1) * 20, page * 20);
  equal(logs.map(toShown), shown.map(expectedView), `records listed by ${query}`);
  for (const [index, record] of shown.entries()) {
    const id = String(logs[index]?.id);
    equal(record.id ?? id, id, "identifier of a record");
    record.id = id;
    equal(typeof logs[index]?.hash, project.showsHash ? "string" : "object", "hash of a record in a list");
  }
}

function toShown({ action, http_status, error_code }: JsonObject) {
  return { action, http_status, error_code };
}

function expectedView({ action, status, code }: ModelRecord) {
  return { action, http_status: status, error_code: code === 1000 ? null : code };
}

async function read(run: Run, project: ModelProject, key: ModelKey): Promise<void> {
  const known = project.chain.records.filter(({ id }) => id !== null);
  const record = known.length > 0 && chance(run, 90) ? pick(run, known) : null;
  const { outcome, data } = await send(run, project, key, {
    ...reading,
    action: "audit.read",
    path: `${base}/${record?.id ?? "0".repeat(32)}`,
    expect: (now) => (record !== null && visible(project, now).includes(record) ? 1000 : 2204),
  });
  if (outcome !== 1000 || record === null) return;
  equal(toShown(data), expectedView(record), "a record in full");
  if (record.erased === "all")
    equal([data.request_body, data.response_body, data.ip_address], [null, null, null], "erased");
}

async function append(run: Run, project: ModelProject, key: ModelKey): Promise<void> {
  const isReserved = chance(run, 10);
  const status = pick(run, [200, 204, 404, 500]);
  const code = chance(run, 30) ? 4_242 : null;
  const memory = [...project.memories.keys()].slice(0, chance(run, 30) ? 1 : 0);
  const body = {
    action: isReserved ? "memory.read" : "gateway.chat",
    http_status: status,
    error_code: code,
    memory_results: memory.map((id) => ({
      id,
      content: "",
      memory_type: "fact",
      importance: 0.5,
      similarity: 1,
      final_score: 0.85,
      source: "gateway",
    })),
    output_content: "It is done.",
  };
  await send(run, project, key, {
    permission: "audit.write",
    feature: "audit",
    method: "POST",
    action: "audit.append",
    path: base,
    body,
    success: 201,
    expect: () => (isReserved ? 1400 : 1000),
    appended: { action: "gateway.chat", status, code: code ?? (status < 300 ? 1000 : null) },
  });
}

async function checkpoint(run: Run, project: ModelProject, key: ModelKey): Promise<void> {
  const size = project.chain.records.length;
  const { outcome, data } = await send(run, project, key, {
    ...reading,
    action: "audit.checkpoint",
    path: "/v1/audit/checkpoint",
    expect: () => (project.showsHash ? 1000 : 2207),
  });
  if (outcome !== 1000) return;
  equal(data.size, size, "size of a checkpoint");
  run.notes.push(String(data.note));
}

/** Every checkpoint that the server has signed, with those that were kept outside among them. */
async function listCheckpoints(run: Run, project: ModelProject, key: ModelKey): Promise<void> {
  const { outcome, data } = await send(run, project, key, {
    ...reading,
    action: "audit.checkpoint_list",
    path: "/v1/audit/checkpoints?page_size=100",
    expect: () => (project.showsHash ? 1000 : 2207),
  });
  if (outcome !== 1000) return;
  const listed = objectsOf(data.checkpoints);
  const sizes = listed.map(({ size }) => Number(size));
  equal(
    sizes,
    [...new Set(sizes)].sort((left, right) => right - left),
    "sizes of the checkpoints",
  );
  equal(
    sizes.every((size) => size <= project.chain.records.length),
    true,
    "a checkpoint of more records than there are",
  );
}

async function verify(run: Run, project: ModelProject, key: ModelKey): Promise<void> {
  const { outcome, data } = await send(run, project, key, {
    ...reading,
    action: "audit.verify",
    path: "/v1/audit/verify",
    expect: () => (project.showsHash ? 1000 : 2207),
  });
  if (outcome !== 1000) return;
  equal([data.verdict, data.failure], ["unattested", null], "verification through the API");
}

/** Begins one, sometimes a second before it has ended, waits, downloads and judges the files. */
async function exportAll(run: Run, project: ModelProject, key: ModelKey): Promise<void> {
  const now = run.server.now();
  const isAll = chance(run, 50) && project.floor(now) === Number.NEGATIVE_INFINITY;
  const startAt = isAll ? 0 : now - Math.floor(run.random() * 100) * dayMs + 17 * minuteMs;
  const span = { start_time: new Date(startAt).toISOString(), end_time: "2100-01-01" };
  const body = { ...span, format: pick(run, ["csv", "json"] as const) };
  const begin = { ...exporting, action: "audit.export", method: "POST", path: `${base}/export`, body };
  const [first] = [project.chain.present];
  const { outcome, data, at } = await send(run, project, key, {
    ...begin,
    expect: (moment) => {
      if (startAt > Date.parse(span.end_time)) return 1400;
      return startAt < startOfDay(project.floor(moment)) ? 2201 : 1000;
    },
  });
  if (outcome !== 1000) return;
  const shownFrom = Math.max(startAt, project.floor(at));
  const rows = first.slice(0, project.chain.present.length - 1).filter((record) => record.at >= shownFrom);
  equal(data.estimated_records, rows.length, `records of an export that begins at ${at}`);
  const second = chance(run, 40) ? await send(run, project, key, { ...begin, orElse: 2203 }) : null;
  await finish(run, project, key, String(data.export_id), rows.length);
  if (second?.outcome !== 1000) return;
  await finish(run, project, key, String(second.data.export_id), Number(second.data.estimated_records));
}

async function finish(
  run: Run,
  project: ModelProject,
  key: ModelKey,
  id: string,
  rows: number,
): Promise<void> {
  const path = `${base}/export/${id}`;
  const status = { ...exporting, action: "audit.export_status", method: "GET", path };
  for (let tries = 0; ; tries++) {
    const { data } = await send(run, project, key, status);
    if (data.status === "completed") break;
    equal(tries < 200 ? data.status : "late", "processing", `status of an export ${data.error}`);
    await Bun.sleep(20);
  }
  const get = { ...exporting, method: "GET" } as const;
  const download = { ...get, action: "audit.export_download", path: `${path}/download` };
  const manifest = { ...get, action: "audit.export_manifest", path: `${path}/manifest` };
  const file = await send(run, project, key, download);
  const { text } = await send(run, project, key, manifest);
  const keys = readKeys(
    readFileSync(join(run.server.config.dataDir, "audit.pub"), "utf8"),
    "audit.pub",
    runtimeCryptography,
  );
  const reader = createNoteReader(keys, runtimeCryptography);
  const notes = readNotes(run.notes.join("\n"), reader).checkpoints;
  const report = await verifyExport({
    reader,
    cryptography: runtimeCryptography,
    manifest: text,
    refusedOutside: null,
    roots: [],
    remarks: [],
    file: new Response(file.text).body ?? new ReadableStream(),
    checkpoints: notes.map((note) => ({ ...note, isOutside: true, isSigned: true, source: "kept" })),
  });
  equal([report.failure, report.contradiction, report.records], [null, null, rows], "verdict on an export");
  equal(text.includes('"verifiable":true'), project.showsHash, "whether an export is verifiable");
}

function startOfDay(ms: number): number {
  return Number.isFinite(ms) ? Math.floor(ms / dayMs) * dayMs : ms;
}
