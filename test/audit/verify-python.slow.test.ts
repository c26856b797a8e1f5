// Holds the second verifier, test/verify.py, against ours: on every forged and honest file both must say the same, and each of them
// proves that the page that defines the format suffices.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { forgeAll, type Specimen } from "./forge.ts";
import { askSecond, python } from "./second-verifier.ts";

const folder = mkdtempSync(join(tmpdir(), "memledger-python-"));
let specimens: readonly Specimen[] = [];

beforeAll(() => {
  specimens = forgeAll(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

if (python === null) {
  test.skip("the second verifier: python3 is not installed", () => undefined);
} else {
  const golden = ["json", "csv"].map((format): Specimen => {
    const path = resolve(import.meta.dir, "golden/v1");
    const checkpoints = [join(path, "checkpoints.notes")];
    const files = { path: join(path, `export.${format}`), checkpoints, publicKey: join(path, "audit.pub") };
    return { name: `golden.${format}`, ...files, verdict: "intact", seq: null, check: null };
  });

  describe("the second verifier", () => {
    test("agrees on every file", () => {
      const said = askSecond(specimens);
      // Without a zstd library Python cannot look into the payloads of a database, and says so.
      const judged = specimens.filter(
        ({ check }, index) => said[index]?.payloads_checked !== false || check !== "payload",
      );
      const found = specimens.map(({ name }, index) => ({ name, ...said[index] }));
      for (const { name, verdict, seq, check } of judged) {
        const {
          verdict: theirs,
          seq: at = null,
          check: failed = null,
        } = found.find((one) => one.name === name) ?? {};
        expect({ name, verdict: theirs, seq: at, check: failed }).toEqual({ name, verdict, seq, check });
      }
      expect(judged.length).toBeGreaterThan(150);
    });

    test("checks signatures by itself where the package cryptography is missing", () => {
      const few = specimens.filter(({ name }) =>
        /honest\.(json|csv)|manifest-own-key|database-own-key$/.test(name),
      );
      // -S -I: without site-packages.
      const jobs = [...golden, ...few];
      const said = askSecond(jobs, ["-I", "-S"]);
      expect(said.map(({ verdict }) => verdict)).toEqual(jobs.map(({ verdict }) => verdict));
      expect(few.length).toBeGreaterThan(3);
    });
  });
}
