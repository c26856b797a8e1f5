// What third parties have stated about the chains is in a report, with the notes that they have signed: whoever keeps the report can check them.

import { afterEach, expect, test } from "bun:test";
import { join } from "node:path";
import { jsonFile } from "../../../src/audit/report/file.ts";
import { renderReport } from "../../../src/audit/report/page.ts";
import { parseSuppliedNotes } from "../../../src/audit/verify/supplied-notes.ts";
import { makeReport } from "../../../src/calls/operations/report/make-report.ts";
import { administrationOf, neverAborted, openSeam, type Seam, unitVector } from "../../calls/storage/seam.ts";
import { removeFoldersAfterEach } from "../../cleanup.ts";
import { seenAt, witness } from "../receipts/made-receipts.ts";
import { contentOf, dayMs, verify } from "./made-reports.ts";

const createFolder = removeFoldersAfterEach();
const seams: Seam[] = [];
afterEach(async () => {
  for (const seam of seams.splice(0)) await seam.close();
});

test("a report names the newest statement of each witness and authority, and has the cosigned checkpoint", async () => {
  const seam = await openSeam({ path: join(createFolder(), "memledger.db") });
  seams.push(seam);
  const member = await seam.project();
  const { attestations, reports } = seam.store;
  const source = witness.verifierKey;
  let key = "";
  for (const content of ["one", "two", "three"]) {
    await member.create({ content, vector: unitVector(content.length) });
    key = String((await member.call("audit.checkpoint", {})).data.public_key);
    const due = (await attestations.unattested({ kind: "cosignature", source })).find(
      ({ project }) => project === member.id,
    );
    if (due === undefined) throw new Error("nothing is due");
    const [line = ""] = witness.cosign(due.note, seenAt).slice(due.note.length).split("\n");
    await attestations.add(due, { kind: "cosignature", source, content: line, at: due.size });
    if (content === "two")
      await attestations.add(due, { kind: "timestamp", source: "authority", content: "MIIB", at: 9 });
  }
  const period = { from: 0, to: Date.now() + dayMs };
  const chain = await reports.chain(member.caller.project, period, neverAborted);
  const sizes = chain?.attestations.map(({ kind, size, count }) => [kind, size, count]);
  expect(sizes).toEqual([
    ["cosignature", 5, 3],
    ["timestamp", 3, 1],
  ]);
  expect(chain?.attested).toMatchObject({ size: 5, timestamp: null });

  const input = { start_time: "2001-01-01", end_time: "2099-01-01", project: member.id, format: "json" };
  const prepared = await makeReport.prepare?.(input as never, administrationOf(seam.store));
  const { data } = await seam.administer(makeReport.name, input, prepared);
  const file = String(data.file);
  expect(verify(file, [key]).verdict).toBe("unattested");
  const report = contentOf(file);
  const { page, findings } = renderReport(report);
  expect(findings.join()).not.toContain("Nobody outside has signed this");
  expect(page).toContain("<td>witness.example/w1+");
  const { notes } = parseSuppliedNotes(file);
  expect(notes.map((note) => note.includes("— witness.example/w1 "))).toEqual([false, true]);
  expect(parseSuppliedNotes(jsonFile("{}", "")).notes).toEqual([]);
});
