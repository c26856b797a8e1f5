// What a scrape of a real server says: that it is exactly of the format, moves with the calls, has no label that a client can choose,
// and is answered while a thread restarts.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createServer } from "node:net";
import { createProject } from "../../../src/calls/operations/access/project-operations.ts";
import { rememberBackup, rememberFailure } from "../../../src/calls/operations/backups/last-backup.ts";
import { installationOperations, projectOperations } from "../../../src/calls/operations.ts";
import { spawnWorker } from "../../../src/platform/threads/spawn.ts";
import { families as table } from "../../../src/server/metrics/families.ts";
import { tableOf } from "../../docs/pages.ts";
import { startTestApp, type TestApp } from "../../fixture.ts";
import { post, toolCall } from "../../transports/mcp/clients.ts";
import { type MetricFamily, parseExposition, sampleValue } from "./exposition-text.ts";

const page = "docs/operator/METRICS.md";
let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ "metrics-port": "0" });
});
afterAll(() => app.stop());

async function scrape(of: Pick<TestApp, "metricsUrl"> = app): Promise<ReadonlyMap<string, MetricFamily>> {
  const response = await fetch(String(of.metricsUrl));
  expect(response.status).toBe(200);
  return parseExposition(await response.text());
}

const create = (content: string) =>
  app.call("POST", "/v1/memories", { body: { content, memory_type: "fact", importance: 0.5 } });
const search = (query: string) => app.call("POST", "/v1/memories/search", { body: { query } });

test("a scrape has every metric of the table, with its type, its help and its labels", async () => {
  const found = await scrape();
  expect([...found.keys()].toSorted()).toEqual(table.map(({ name }) => name).toSorted());
  for (const { name, type, help, labels = [] } of table) {
    const family = found.get(name);
    expect({ name, type: family?.type, help: family?.help }).toEqual({ name, type, help });
    for (const { labels: values } of family?.samples ?? []) {
      const { le: _, ...others } = values;
      expect({ name, labels: Object.keys(others) }).toEqual({ name, labels: [...labels] });
    }
  }
});

test("the page has the same metrics", () => {
  const named = tableOf(page, "about").flatMap(([, names = ""]) => names.replaceAll("`", "").split(", "));
  expect(named.toSorted()).toEqual(table.map(({ name }) => name).toSorted());
  const documented = tableOf(page, "label").flatMap(([names = ""]) => names.replaceAll("`", "").split(", "));
  expect(documented.toSorted()).toEqual([...new Set(table.flatMap(({ labels = [] }) => labels))].toSorted());
});

test("names and units follow the conventions of Prometheus", () => {
  for (const { name, type, help } of table) {
    expect(name).toMatch(/^(memledger|process)_[a-z]+(_[a-z]+)*$/);
    expect(name.endsWith("_total")).toBe(type === "counter");
    expect(name).not.toMatch(/_(ms|milliseconds|mb|kb|percent|count|sum|bucket)(_|$)/);
    expect(help).toMatch(/^[A-Z0-9].*\.$/);
  }
});

