// Proves that an export leaves disk space for the database.

import { expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ExportFile } from "../../../src/audit/export/export-file.ts";

test("a piece that would take the reserve of the disk is refused as on a full disk, and leaves nothing behind", async () => {
  const folder = mkdtempSync(join(tmpdir(), "memledger-test-"));
  try {
    const enough = new ExportFile(join(folder, "small.json"), { reserveBytes: 0 });
    enough.append("[\n]\n");
    await enough.finish(() => "manifest");
    const scarce = new ExportFile(join(folder, "large.json"), { reserveBytes: Number.MAX_SAFE_INTEGER });
    expect(() => scarce.append("[\n]\n")).toThrow(expect.objectContaining({ code: "ENOSPC" }));
    await scarce.abandon();
    expect(readdirSync(folder).sort()).toEqual(["small.json", "small.json.manifest"]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
