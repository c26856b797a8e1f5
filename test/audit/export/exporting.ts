// Asks a running server for exports and reads what comes of them. Must never look at the server's files.

import { expect } from "bun:test";
import { isObject, type Json, type JsonObject } from "../../../src/platform/json/json.ts";

export interface Target {
  readonly url: string;
  readonly key: string;
}

interface Finished {
  readonly id: string;
  /** The last answer to the status question. */
  readonly detail: JsonObject;
}

export const always = { start_time: "2020-01-01T00:00:00Z", end_time: "2099-01-01T00:00:00Z" };
const waitMs = 20_000;

export function send(
  { url, key }: Target,
  method: string,
  path: string,
  options: { body?: unknown; headers?: Readonly<Record<string, string>> } = {},
): Promise<Response> {
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json", ...options.headers };
  const body = options.body === undefined ? {} : { body: JSON.stringify(options.body) };
  return fetch(`${url}${path}`, { method, headers, ...body });
}

export async function dataOf(response: Response): Promise<JsonObject> {
  const envelope: unknown = await response.json();
  if (isObject(envelope) && isObject(envelope.data)) return envelope.data;
  throw new Error(`an answer without data: ${JSON.stringify(envelope)}`);
}

/** Begins an export. @throws when it is refused. */
export async function begin(target: Target, body: JsonObject = always): Promise<string> {
  const response = await send(target, "POST", "/v1/audit/logs/export", { body });
  expect(response.status).toBe(200);
  return String((await dataOf(response)).export_id);
}

/** Asks until the export is completed or failed. */
export async function settled(target: Target, id: string): Promise<Finished> {
  for (let waitedMs = 0; waitedMs < waitMs; waitedMs += 25) {
    const detail = await dataOf(await send(target, "GET", `/v1/audit/logs/export/${id}`));
    if (detail.status !== "processing") return { id, detail };
    await Bun.sleep(25);
  }
  throw new Error(`the export ${id} did not end`);
}

export async function exportAll(
  target: Target,
  body: JsonObject = always,
): Promise<Finished & { text: string }> {
  const finished = await settled(target, await begin(target, body));
  expect(finished.detail).toMatchObject({ status: "completed", error: null });
  return { ...finished, text: await download(target, finished.id) };
}

export async function download(target: Target, id: string): Promise<string> {
  const response = await send(target, "GET", `/v1/audit/logs/export/${id}/download`);
  expect(response.status).toBe(200);
  return response.text();
}

/** All records of the project, oldest first, in full, as the API shows them. */
export async function readRecords(target: Target, count: number): Promise<JsonObject[]> {
  const ids: string[] = [];
  for (let page = 1; ids.length < count; page++) {
    const data = await dataOf(await send(target, "GET", `/v1/audit/logs?page=${page}&page_size=100`));
    const logs = Array.isArray(data.logs) ? data.logs.filter(isObject) : [];
    if (logs.length === 0) break;
    // Reading adds records, so what was on the last page may come again.
    for (const { id } of logs) if (!ids.includes(String(id))) ids.push(String(id));
  }
  const oldest = ids.toSorted().slice(0, count);
  return Promise.all(oldest.map(async (id) => dataOf(await send(target, "GET", `/v1/audit/logs/${id}`))));
}

/** RFC 4180, as a reader that knows nothing of us would do it. */
export function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy;
  for (let at = 0; at < text.length; at = cell.lastIndex) {
    const match = cell.exec(text);
    if (match === null) throw new Error(`no CSV at ${at}: ${JSON.stringify(text.slice(at, at + 60))}`);
    row.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? "");
    if (match[3] === ",") continue;
    rows.push(row);
    row = [];
  }
  return rows;
}

/** What a CSV cell has to say for a value of the API. */
export function toCell(value: Json): string {
  if (value === null) return "";
  if (typeof value === "object") return JSON.stringify(value);
  if (typeof value !== "string") return String(value);
  return /^[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/.test(value) ? `'${value}` : value;
}

/** Fills the ledger with records that take some time to export. */
export async function fatten(target: Target, records: number, characters = 100_000): Promise<void> {
  const input_content = ["lorem ipsum ".repeat(Math.ceil(characters / 12))];
  const body = { action: "gateway.chat", http_status: 200, input_content };
  for (let sent = 0; sent < records; sent += 20) {
    const group = Array.from({ length: Math.min(20, records - sent) }, () =>
      send(target, "POST", "/v1/audit/logs", { body }),
    );
    for (const response of await Promise.all(group)) {
      expect(response.status).toBe(201);
      await response.body?.cancel();
    }
  }
}
