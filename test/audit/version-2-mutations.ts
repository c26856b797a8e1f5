// Asks both verifiers about files of version 2 that were changed at random places: each change must be found, and both must say the same. What
// the pages allow is listed here by kind, with the words that allow it.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Mutation, mutate } from "./mutate-version-2.ts";
import { askBoth, type Compared } from "./second-verifier.ts";

const names = "Rows that no record names, other names, and which subject an owner is prove nothing.";
const claims =
  "`export_id`, `created_at` and `filter` are what the server says; nothing is compared with them.";
const times = "each with a time from start_time to end_time";
const derived = "these columns are derived from request and response for the reader's convenience";
const reasons = "A verifier MAY check that neither is true if there is a payload.";
const unconfirmed = "| somebody who edits it and recomputes the hashes | not detected |";

/** By kind of change: words of AUDIT-FORMAT.md or AUDIT-FORMAT-2.md that allow some or all of them. */
export const allowed: ReadonlyMap<string, string> = new Map([
  [
    "row of audit_checkpoint removed",
    "A verifier does not find that a row is missing, except that of one leaf",
  ],
  ["audit_checkpoint.at of version 2", "`at` of its row proves nothing."],
  ["audit_checkpoint.at of version 2 exchanged", "`at` of its row proves nothing."],
  ["audit_anchor.at", "such as\n`audit_anchor.at`"],
  ["audit_anchor.at exchanged", "such as\n`audit_anchor.at`"],
  ["audit_chain.payloads_through", "They may differ only if both are at or below the newest anchor."],
  ["audit_entry.mac", "Only the holder of the signing key can check it, so verifiers check its form"],
  [
    "audit_entry.mac exchanged",
    "Only the holder of the signing key can check it, so verifiers check its form",
  ],
  ["row of pseudonym of nobody", names],
  ["row of pseudonym copied", names],
  ["pseudonym.name", names],
  ["pseudonym.name exchanged", names],
  ["pseudonym.owner", names],
  ["pseudonym.owner exchanged", names],
  ["end cut", "or removes the newest records | not detected |"],
  ["chain stamped again", unconfirmed],
  ["manifest.export_id", claims],
  ["manifest.created_at", claims],
  ["manifest.filter", claims],
  ["manifest.start_time", times],
  ["manifest.end_time", times],
  ["manifest.parts", "Neither is a part that is there although it had to be withheld"],
  ["column memory_query", derived],
  ["column memory_results", derived],
  ["column redacted", reasons],
  ["column payload_expired", reasons],
]);

export interface Judged {
  readonly changes: number;
  readonly kinds: number;
  readonly found: number;
  /** Not found, as a page allows. */
  readonly allowed: number;
  readonly faults: readonly string[];
}

/** One change for each seed. */
export async function judgeMutations(seeds: readonly number[]): Promise<Judged> {
  const folder = mkdtempSync(join(tmpdir(), "memledger-mutations-"));
  try {
    const mutations = mutate(folder, seeds);
    const compared = await askBoth(mutations.map(({ question }) => question));
    const judged = compared.map((one, index) => judge(one, mutations[index]));
    const count = (wanted: string) => judged.filter((one) => one === wanted).length;
    return {
      changes: judged.length,
      kinds: new Set(mutations.map(({ kind }) => kind)).size,
      found: count("found"),
      allowed: count("allowed"),
      faults: judged.filter((one) => one !== "found" && one !== "allowed"),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** `found`, `allowed`, or what is wrong. */
function judge({ question, first, second }: Compared, mutation: Mutation | undefined): string {
  const { kind = "", seed = 0, turn = 0 } = mutation ?? {};
  const where = `${kind} (change ${turn}, seed ${seed})`;
  if (!Bun.deepEquals(first, second))
    return `${where}: one verifier says ${JSON.stringify(first)}, the other ${JSON.stringify(second)}`;
  const honest = question.checkpoints.length === 0 ? "unattested" : "intact";
  if (first.verdict !== honest) return "found";
  return allowed.has(kind) ? "allowed" : `${where}: not found`;
}
