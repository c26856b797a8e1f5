// Makes the reports of a real server whose projects were used, administered, erased and pruned.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readReportFile } from "../../../src/audit/report/file.ts";
import { type Report, toReport } from "../../../src/audit/report/report.ts";
import { type ReportTrust, verifyReport } from "../../../src/audit/report/verification.ts";
import { runtimeCryptography } from "../../../src/audit/runtime-cryptography.ts";
import { createKey, revokeKey } from "../../../src/calls/operations/access/key-operations.ts";
import { updateProject } from "../../../src/calls/operations/access/project-operations.ts";
import { eraseRecords } from "../../../src/calls/operations/ledger/erase-records.ts";
import { pruneRecords } from "../../../src/calls/operations/ledger/prune.ts";
import { makeReport } from "../../../src/calls/operations/report/make-report.ts";
import { isObject, type JsonObject } from "../../../src/platform/json/json.ts";
import { toTimestamp } from "../../../src/platform/time/timestamp.ts";
import { startTestApp, type TestApp } from "../../fixture.ts";
import { request, sessionPath } from "../../transports/http/console/signed-in.ts";

export const dayMs = 86_400_000;
/** What no report may have. */
export const personal = ["Dana", "Porto", "zqtext", "zqname"] as const;
/** Markup in what a report does have. */
export const reason = `Order 4711 <script>alert("1")</script> & 'quotes' \u202e`;

export interface UsedApp {
  readonly app: TestApp;
  /** A project that keeps records for 30 days, of which some were removed. */
  readonly project: { readonly id: string; readonly key: string };
  readonly publicKeys: readonly string[];
  readonly from: string;
  readonly to: string;
}

export async function useApp(): Promise<UsedApp> {
  const app = await startTestApp();
  const from = toTimestamp(Date.now() - dayMs);
  const project = await app.createProject("business", { retention_days: 30 });
  const { key } = project;
  const create = (content: string, subject?: string) =>
    app.call("POST", "/v1/memories", {
      key,
      body: { content, memory_type: "fact", ...(subject === undefined ? {} : { subject }) },
    });
  for (let index = 0; index < 12; index++) await create(`zqtext ${index}`);
  app.passTime(31 * dayMs);
  await create("Dana has moved to Porto.", "zqname dana");
  await create("Dana reads at night.", "zqname dana");
  await create("zqtext of another one", "zqname sam");
  await app.call("POST", "/v1/memories/search", { key, body: { query: "zqtext", subject: "zqname sam" } });
  await app.administer(pruneRecords, {});
  const { data } = await create("zqtext to be erased");
  await app.administer(eraseRecords, { memory: String(data.id), delete_memory: true, reason });
  await app.call("POST", "/v1/memories/search", { key, body: { wrong: "zqtext" } });
  await app.call("GET", "/v1/memories", { key: "ml_unknown" });
  await request(app, "POST", sessionPath, { body: { link: `mlk_${"a".repeat(43)}` } });
  await app.call("POST", "/v1/audit/logs", { key, body: { action: "tool.run", http_status: 200 } });
  const made = await app.administer(createKey, {
    project: project.id,
    name: "zqname key",
    permissions: ["memory.read"],
  });
  await app.administer(revokeKey, { key: String(made.id), reason: "Ticket 7" });
  await app.administer(updateProject, { project: project.id, retention_days: 40, reason: "Policy 2" });
  const publicKeys = readFileSync(join(app.config.dataDir, "audit.pub"), "utf8").trim().split("\n");
  return { app, project, publicKeys, from, to: toTimestamp(Date.now() + 40 * dayMs) };
}

export async function reportOf({ app, from, to }: UsedApp, input: JsonObject = {}): Promise<JsonObject> {
  return app.administer(makeReport, { start_time: from, end_time: to, ...input });
}

export function contentOf(file: string): Report {
  const value: unknown = JSON.parse(readReportFile(file)?.text ?? "null");
  const report = isObject(value) ? toReport(value) : null;
  if (report === null) throw new Error("the file has no report");
  return report;
}

export function verify(file: string, keys: readonly string[], kept: ReportTrust["kept"] = []) {
  return verifyReport(Buffer.from(file), { keys, kept }, runtimeCryptography);
}
