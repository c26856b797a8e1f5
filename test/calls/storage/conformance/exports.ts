// What every engine promises about exports: which records belong to one, that one runs at a time, and files that verify.

import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { manifestPath } from "../../../../src/audit/export/export.ts";
import { runtimeCryptography } from "../../../../src/audit/runtime-cryptography.ts";
import { verifyExport } from "../../../../src/audit/verify/export/verification.ts";
import { createNoteReader } from "../../../../src/audit/verify/note-reader.ts";
import { eraseRecords } from "../../../../src/calls/operations/ledger/erase-records.ts";
import type { Engine } from "../../../../src/calls/storage/engine.ts";
import { describeWith } from "../../../needs.ts";
import { administrationOf, openSeam, unitVector } from "../seam.ts";
import { createPlace, type EngineUnderTest, withSeam } from "./engine-under-test.ts";

const memory = (content: string) => ({ content, vector: unitVector(content.length) });
const span = { start_time: "2020-01-01", end_time: "2100-01-01", format: "json" };
const patienceMs = 30_000;

/** The export, once nobody works on it any more. */
async function finished(engine: Engine, folder: string, id: string) {
  for (const endsAt = Date.now() + patienceMs; Date.now() < endsAt; await Bun.sleep(20)) {
    const found = await engine.findExport(folder, id);
    if (found === null || found.status !== "processing") return found;
  }
  throw new Error("the export was not finished");
}

export function testExports(subject: EngineUnderTest): void {
  describe("an export", () => {
    test("has the records before its call, and is the only one that runs in its project", () =>
      withSeam(subject, async (seam) => {
        const [member, other] = [await seam.project(), await seam.project()];
        await member.create(memory("one"));
        await member.create(memory("two"));
        const begun = await member.call("audit.export", span);
        expect(begun.data).toMatchObject({ status: "processing", estimated_records: 2 });
        const export_id = String(begun.data.export_id);
        expect(await member.call("audit.export", span)).toMatchObject({ code: 2203, data: { export_id } });
        expect((await other.call("audit.export", span)).code).toBe(1000);
        const status = await member.call("audit.export_status", { export_id });
        expect(status.data).toMatchObject({ export_id, status: "processing" });
        expect((await other.call("audit.export_status", { export_id })).code).toBe(2205);
        const { data } = await member.call("audit.export_list", {});
        expect(data.exports).toEqual([status.data]);
      }));
  });

  describeWith(subject.lacks["export files"] ?? null)("the files of an export", () => {
    test("verify, and are gone with an erasure of a record in them", async () => {
      using place = createPlace();
      const { exports: folder, verifierKeys } = place.ledger;
      const engine = subject.open(place.folder);
      const seam = await openSeam({ engine, ledger: place.ledger });
      const member = await seam.project();
      const { data: made } = await member.create(memory("Ada lives at 16 Example Lane"));
      seam.store.exports.start();
      const { data } = await member.call("audit.export", span);
      const found = await finished(engine, folder, String(data.export_id));
      expect(found).toMatchObject({ status: "completed", records: 1, verifiable: true });
      const path = found?.path ?? "";
      const verified = await verifyExport({
        file: Bun.file(path).stream(),
        manifest: readFileSync(manifestPath(path), "utf8"),
        reader: createNoteReader(verifierKeys, runtimeCryptography),
        cryptography: runtimeCryptography,
        checkpoints: [],
        remarks: [],
        refusedOutside: null,
        roots: [],
      });
      expect(verified).toMatchObject({ records: 1, failure: null, contradiction: null });
      const input = { memory: String(made.id) };
      const prepared = await eraseRecords.prepare?.(input, administrationOf(seam.store));
      const erased = await seam.administer("audit.redact", input, prepared);
      expect(erased.data).toMatchObject({ redacted: 1, exports: [String(data.export_id)] });
      expect([existsSync(path), existsSync(manifestPath(path))]).toEqual([false, false]);
      const status = await member.call("audit.export_status", { export_id: String(data.export_id) });
      expect(status.code).toBe(2205);
      await seam.close();
      expect(seam.complaints).toEqual([]);
    });
  });
}
