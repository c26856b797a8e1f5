// Asks the program itself, as an operator would after a crash, whether the ledger of a data directory holds.

import { resolve } from "node:path";
import { locate } from "../../src/server/data-directory/data-directory.ts";

const secondVerifier = resolve(import.meta.dir, "../verify.py");

/** The verdict "unattested": everything agrees, and nobody has given a checkpoint from outside. */
const unattested = 10;

/** @returns one sentence when the verdict is another. */
export async function findVerdict(command: readonly string[], dataDir: string): Promise<string[]> {
  const words = [...command, "audit", "verify", dataDir, "--json"];
  const child = Bun.spawn(words, { stdout: "pipe", stderr: "pipe" });
  const [code, output, log] = await Promise.all([
    child.exited,
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return code === unattested ? [] : [`audit verify ended with ${code}: ${output}${log}`];
}

/** The same with the second verifier, which shares no code with the program. Without Python it says nothing. */
export async function findSecondVerdict(dataDir: string): Promise<string[]> {
  const python = Bun.which("python3");
  if (python === null) return [];
  const child = Bun.spawn([python, secondVerifier, locate(dataDir).database], {
    stdout: "pipe",
    stderr: "pipe",
  });
  const [code, output] = await Promise.all([child.exited, child.stdout.text()]);
  return code === unattested ? [] : [`test/verify.py ended with ${code}: ${output}`];
}
