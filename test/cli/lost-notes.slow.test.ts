// Proves that checkpoint files and statements about the key that are lost beside a whole database are noticed, and written again.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cleanUp, createFact, createFolder, run, runJson, serve } from "./command.ts";

afterAll(cleanUp);

const made = createFolder();
beforeAll(async () => {
  const first = await serve(made);
  await createFact(first.url, first.ready.api_key, "A fact.");
  await first.end("SIGTERM");
  await run(["audit", "rotate-key", "--yes", "--data-dir", made]);
});

const notesIn = (dataDir: string) => readdirSync(join(dataDir, "checkpoints")).toSorted();

test.each<[string, (dataDir: string) => void, string]>([
  [
    "a folder of checkpoints that was removed",
    (at) => rmSync(join(at, "checkpoints"), { recursive: true }),
    ".notes",
  ],
  [
    "checkpoint files that were filled with garbage",
    (at) => {
      for (const name of notesIn(at)) writeFileSync(join(at, "checkpoints", name), "\u0001garbage");
    },
    ".notes",
  ],
  ["audit.rotations that was removed", (at) => rmSync(join(at, "audit.rotations")), "audit.rotations"],
])("%s", async (_, lose, file) => {
  const dataDir = createFolder();
  cpSync(made, dataDir, { recursive: true });
  const quiet = await serve(dataDir);
  expect((await quiet.end("SIGTERM")).stderr).toBe("");
  const rotations = readFileSync(join(dataDir, "audit.rotations"), "utf8");
  const notes = notesIn(dataDir);
  lose(dataDir);
  const doctor = await runJson(["doctor", "--data-dir", dataDir]);
  expect([doctor.exitCode, doctor.stdout]).toEqual([
    1,
    expect.stringContaining("that the database contains"),
  ]);
  const server = await serve(dataDir);
  const { stderr } = await server.end("SIGTERM");
  expect(stderr).toContain("signed notes were missing in a file");
  expect(stderr).toContain(file);
  expect(notesIn(dataDir)).toEqual(notes);
  expect(readFileSync(join(dataDir, "audit.rotations"), "utf8")).toBe(rotations);
  for (const name of notes)
    expect(readFileSync(join(dataDir, "checkpoints", name), "utf8")).toContain("— memledger ");
  const healthy = await serve(dataDir);
  expect((await healthy.end("SIGTERM")).stderr).toBe("");
  expect((await runJson(["audit", "verify", dataDir])).exitCode).toBe(10);
});
