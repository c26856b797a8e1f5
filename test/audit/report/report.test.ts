// Proves what the report of a period says: the same as the records, the settings and the anchors, and no text of a memory or name of a subject.

import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { type Report, reportText } from "../../../src/audit/report/report.ts";
import { makeReport } from "../../../src/calls/operations/report/make-report.ts";
import { allOperations } from "../../../src/calls/operations.ts";
import { tamper } from "../tamper.ts";
import { contentOf, dayMs, personal, reason, reportOf, useApp, verify } from "./made-reports.ts";

const used = await useApp();
const { app, project, publicKeys } = used;
afterAll(() => app.stop());

const made = await reportOf(used);
const page = String(made.file);
const report = contentOf(page);
const chainOf = ({ chains }: Report, id: string | null) => {
  const found = chains.find((chain) => (chain.project?.id ?? null) === id);
  if (found === undefined) throw new Error(`the report has no chain of ${id}`);
  return found;
};
const callsOf = ({ actions }: Report, action: string) => actions.find((each) => each.action === action);

describe("the report of the installation", () => {
  test("names every operation with what its record withholds", () => {
    expect(report.logged.map(({ action }) => action)).toEqual(allOperations.map(({ name }) => name));
    expect(report.logged.find(({ action }) => action === makeReport.name)).toMatchObject({
      effect: "adds",
      scope: "installation",
      withheld: ["subject"],
      answer: "audit records: not recorded",
    });
  });

  test("counts the records of each chain, without a gap", () => {
    for (const id of [null, project.id]) {
      const { first, last, records, missing, removed_through: removed } = chainOf(report, id);
      // The record of the report itself is the only one after it.
      const all = app.countRecords(id) - (id === null ? 1 : 0);
      expect({ id, records, missing, removed, first: first?.seq, last: last?.seq }).toEqual({
        id,
        records: all,
        missing: 0,
        removed: id === null ? 0 : 12,
        first: id === null ? 1 : 13,
        last: all + (id === null ? 0 : 12),
      });
    }
    expect(chainOf(report, project.id).appended).toBe(1);
    const counted = report.actions.reduce((sum, { succeeded, refused }) => sum + succeeded + refused, 0);
    expect(counted).toBe(report.chains.reduce((sum, { records }) => sum + records, 0));
    expect(callsOf(report, "tool.run")).toEqual({
      action: "tool.run",
      performed: false,
      succeeded: 1,
      refused: 0,
    });
  });

  test("says that the server has verified each chain, and a checkpoint of each covers all of its records", () => {
    for (const { last, verification, checkpoint } of report.chains) {
      expect(verification).toMatchObject({ verdict: "unattested", finding: null });
      expect(verification?.through_seq).toBe(last?.seq ?? -1);
      expect(checkpoint.size).toBe(last?.seq ?? -1);
    }
  });

  test("shows how long records are kept, and how old the removed ones were", () => {
    const chain = chainOf(report, project.id);
    expect(chain.retention_days).toBe(40);
    expect(chain.removals).toMatchObject([{ through: 12, count: 12, youngest_days: 31 }]);
    const findings = String(made.findings);
    expect(findings).toContain("records are kept for 40 days. Articles 19 and 26(6)");
    expect(findings).toContain("were 31 days old, less than the 40 days that are promised now");
    expect(findings).toContain("Nobody outside has signed this: installation");
  });

  test("lists erasures, administration and changes of keys with their reasons", () => {
    expect(report.erasures.records).toMatchObject([
      { action: "audit.redact", project: project.id, whole: 0, in_part: 1, reason },
    ]);
    const { records = [], more } = report.administration ?? {};
    const byAction = Object.fromEntries(records.map((record) => [record.action, record]));
    expect(byAction["key.revoke"]).toMatchObject({ kind: "key", reason: "Ticket 7", project: null });
    expect(byAction["project.update"]).toMatchObject({
      kind: "other",
      settings: "retention_days 40",
      reason: "Policy 2",
    });
    expect(byAction["project.update"]?.on).toContain(`project ${project.id}`);
    expect(byAction["audit.redact"]).toMatchObject({ kind: "erasure", reason });
    expect(byAction["project.update"]?.by).toMatch(/uid \d+.*over cli/);
    expect(more).toBe(0);
  });

  test("counts refused calls by code, and failed attempts to sign in", () => {
    expect(report.refusals).toMatchObject([
      { code: 1400, meaning: "invalid request", count: 1, sign_ins: 0 },
      { code: 1401, count: 2, sign_ins: 1 },
    ]);
  });

  test("names the embedding model with its hash", () => {
    expect(report.models).toMatchObject([
      { use: "embedding", sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
    ]);
  });

  test("has no text of a memory, no name of a subject and no name of a key", () => {
    for (const text of personal) {
      expect([text, page.includes(text)]).toEqual([text, false]);
      expect([text, reportText(report).includes(text)]).toEqual([text, false]);
    }
  });

  test("escapes everything in the page, which runs no script and loads nothing", () => {
    expect(page).not.toContain('<script>alert("1")');
    expect(page).toContain(
      "Order 4711 &lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;quotes&#39; \ufffd",
    );
    expect(page.match(/<script[^>]*>/g)).toEqual([
      '<script type="application/json" id="report">',
      '<script type="text/plain" id="signature">',
    ]);
    expect(page).not.toMatch(/\b(src|href)="(?!#)/);
  });

  test("is valid, and nobody outside has signed it", () => {
    const { verdict, headline, notProved } = verify(page, publicKeys);
    expect([verdict, headline]).toEqual([
      "unattested",
      "VALID: the ledger has signed this report, and the page shows what was signed. Nobody outside has signed it.",
    ]);
    expect(notProved.join()).toContain("That anything complies with a law or a standard.");
  });

  test("leaves a record without the report", () => {
    const record = app.records(null).findLast(({ action }) => action === makeReport.name);
    expect(record).toMatchObject({ status: 200, payload: { request_body: { start_time: used.from } } });
    expect(JSON.stringify(record?.payload)).not.toContain("file");
  });
});

test("the report of a project has its chain only, and what administrators did to it", async () => {
  const other = await app.createProject("business");
  await app.call("GET", "/v1/memories", { key: other.key });
  const content = contentOf(String((await reportOf(used, { project: project.id })).file));
  expect(content.chains.map((chain) => chain.project?.id)).toEqual([project.id]);
  expect(content.chain).toBe(content.chains[0]?.chain ?? "");
  const on = content.administration?.records.map((record) => record.on).join("\n") ?? "";
  expect(on).toContain(project.id);
  expect(on).not.toContain(other.id);
  const actions = content.administration?.records.map(({ action }) => action);
  expect(actions).toEqual(["project.update", "key.revoke", "key.create", "key.create", "project.create"]);
});

describe("the report of a subject", () => {
  test("has its counts only, and its pseudonym instead of its name", async () => {
    const answer = await reportOf(used, { project: project.id, subject: "zqname dana" });
    const content = contentOf(String(answer.file));
    expect(content.actions).toEqual([{ action: "memory.create", performed: true, succeeded: 2, refused: 0 }]);
    expect([content.administration, content.models, content.erasures.records]).toEqual([null, null, []]);
    expect(content.subject).toMatch(/^[0-9a-f]{32}$/);
    for (const text of personal) expect(String(answer.file)).not.toContain(text);
    expect(JSON.stringify(app.records(null).at(-1)?.payload)).not.toContain("zqname");
  });

  test("after its erasure, the pseudonym finds the erasure", async () => {
    const input = { project: project.id };
    const before = contentOf(String((await reportOf(used, { ...input, subject: "zqname sam" })).file));
    const pseudonym = before.subject ?? "";
    expect(callsOf(before, "memory.search")?.succeeded).toBe(1);
    const path = `/v1/subjects/${encodeURIComponent("zqname sam")}/erase`;
    const erased = await app.call("POST", path, { key: project.key, body: { reason: "Order 9" } });
    expect(erased.status).toBe(200);
    await expect(reportOf(used, { ...input, subject: "zqname sam" })).rejects.toThrow("is not known");
    const after = contentOf(String((await reportOf(used, { ...input, subject: pseudonym })).file));
    expect(after.erasures.records).toMatchObject([{ reason: "Order 9", pseudonyms: [pseudonym] }]);
    const all = contentOf(String((await reportOf(used, input)).file));
    expect(all.erasures.records).toHaveLength(2);
  });

  test("needs the project", async () => {
    await expect(reportOf(used, { subject: "zqname dana" })).rejects.toThrow("name the project");
  });
});

test.each([
  [{ start_time: "2026-02-02", end_time: "2026-02-01" }, "is before"],
  [{ start_time: "2100-01-01", end_time: "2100-01-02" }, "is in the future"],
  [{ project: "nobody" }, "There is no project"],
])("%p is refused", async (input, message) => {
  await expect(reportOf(used, input)).rejects.toThrow(message);
});

test("a period without records has none", async () => {
  const input = { start_time: "2020-01-01", end_time: "2020-01-31", project: project.id };
  const content = contentOf(String((await reportOf(used, input)).file));
  expect(content.chains[0]).toMatchObject({ first: null, last: null, records: 0, missing: 0 });
  expect(content.actions).toEqual([]);
});

test("a record that was changed is a finding", async () => {
  tamper(join(app.config.dataDir, "memledger.db"), (database) => {
    const { changes } = database
      .prepare(
        "UPDATE audit_entry SET entry = replace(entry, '201', '200') WHERE seq = 14 AND action = 'memory.create'",
      )
      .run();
    expect(changes).toBe(1);
  });
  // A round begins at the first record.
  app.passTime(dayMs);
  const answer = await reportOf(used, { project: project.id });
  const finding = 'Record 14 failed the check "hash"';
  expect(contentOf(String(answer.file)).chains[0]?.verification).toMatchObject({
    verdict: "broken",
    finding: expect.stringContaining(finding),
  });
  expect(String(answer.findings)).toContain(`the ledger does not verify. ${finding}`);
  // The server says so, too.
  expect(app.complaints.join()).toContain("does not verify");
  app.complaints.length = 0;
});
