// Verifies one export twice: as `memledger audit verify` does, and as a browser does. The two must say the same.

import { existsSync, readFileSync } from "node:fs";
import { UnusableInput } from "../../src/audit/verify/verdict.ts";
import { verifyPath } from "../../src/cli/audit/verify.ts";
import type { Outcome } from "../../src/console/verification/outcome.ts";
import { verifyInput } from "../../src/console/verification/verify-export.ts";

export interface Supplied {
  /** Absolute, as all paths here. The manifest is beside the file. */
  readonly path: string;
  readonly checkpoints: readonly string[];
  readonly publicKey: string | null;
}

/** What both must agree on. */
export type Said = Pick<Outcome, "verdict"> & {
  readonly failure: { seq: number | null; check: string; message: string } | null;
  readonly contradiction: string | null;
  readonly chains: unknown;
};

export async function saidByCommand({ path, checkpoints, publicKey }: Supplied): Promise<Said> {
  try {
    const { finding } = await verifyPath(path, { checkpoints, publicKey, project: null });
    return toSaid({ verdict: finding.verdict, report: finding });
  } catch (error) {
    if (error instanceof UnusableInput) return toSaid({ verdict: "unusable", report: null });
    throw error;
  }
}

/** @param chunkBytes how the file arrives */
export async function outcomeInBrowser(supplied: Supplied, chunkBytes = 1_000): Promise<Outcome> {
  return verifyInput({ ...inputOf(supplied), file: chunks(readFileSync(supplied.path), chunkBytes) });
}

/** What the page gets, without the file itself. */
export function inputOf({ path, checkpoints, publicKey }: Supplied) {
  const manifest = `${path}.manifest`;
  const rotations = path.replace(/[^/]*$/, "audit.rotations");
  return {
    name: path.replace(/^.*\//, ""),
    manifest: existsSync(manifest) ? readFileSync(manifest, "utf8") : null,
    publicKey: publicKey === null ? null : readFileSync(publicKey, "utf8"),
    rotations: existsSync(rotations) ? readFileSync(rotations, "utf8") : "",
    checkpoints: checkpoints.map((name) => ({ name, text: readFileSync(name, "utf8") })),
    isWhole: false,
    remarks: [],
  };
}

export async function saidInBrowser(supplied: Supplied, chunkBytes?: number): Promise<Said> {
  return toSaid(await outcomeInBrowser(supplied, chunkBytes));
}

export function toSaid({ verdict, report }: Pick<Outcome, "verdict" | "report">): Said {
  const { failure = null, contradiction = null, chains = [] } = report ?? {};
  return {
    verdict,
    failure: failure && { seq: failure.seq, check: failure.check, message: failure.message },
    contradiction: contradiction?.message ?? null,
    chains,
  };
}

/** In one buffer that is used again, as streams may do. */
async function* chunks(bytes: Uint8Array, chunkBytes: number): AsyncGenerator<Uint8Array> {
  const buffer = new Uint8Array(chunkBytes);
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    const part = bytes.subarray(at, at + chunkBytes);
    buffer.set(part);
    yield buffer.subarray(0, part.length);
  }
}
