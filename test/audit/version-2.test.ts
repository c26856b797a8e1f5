// Tests version 2 of the record format: the golden texts, and the verification of made databases and of forged ones.

import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Project } from "../../src/access/project.ts";
import type { Segment } from "../../src/audit/verify/segment.ts";
import { UnusableInput } from "../../src/audit/verify/verdict.ts";
import { verifyPath } from "../../src/cli/audit/verify.ts";
import {
  createVerificationSteps,
  type Mark,
  reportRun,
} from "../../src/engines/sqlite/verify/verification-steps.ts";
import { openDatabase } from "../../src/platform/native/sqlite.ts";
import { program, testWith } from "../needs.ts";
import { cases } from "./forge-version-2.ts";
import { exportCases } from "./forge-version-2-export.ts";
import { runtime } from "./ledger.ts";
import { askBoth, type Question } from "./second-verifier.ts";
import { tamper } from "./tamper.ts";
import { goldenTexts, makeVersion2Database, type Version2Options } from "./version-2-database.ts";
import { makeVersion2Export } from "./version-2-export.ts";

const folder = mkdtempSync(join(tmpdir(), "memledger-version-2-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("golden texts of version 2", () => {
  const texts = goldenTexts(makeVersion2Database(join(folder, "golden")));
  test.each(Object.keys(texts))("%s", (name) => {
    expect(texts[name]).toBe(readFileSync(join(import.meta.dir, "golden/v2", name), "utf8"));
  });
});

const nothing = { checkpoints: [], publicKey: null, project: null };
/** All files of this test that were verified. */
const asked: Question[] = [];

/** Null: the file is unusable, as expected, because a later release has written members of it. */
async function findingOf(path: string, checkpoints: readonly string[], expected: string) {
  asked.push({ path, checkpoints, publicKey: null });
  try {
    return (await verifyPath(path, { ...nothing, checkpoints })).finding;
  } catch (error) {
    if (!(error instanceof UnusableInput)) throw error;
    expect(expected).toBe("unusable");
    expect(error.message).toMatch(/more.*0\.9\.0/);
    return null;
  }
}

describe("made databases verify", () => {
  const honest: readonly Version2Options[] = [
    {},
    { records: 700, anchor: 270 },
    { records: 600, anchor: 255 },
    { records: 600, anchor: 256 },
    { records: 60, anchor: 20 },
  ];
  test.each(honest)("%j", async (options) => {
    const made = makeVersion2Database(mkdtempSync(join(folder, "honest-")), options);
    const kept = `${made.folder}.kept`;
    const notes = made.chains.flatMap(({ notes: all }) => [...all.values()].map(({ note }) => `${note}\n`));
    await Bun.write(kept, notes.join(""));
    const finding = await findingOf(made.database, [kept], "intact");
    expect(finding).toMatchObject({ verdict: "intact", failure: null, contradiction: null });
  });
});

describe("a forged database", () => {
  test.each(cases)("$name", async ({ options, lie, rotations, expected, seq }) => {
    const made = makeVersion2Database(mkdtempSync(join(folder, "forged-")), options);
    rmSync(join(made.folder, "checkpoints"), { recursive: true });
    if (rotations !== undefined) await Bun.write(join(made.folder, "audit.rotations"), rotations);
    if (lie !== undefined)
      tamper(made.database, (database) => (typeof lie === "string" ? database.exec(lie) : lie(database)));
    const finding = await findingOf(made.database, [], expected);
    if (finding === null) return;
    const { verdict, failure, contradiction } = finding;
    if (verdict === "broken")
      expect({ check: failure?.check, seq: failure?.seq, message: "" }).toEqual({
        check: expected as "form",
        seq: seq ?? null,
        message: "",
      });
    else expect(verdict === "contradicted" ? contradiction?.kind : verdict).toBe(expected as "truncated");
  });
});

describe.each(["json", "csv"] as const)("an export in %s", (format) => {
  const made = makeVersion2Database(join(folder, `export-${format}`));
  const [, chain] = made.chains;
  const kept = join(made.folder, "checkpoints", `${chain?.chain}.notes`);

  test.each(exportCases)("$name", async ({ name, plan, expected, seq = null }) => {
    const path = makeVersion2Export(made, {
      ...{ format, first: 5, last: 60, name: `${name.replaceAll(" ", "-")}.${format}` },
      ...plan,
    });
    const finding = await findingOf(path, [kept], expected);
    if (finding === null) return;
    const { verdict, failure } = finding;
    if (verdict !== "broken") expect(verdict).toBe(expected as "intact");
    else expect([failure?.check, failure?.seq]).toEqual([expected as "form", seq]);
  });
});

testWith(program("python3"))(
  "the second verifier says the same of every ninth one of them",
  async () => {
    for (const { question, first, second } of await askBoth(asked.filter((_, index) => index % 9 === 0)))
      expect({ ...question, ...second }).toEqual({ ...question, ...first });
  },
  180_000,
);

describe("the verification of the server", () => {
  /** Runs from the first record, or after a mark, in steps. */
  const run = (path: string, key: string, id: string, mark: Mark | null) => {
    const database = openDatabase(path, runtime);
    const steps = createVerificationSteps(database, [key]);
    const project = { id } as Project;
    const start = steps.startRun(project, mark, false);
    if (start === null) throw new Error("there is no chain");
    const segments: Segment[] = [];
    for (let above: number | null = start.above; above !== null; ) {
      const step = steps.verifyStep(start.key, above, segments.at(-1)?.last.seq ?? start.frame.start.seq);
      if (step.moved) throw new Error("records were removed");
      segments.push(...step.result.segments.map(([, segment]) => segment));
      above = step.next;
      if (above === null) {
        database.close();
        return { ...reportRun(start, segments, mark, step), isWhole: start.isWhole };
      }
    }
    throw new Error("the run did not end");
  };

  test.each([{}, { records: 700, anchor: 270 }])("%j: whole, and after a mark", (options) => {
    const made = makeVersion2Database(mkdtempSync(join(folder, "server-")), options);
    const [, chain] = made.chains;
    const id = chain?.project ?? "";
    const marked = chain?.records[280];
    const mark = { chain: chain?.chain ?? "", seq: marked?.seq ?? 0, hash: marked?.hash ?? "" };
    const honest = { failure: null, contradiction: null };
    const { verifierKey } = made.signer;
    expect(run(made.database, verifierKey, id, null)).toMatchObject({ ...honest, isWhole: true });
    expect(run(made.database, verifierKey, id, mark)).toMatchObject({ ...honest, isWhole: false });
    tamper(made.database, (database) =>
      database.exec("UPDATE audit_node SET hash = zeroblob(32) WHERE chain = 2 AND level = 8"),
    );
    expect(run(made.database, verifierKey, id, null).failure?.check).toBe("tree");
  });
});
