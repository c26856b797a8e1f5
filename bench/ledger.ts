// What the ledger costs and carries: appending, verifying, exporting and listing records of 1 KB, on one real database file that is
// filled once for all of it.

import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { join } from "node:path";
import { median, ms, perSecond } from "./figures.ts";
import {
  type BenchOptions,
  copyAlone,
  type Measure,
  measureTable,
  progress,
  residentMegabytes,
  type Server,
  startServer,
  type Table,
  temporaryFolder,
} from "./harness.ts";
import { Connection, toRequest } from "./http-client.ts";
import { actions, type FilledLedger, fillLedger } from "./ledger-fill.ts";
import { planned } from "./ledger-plan.ts";

const settleMs = 2_000;
const sampleEveryMs = 100;
const pageSize = 50;
const pages = 200;

export async function ledger(options: BenchOptions): Promise<readonly Table[]> {
  using folder = temporaryFolder();
  const executable = copyAlone(options.executable, folder.path);
  const dataDir = join(folder.path, "data");
  const filled = await fillLedger(dataDir, options.records, { groupCommit: true });
  const alone = await fillLedger(join(folder.path, "alone"), options.records / 50, { groupCommit: false });
  const measures = [appended(filled, alone), ...(await verified(executable, dataDir, options))];
  {
    await using server = await startServer(executable, dataDir);
    measures.push(...(await listed(server, filled)), await proved(server, filled));
    measures.push(await provedOne(server, filled));
    measures.push(...(await exported(server, filled)));
  }
  measures.push(planned(dataDir, filled));
  const bytes = statSync(join(dataDir, "memledger.db")).size;
  const note = `${options.records.toLocaleString("en")} records appended through \`Store.commit\` as \`audit.append\`, each with a payload of 1 KB, durable (\`synchronous = FULL\`); the database has ${(bytes / 1e9).toFixed(2)} GB. Verification and the server are the executable's.`;
  return [measureTable("Ledger", note, measures)];
}

function appended(filled: FilledLedger, alone: FilledLedger): Measure {
  return {
    what: `append in groups (last tenth: ${perSecond(filled.lastTenthPerSecond)})`,
    figure: perSecond(filled.perSecond),
    comparedTo: `a commit for each: ${perSecond(alone.perSecond)}, ratio ${(filled.perSecond / alone.perSecond).toFixed(1)}`,
    bar: "≥ 15,000/s",
    reached: filled.perSecond >= 15_000,
  };
}

async function verified(
  executable: string,
  dataDir: string,
  { rounds }: BenchOptions,
): Promise<readonly Measure[]> {
  const rates: number[] = [];
  for (let round = 0; round < Math.min(rounds, 3); round++) {
    progress(`ledger: verification, round ${round + 1}`);
    const begun = performance.now();
    const child = Bun.spawn([executable, "audit", "verify", dataDir, "--json"], { stdout: "pipe" });
    const { verdict, records } = JSON.parse(await new Response(child.stdout).text());
    if (verdict !== "unattested") throw new Error(`The ledger is ${verdict}.`);
    rates.push((1_000 * records) / (performance.now() - begun));
  }
  return [
    {
      what: "`audit verify`, start of the process included",
      figure: perSecond(median(rates)),
      comparedTo: `nothing but SHA-256 of such an entry and payload, one thread: ${perSecond(hashRate())}`,
      bar: "≥ 200,000/s",
      reached: median(rates) >= 200_000,
    },
  ];
}

/** What no verifier can do without. */
function hashRate(): number {
  const [entry, payload] = ["e".repeat(560), "p".repeat(1_024)];
  const records = 200_000;
  const begun = performance.now();
  for (let record = 0; record < records; record++) {
    createHash("sha256").update(entry).digest();
    createHash("sha256").update(payload).digest();
  }
  return (1_000 * records) / (performance.now() - begun);
}

async function listed({ port }: Server, { key }: FilledLedger): Promise<readonly Measure[]> {
  progress("ledger: lists");
  const connection = await Connection.open(port);
  const get = async (query: string) => {
    const begun = performance.now();
    const path = `/v1/audit/logs?page_size=${pageSize}${query}`;
    const { status, body } = await connection.send(toRequest("GET", path, key));
    if (status !== 200) throw new Error(`A list was answered with ${status}.`);
    const tookMs = performance.now() - begun;
    return { tookMs, data: JSON.parse(new TextDecoder().decode(body)).data };
  };
  const first = await get("");
  const last = await get(`&page=${Math.floor(first.data.total / pageSize) - 1}`);
  const times: Record<"shallow" | "deep" | "rare", number[]> = { shallow: [], deep: [], rare: [] };
  for (let page = 0; page < pages; page++) {
    times.shallow.push((await get("")).tookMs);
    times.deep.push((await get(`&cursor=${last.data.next_cursor}`)).tookMs);
    if (page % 10 === 0) times.rare.push((await get(`&action=${actions.rare}`)).tookMs);
  }
  connection.close();
  const deep = median(times.deep);
  return [
    {
      what: `list page of ${pageSize} by cursor at depth ${first.data.total.toLocaleString("en")}, HTTP and record included (p50)`,
      figure: ms(deep),
      comparedTo: `the first page: ${ms(median(times.shallow))}; a page and the total of the rare action: ${ms(median(times.rare))}`,
      bar: "≤ 5 ms",
      reached: deep <= 5,
    },
  ];
}