describe("values move with the calls", () => {
  test("calls, their durations, groups and records", async () => {
    const before = await scrape();
    await create("The office closes at six.");
    await create("The office closes at six.");
    const after = await scrape();
    const grown = (name: string, labels: Readonly<Record<string, string>> = {}) =>
      Number(sampleValue(after, name, labels)) - Number(sampleValue(before, name, labels) ?? 0);
    const ofCreate = { operation: "memory.create", transport: "http" };
    expect(grown("memledger_calls_total", { ...ofCreate, code: "1000" })).toBe(1);
    expect(grown("memledger_calls_total", { ...ofCreate, code: "2104" })).toBe(1);
    expect(grown("memledger_call_duration_seconds_count", ofCreate)).toBe(2);
    expect(grown("memledger_call_duration_seconds_sum", ofCreate)).toBeGreaterThan(0);
    expect(grown("memledger_call_record_duration_seconds_count", { operation: "memory.create" })).toBe(2);
    expect(grown("memledger_group_calls_sum")).toBe(2);
    expect(grown("memledger_commit_duration_seconds_count")).toBeGreaterThanOrEqual(2);
    expect(grown("memledger_ledger_written_records_total")).toBe(2);
    expect(grown("memledger_ledger_written_bytes_total")).toBeGreaterThan(500);
    expect(grown("memledger_ledger_records")).toBe(2);
    expect(grown("memledger_memories", { type: "fact" })).toBe(1);
    expect(sampleValue(after, "memledger_calls_running")).toBe(0);
  });

  test("searches, by stage, and the embeddings of their queries", async () => {
    await search("When does it close?");
    const before = await scrape();
    await search("When does it close?");
    await search("Is it open at seven?");
    const after = await scrape();
    const grown = (name: string, labels: Readonly<Record<string, string>>) =>
      Number(sampleValue(after, name, labels)) - Number(sampleValue(before, name, labels));
    for (const stage of ["embed", "wait", "catch_up", "scan", "rescore", "read", "record"]) {
      const name = "memledger_search_stage_duration_seconds_count";
      expect({ stage, searches: grown(name, { stage }) }).toEqual({ stage, searches: 2 });
    }
    const texts = (result: string) => grown("memledger_embedding_texts_total", { role: "query", result });
    expect([texts("cached"), texts("computed")]).toEqual([1, 1]);
    expect(grown("memledger_embedding_batches_total", {})).toBe(1);
    expect(grown("memledger_embedding_busy_seconds_total", {})).toBeGreaterThan(0);
    expect(sampleValue(after, "memledger_search_indexes")).toBe(1);
    expect(sampleValue(after, "memledger_search_index_bytes")).toBeGreaterThan(1_000);
  });

  test("state of the ledger, the files and the process", async () => {
    const found = await scrape();
    const { records } = { records: app.countRecords(null) + app.countRecords(app.projectId) };
    expect(sampleValue(found, "memledger_ledger_records")).toBe(records);
    expect(sampleValue(found, "memledger_ledger_unsigned_records")).toBe(records);
    expect(sampleValue(found, "memledger_projects")).toBe(1);
    const now = Date.now() / 1_000;
    expect(sampleValue(found, "memledger_ledger_oldest_unsigned_timestamp_seconds")).toBeCloseTo(now, -3);
    // The process of the tests may have run for many minutes.
    expect(sampleValue(found, "process_start_time_seconds")).toBeCloseTo(now - process.uptime(), -1);
    expect(sampleValue(found, "memledger_database_bytes")).toBeGreaterThan(4_096);
    expect(sampleValue(found, "memledger_wal_bytes")).toBeGreaterThan(4_096);
    expect(sampleValue(found, "memledger_disk_free_bytes")).toBeGreaterThan(0);
    expect(sampleValue(found, "process_resident_memory_bytes")).toBeGreaterThan(10_000_000);
    expect(sampleValue(found, "memledger_ready")).toBe(1);
    // Nothing was verified or backed up, so there is no such time. The beginning of each chain is signed.
    expect(sampleValue(found, "memledger_checkpoint_timestamp_seconds")).toBeCloseTo(now, -2);
    for (const name of ["ledger_verified", "backup", "backup_failure"])
      expect(sampleValue(found, `memledger_${name}_timestamp_seconds`)).toBeNull();
    expect(found.get("memledger_build_info")?.samples[0]?.labels).toMatchObject({
      version: expect.any(String),
      model: expect.any(String),
      extractor: "built-in",
    });
  });

  test("a checkpoint covers all records, and a verification has its time", async () => {
    const { createKey } = app;
    const { key } = await createKey(app.projectId, ["audit.read"]);
    expect((await app.call("GET", "/v1/audit/verify", { key })).status).toBe(200);
    await app.call("GET", "/v1/audit/checkpoint", { key });
    const found = await scrape();
    expect(sampleValue(found, "memledger_ledger_verified_timestamp_seconds")).toBeCloseTo(
      Date.now() / 1_000,
      -3,
    );
    expect(sampleValue(found, "memledger_ledger_failed_chains")).toBe(0);
  });
});

