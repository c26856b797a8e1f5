// Asks the program itself, as an operator would after a crash, whether the ledger of a data directory holds.

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