/** A whole round of verification through the API, and what lists wait for it. */
async function proved({ port }: Pick<Server, "port">, { key }: Pick<FilledLedger, "key">): Promise<Measure> {
  progress("ledger: verification through the API");
  const [verifier, lister] = [await Connection.open(port), await Connection.open(port)];
  const get = async (connection: Connection, path: string) => {
    const { status, body } = await connection.send(toRequest("GET", path, key));
    if (status !== 200) throw new Error(`${path} was answered with ${status}.`);
    return JSON.parse(new TextDecoder().decode(body)).data;
  };
  const begun = performance.now();
  let records: number | null = null;
  const round = async () => {
    while (records === null) {
      const { complete, verified } = await get(verifier, "/v1/audit/verify");
      if (complete) records = verified;
    }
    return performance.now() - begun;
  };
  const times: number[] = [];
  const finished = round();
  while (records === null) {
    const asked = performance.now();
    await get(lister, `/v1/audit/logs?page_size=${pageSize}`);
    times.push(performance.now() - asked);
  }
  const rate = (1_000 * records) / (await finished);
  verifier.close();
  lister.close();
  return {
    what: "a round of `GET /v1/audit/verify`, while a client lists without a pause",
    figure: perSecond(rate),
    comparedTo: `a list page of ${pageSize} meanwhile (p50): ${ms(median(times))}`,
    bar: "≥ 20,000/s",
    reached: rate >= 20_000,
  };
}

/** The proofs of records in all parts of the ledger, by turns with reading them. */
async function provedOne(
  { port }: Pick<Server, "port">,
  { key }: Pick<FilledLedger, "key">,
): Promise<Measure> {
  progress("ledger: proofs");
  const connection = await Connection.open(port);
  const get = async (path: string) => {
    const begun = performance.now();
    const { status, body } = await connection.send(toRequest("GET", `/v1/audit/${path}`, key));
    if (status !== 200) throw new Error(`${path} was answered with ${status}.`);
    const tookMs = performance.now() - begun;
    return { tookMs, data: JSON.parse(new TextDecoder().decode(body)).data };
  };
  await get("checkpoint");
  const { total } = (await get(`logs?page_size=${pageSize}`)).data;
  const times: Record<"proof" | "reading" | "consistency", number[]> = {
    proof: [],
    reading: [],
    consistency: [],
  };
  for (let page = 1; page <= pages; page++) {
    const at = Math.max(1, Math.floor((page * total) / pageSize / pages));
    const { id } = (await get(`logs?page_size=${pageSize}&page=${at}`)).data.logs[0];
    times.proof.push((await get(`logs/${id}/proof`)).tookMs);
    times.reading.push((await get(`logs/${id}`)).tookMs);
    times.consistency.push(
      (await get(`consistency?from=${Math.ceil(total / (page + 1))}&to=${total}`)).tookMs,
    );
  }
  connection.close();
  const proof = median(times.proof);
  return {
    what: "the proof of one record, HTTP and record included (p50)",
    figure: ms(proof),
    comparedTo: `reading it: ${ms(median(times.reading))}; a proof of consistency: ${ms(median(times.consistency))}`,
    bar: "< 5 ms",
    reached: proof < 5,
  };
}

async function exported(server: Server, { key }: FilledLedger): Promise<readonly Measure[]> {
  await Bun.sleep(settleMs);
  const idle = await residentMegabytes(server.pid);
  progress(`ledger: export, ${idle.toFixed(0)} MB when idle`);
  const call = async (method: string, path: string, body?: unknown) => {
    const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
    const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    const response = await fetch(`http://127.0.0.1:${server.port}/v1/audit/logs/export${path}`, init);
    const { success, message, data } = (await response.json()) as Answer;
    if (!success) throw new Error(`The export was refused: ${message}`);
    return data;
  };
  const span = { start_time: "2000-01-01", end_time: "2100-01-01", format: "csv" };
  const { export_id } = await call("POST", "", span);
  const samples: number[] = [];
  let task = await call("GET", `/${export_id}`);
  for (; task.status === "processing"; task = await call("GET", `/${export_id}`)) {
    for (let sample = 0; sample < 5; sample++) {
      samples.push(await residentMegabytes(server.pid));
      await Bun.sleep(sampleEveryMs);
    }
  }
  if (task.status !== "completed") throw new Error(`The export ended as ${task.status}: ${task.error}`);
  const seconds = (Date.parse(task.completed_at ?? "") - Date.parse(task.created_at ?? "")) / 1_000;
  const rate = (task.records ?? 0) / seconds;
  const peak = Math.max(...samples) - idle;
  const half = Math.ceil(samples.length / 2);
  const [early, late] = [samples.slice(0, half), samples.slice(half)].map((part) => median(part) - idle);
  return [
    {
      what: "export as CSV",
      figure: perSecond(rate),
      comparedTo: `${(Number(task.bytes) / 1e6 / seconds).toFixed(0)} MB/s, hashes and payloads included, ${(Number(task.bytes) / 1e9).toFixed(2)} GB in ${seconds.toFixed(1)} s`,
      bar: "≥ 50,000/s",
      reached: rate >= 50_000,
    },
    {
      what: "resident memory above idle while it runs (peak)",
      figure: `${peak.toFixed(0)} MB`,
      comparedTo: `first half: ${early?.toFixed(0)} MB, second half: ${late?.toFixed(0)} MB (medians of ${samples.length} samples)`,
      bar: "< 150 MB",
      reached: peak < 150,
    },
  ];
}

interface Answer {
  readonly success: boolean;
  readonly message: string;
  readonly data: Readonly<Record<string, string>> & { readonly records?: number };
}