test("the last backup has its time and size, and a later failure its time", async () => {
  const { dataDir } = app.config;
  const [madeAtMs, failedAtMs] = [Date.parse("2026-11-20T10:00:00Z"), Date.parse("2026-11-21T10:00:00Z")];
  rememberBackup(dataDir, { atMs: madeAtMs, bytes: 12_345, path: "/backups/one.tar.zst" });
  const made = await scrape();
  expect(sampleValue(made, "memledger_backup_timestamp_seconds")).toBe(madeAtMs / 1_000);
  expect(sampleValue(made, "memledger_backup_bytes")).toBe(12_345);
  expect(sampleValue(made, "memledger_backup_failure_timestamp_seconds")).toBeNull();
  rememberFailure(dataDir, { atMs: failedAtMs, message: "No space is left." });
  const failed = await scrape();
  expect(sampleValue(failed, "memledger_backup_timestamp_seconds")).toBe(madeAtMs / 1_000);
  expect(sampleValue(failed, "memledger_backup_failure_timestamp_seconds")).toBe(failedAtMs / 1_000);
});

test("no label has a value that a client has chosen", async () => {
  const marker = "zz9hostile";
  const hostile = [
    app.call("GET", `/v1/${marker}`),
    app.call("GET", `/v1/memories/${marker}`),
    app.call("GET", `/v1/memories?${marker}=1`),
    app.call("POST", "/v1/memories", { body: { content: marker, memory_type: marker } }),
    app.call("POST", "/v1/memories", { body: `{"${marker}` }),
    app.call("GET", "/v1/memories", { key: `ml_${marker}` }),
    app.call("GET", "/v1/memories", {
      headers: { "User-Agent": marker, "X-Audit-Metadata": `{"a":"${marker}"}` },
    }),
    fetch(`${app.url}/v1/memories`, { method: "PROPFIND" }),
    post(app.url, app.apiKey, toolCall(marker, {})),
    post(app.url, app.apiKey, { jsonrpc: "2.0", id: 1, method: marker, params: {} }),
    post(app.url, app.apiKey, toolCall("memory_save", { content: `Nobody counts ${marker}.`, type: "fact" })),
    app.administer(createProject, { name: marker }),
  ];
  await Promise.all(hostile);
  const response = await fetch(String(app.metricsUrl));
  const text = await response.text();
  expect(text).not.toContain(marker);
  expect(text).not.toContain(app.projectId);
  expect(text).not.toContain("ml_");
  const found = parseExposition(text);
  const known = new Set<string>([...projectOperations, ...installationOperations].map(({ name }) => name));
  const values = (name: string) =>
    new Set(
      table.flatMap((family) =>
        (found.get(family.name)?.samples ?? []).flatMap(({ labels }) => labels[name] ?? []),
      ),
    );
  expect([...values("operation")].filter((operation) => !known.has(operation))).toEqual([]);
  const transports = [...values("transport")].toSorted();
  expect(transports.filter((each) => !["cli", "http", "mcp", "server"].includes(each))).toEqual([]);
  expect([...values("code")].filter((code) => !/^(1000|1[45]\d\d|2[12]\d\d)$/.test(code))).toEqual([]);
  const requests = found.get("memledger_requests_without_operation_total")?.samples ?? [];
  expect(requests.map(({ labels }) => labels.status).toSorted()).toEqual(["200", "404", "405"].toSorted());
});

