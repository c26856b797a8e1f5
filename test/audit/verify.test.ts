// Proves the verification of databases and exports on the folder of forgeries: each lie is found, at its place, and no honest file is
// called a lie.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Report, UnusableInput } from "../../src/audit/verify/verdict.ts";
import { findSubject, gatherEvidence } from "../../src/cli/audit/evidence.ts";
import { verifyPath } from "../../src/cli/audit/verify.ts";
import { verifyDatabase } from "../../src/engines/sqlite/verify/verify.ts";
import { forgeAll, type Specimen } from "./forge.ts";

const folder = mkdtempSync(join(tmpdir(), "memledger-forged-"));
let specimens: readonly Specimen[] = [];

beforeAll(() => {
  specimens = forgeAll(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Found = Pick<Specimen, "name" | "verdict" | "seq" | "check">;

/** With its database cut into short ranges, so that most records have a border beside them. */
async function examineInRowRangees(
  { path, checkpoints, publicKey }: Specimen,
  threads?: number,
): Promise<Report> {
  const evidence = gatherEvidence(findSubject(path), { checkpoints, publicKey });
  const tuning = { rowsPerRange: 3, ...(threads === undefined ? {} : { threads }) };
  return verifyDatabase({ ...evidence, ...tuning, path, project: null });
}

async function examineWhole({ path, checkpoints, publicKey }: Specimen): Promise<Report> {
  return (await verifyPath(path, { checkpoints, publicKey, project: null })).finding;
}

async function examine(specimen: Specimen, look: (specimen: Specimen) => Promise<Report>): Promise<Found> {
  const { name } = specimen;
  try {
    const { verdict, failure } = await look(specimen);
    return { name, verdict, seq: failure?.seq ?? null, check: failure?.check ?? null };
  } catch (error) {
    if (!(error instanceof UnusableInput)) throw error;
    return { name, verdict: "unusable", seq: null, check: null };
  }
}

describe("the folder of forgeries", () => {
  test("every file gets the verdict, the position and the check that it deserves", async () => {
    const found: Found[] = [];
    for (const specimen of specimens) found.push(await examine(specimen, examineWhole));
    expect(found).toEqual(specimens.map(({ name, verdict, seq, check }) => ({ name, verdict, seq, check })));
    expect(specimens.length).toBeGreaterThan(150);
  });

  test("a database gets the same verdict in ranges of any length, in any order and in several threads", async () => {
    const databases = specimens.filter(({ name }) => name.startsWith("database-"));
    for (const [index, specimen] of databases.entries()) {
      // Every thread takes a while to start, so only some of them are looked at with several.
      const threads = index % 12 === 0 ? 2 : undefined;
      const { name, verdict, seq } = await examine(specimen, (one) => examineInRowRangees(one, threads));
      expect({ name, verdict, seq }).toEqual({ name, verdict: specimen.verdict, seq: specimen.seq });
    }
  });
});
