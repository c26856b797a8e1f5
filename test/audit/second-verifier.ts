// Asks the second verifier, test/verify.py, about many files in one process. Must never share code with the first one.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { UnusableInput } from "../../src/audit/verify/verdict.ts";
import { verifyPath } from "../../src/cli/audit/verify.ts";

/** A file, and what is given with it. */
export interface Question {
  readonly path: string;
  readonly checkpoints: readonly string[];
  readonly publicKey: string | null;
}

export interface Answer {
  readonly verdict: string;
  /** Of what failed first; null: nothing, or it concerns no chain. */
  readonly chain?: string | null;
  readonly seq?: number | null;
  readonly check?: string | null;
  readonly payloads_checked?: boolean;
}

export const python = Bun.which("python3");

/** To start a process, and to compile the script, takes longer than to verify. */
const driver = `
import importlib.util, json, sys
script, jobs = sys.argv[1:]
spec = importlib.util.spec_from_file_location("verify", script)
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
for job in json.load(open(jobs)):
    sys.argv = [script, job["path"]] + [word for file in job["checkpoints"] for word in ("--checkpoint", file)]
    sys.argv += ["--public-key", job["publicKey"]] if job["publicKey"] else []
    try:
        module.main()
    except SystemExit:
        pass
`;

/** @param words for Python, before the script */
export function askSecond(questions: readonly Question[], words: readonly string[] = []): Answer[] {
  const folder = mkdtempSync(join(tmpdir(), "memledger-second-"));
  const list = join(folder, "jobs.json");
  writeFileSync(list, JSON.stringify(questions));
  const script = resolve(import.meta.dir, "../verify.py");
  const child = Bun.spawnSync([python ?? "python3", ...words, "-c", driver, script, list]);
  rmSync(folder, { recursive: true, force: true });
  const lines = child.stdout.toString().trimEnd().split("\n");
  if (lines.length !== questions.length) throw new Error(child.stderr.toString());
  return lines.map((line) => JSON.parse(line));
}

/** What our verifier says of the same. */
export async function askFirst({ path, checkpoints, publicKey }: Question): Promise<Answer> {
  try {
    const { finding } = await verifyPath(path, { checkpoints, publicKey, project: null });
    const { chain = null, seq = null, check = null } = finding.failure ?? {};
    return { verdict: finding.verdict, chain, seq, check };
  } catch (error) {
    if (error instanceof UnusableInput) return { verdict: "unusable" };
    throw error;
  }
}

export interface Compared {
  readonly question: Question;
  readonly first: Answer;
  readonly second: Answer;
}

/** What both verifiers say. Without a zstd library Python cannot look into the payloads of a database: then nothing is compared. */
export async function askBoth(questions: readonly Question[]): Promise<Compared[]> {
  const second = askSecond(questions);
  const compared: Compared[] = [];
  for (const [index, question] of questions.entries()) {
    const { verdict, chain = null, seq = null, check = null, payloads_checked } = second[index] ?? {};
    if (payloads_checked === false) return [];
    const first = await askFirst(question);
    compared.push({
      question,
      first: { chain: null, seq: null, check: null, ...first },
      second: { verdict: verdict ?? "", chain, seq, check },
    });
  }
  return compared;
}
