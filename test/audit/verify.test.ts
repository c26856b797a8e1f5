// Proves the verification of databases and exports on the folder of forgeries: each lie is found, at its place, and no honest file is
// called a lie.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Unusable } from "../../src/audit/verdict.ts";
import { verifyPath } from "../../src/cli/audit-verify.ts";
import { forgeAll, type Specimen } from "./forge.ts";

const folder = mkdtempSync(join(tmpdir(), "memledger-forged-"));
let specimens: readonly Specimen[] = [];

beforeAll(() => {
  specimens = forgeAll(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Found = Pick<Specimen, "name" | "verdict" | "seq" | "check">;

async function examine({ name, path, checkpoints, publicKey }: Specimen): Promise<Found> {
  try {
    const { finding } = await verifyPath(path, { checkpoints, publicKey, project: null });
    const { verdict, failure } = finding;
    return { name, verdict, seq: failure?.seq ?? null, check: failure?.check ?? null };
  } catch (error) {
    if (!(error instanceof Unusable)) throw error;
    return { name, verdict: "unusable", seq: null, check: null };
  }
}

describe("the folder of forgeries", () => {
  test("every file gets the verdict, the position and the check that it deserves", async () => {
    const found: Found[] = [];
    for (const specimen of specimens) found.push(await examine(specimen));
    expect(found).toEqual(specimens.map(({ name, verdict, seq, check }) => ({ name, verdict, seq, check })));
    expect(specimens.length).toBeGreaterThan(150);
  });
});