describe("the port for metrics", () => {
  const fetchPath = (path: string, init: RequestInit = {}) =>
    fetch(new URL(path, String(app.metricsUrl)), init);

  test("answers HEAD without a body, and other paths and methods with what to do", async () => {
    const got = await fetchPath("/metrics");
    expect(got.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    expect(got.headers.get("cache-control")).toBe("no-store");
    await got.text();
    const head = await fetchPath("/metrics", { method: "HEAD" });
    expect([head.status, head.headers.get("content-type"), await head.text()]).toEqual([
      200,
      "text/plain; version=0.0.4; charset=utf-8",
      "",
    ]);
    const posted = await fetchPath("/metrics", { method: "POST", body: "a=1" });
    expect([posted.status, posted.headers.get("allow"), await posted.text()]).toEqual([
      405,
      "GET, HEAD",
      "Method not allowed. Use GET or HEAD.\n",
    ]);
    for (const path of ["/", "/metrics/", "/v1/memories", "/health/ready"]) {
      const other = await fetchPath(path, { headers: { Authorization: `Bearer ${app.apiKey}` } });
      expect([path, other.status, await other.text()]).toEqual([
        path,
        404,
        "Not found. Metrics are at /metrics.\n",
      ]);
    }
    expect((await fetchPath("/metrics?name[]=up")).status).toBe(200);
    expect((await fetch(`${app.url}/metrics`)).status).toBe(404);
  });

  test("answers no web page that reaches it under another name", async () => {
    const refused = await fetchPath("/metrics", { headers: { Host: "rebound.example" } });
    expect(refused.status).toBe(403);
    expect(await refused.text()).toContain("--allowed-hosts");
  });

  test("answers many scrapes at the same time with the same text", async () => {
    const texts = await Promise.all(
      Array.from({ length: 20 }, async () => (await fetchPath("/metrics")).text()),
    );
    for (const text of texts) parseExposition(text);
    expect(new Set(texts).size).toBeLessThan(20);
  });

  test("that is in use is an error that names the settings, and leaves nothing behind", async () => {
    const other = createServer();
    await new Promise<void>((resolve) => void other.listen(0, "127.0.0.1", resolve));
    const address = other.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    try {
      await expect(startTestApp({ "metrics-port": String(port) })).rejects.toThrow(
        `Port ${port} of 127.0.0.1 is in use by another process. Stop that process, or choose another port with --metrics-port (0 selects a free port).`,
      );
    } finally {
      other.close();
    }
  });

  test("is not there unless it is configured", async () => {
    const silent = await startTestApp();
    expect(silent.metricsUrl).toBeNull();
    await silent.stop();
  });
});

test("a scrape is answered while the writer is away, with the last values, and counts its restart", async () => {
  const workers: ReturnType<typeof spawnWorker>[] = [];
  const limping = await startTestApp({ "metrics-port": "0" }, (name, init) => {
    const worker = spawnWorker(name, init);
    if (name === "writer") workers.push(worker);
    return worker;
  });
  const before = await scrape(limping);
  const records = sampleValue(before, "memledger_ledger_written_records_total");
  expect(records).toBeGreaterThan(0);
  expect(sampleValue(before, "memledger_source_up", { source: "groups" })).toBe(1);
  const [writer] = workers;
  await writer?.terminate();
  const meanwhile = await scrape(limping);
  expect(sampleValue(meanwhile, "memledger_source_up", { source: "groups" })).toBe(0);
  expect(sampleValue(meanwhile, "memledger_ledger_written_records_total")).toBe(records);
  expect(sampleValue(meanwhile, "memledger_source_age_seconds", { source: "groups" })).toBeGreaterThan(0);
  expect(sampleValue(meanwhile, "memledger_source_up", { source: "contents" })).toBe(1);
  expect(sampleValue(meanwhile, "memledger_ready")).toBe(0);
  let after = meanwhile;
  while (sampleValue(after, "memledger_source_up", { source: "groups" }) === 0) after = await scrape(limping);
  expect(sampleValue(after, "memledger_thread_restarts_total", { thread: "writer" })).toBe(1);
  expect(sampleValue(after, "memledger_ledger_written_records_total")).toBe(0);
  expect(limping.complaints.splice(0).join(" ")).toContain("the writer thread ended and is restarted");
  await limping.stop();
});

test("projects are labels only if that is configured", async () => {
  const asked = await startTestApp({ "metrics-port": "0", "metrics-projects": "true" });
  const { projectId: project } = asked;
  const other = await asked.createProject("pro");
  await asked.call("POST", "/v1/memories", { body: { content: "The door is green.", memory_type: "fact" } });
  const rule = { content: "Shut the door.", memory_type: "rule" };
  await asked.call("POST", "/v1/memories", { key: other.key, body: rule });
  const found = await scrape(asked);
  expect(sampleValue(found, "memledger_project_memories", { project, type: "fact" })).toBe(1);
  expect(sampleValue(found, "memledger_project_memories", { project: other.id, type: "rule" })).toBe(1);
  expect(sampleValue(found, "memledger_project_calls_total", { project })).toBe(1);
  expect(sampleValue(found, "memledger_project_ledger_records", { project })).toBe(
    asked.countRecords(project),
  );
  await asked.stop();
  expect((await scrape()).get("memledger_project_memories")?.samples).toEqual([]);
});
