// Judges a stopped server: its chains hold the records that the model expects, and the program itself finds them good, also against
// the checkpoints that were kept outside.

import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { main } from "../program.ts";
import type { ModelChain } from "./model.ts";
import { equal, type Run } from "./model-call.ts";

export async function judge(run: Run): Promise<void> {
  compare(run, null, run.model.installation);
  for (const { id, chain } of run.model.projects) compare(run, id, chain);
  await verify(run);
}

function compare({ server }: Run, project: string | null, chain: ModelChain): void {
  const expected = chain.present.map(({ action, status, code, key, memory, erased }, index) => ({
    seq: chain.anchored + index + 1,
    action,
    status,
    code,
    key,
    memory,
    left: { nothing: "all", parts: "parts", all: "nothing" }[erased],
  }));
  const found = server.records(project).map(({ seq, entry, left }) => {
    const { action, status, code, key, memory } = JSON.parse(entry);
    return { seq, action, status, code, key, memory, left };
  });
  const wrong = expected.findIndex((record, index) => !Bun.deepEquals(record, found[index]));
  const where = `records of ${project ?? "the installation"}`;
  if (wrong >= 0) equal(found.slice(wrong, wrong + 3), expected.slice(wrong, wrong + 3), where);
  equal(found.length, expected.length, `how many ${where}`);
}

/** In a child process, as an operator does; from a copy, with its checkpoints and keys stored elsewhere. */
async function verify({ server, notes }: Run): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "memledger-model-copy-"));
  try {
    const { dataDir } = server.config;
    const beside = join(dataDir, "checkpoints");
    const files = readdirSync(beside).map((name) => readFileSync(join(beside, name), "utf8"));
    writeFileSync(join(folder, "kept.notes"), [...files, ...notes.map((each) => `${each}\n`)].join(""));
    for (const name of ["memledger.db", "audit.pub"]) copyFileSync(join(dataDir, name), join(folder, name));
    const kept = ["--checkpoint", join(folder, "kept.notes")];
    const words = [
      process.execPath,
      main,
      "audit",
      "verify",
      join(folder, "memledger.db"),
      ...kept,
      "--json",
    ];
    const child = Bun.spawn(words, { stdout: "pipe", stderr: "pipe" });
    const output = await new Response(child.stdout).text();
    equal(await child.exited, 0, `audit verify: ${output}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
