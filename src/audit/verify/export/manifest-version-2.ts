// Owns the members that the manifest of an export has in version 2 of the record format in addition. Pure.

import type { JsonObject } from "../../../platform/json/json.ts";
import { fromBase64, toHex } from "../../../platform/text/byte-text.ts";
import { parseTreeCheckpoint, type TreeCheckpoint } from "../../checkpoint.ts";
import { createTreeHasher, statementHash, type TreeNode } from "../../tree.ts";
import { type Cryptography, hashBytes } from "../cryptography.ts";
import { type NewerMembers, newerMembers } from "../entry-version-2.ts";
import { type ParsedStatement, parseStatement, placeNodes } from "../tree-verification.ts";

export interface ManifestVersion2 {
  /** Whether a filter has left out records. */
  readonly hasGaps: boolean;
  /** Whether the file has the parts of some subjects only. */
  readonly mayWithhold: boolean;
  readonly statement: ParsedStatement;
  /** The nodes of the leaves before the first record; null: the chain had no checkpoint of its tree, or records are left out. */
  readonly before: readonly TreeNode[] | null;
  readonly newer: NewerMembers | null;
}

const names: ReadonlySet<string> = new Set(
  `export_id chain project format start_time end_time first_seq last_seq rows first_prev last_hash bytes sha256 created_at checkpoint verifiable
    records filter parts tree before since`.split(/\s+/),
);
export const membersOfVersion2 = 21;
const pseudonymForm = /^(?:[0-9a-f]{32})?$/;

/** Null when a member is malformed. */
export function parseManifestVersion2(
  value: JsonObject,
  cryptography: Cryptography,
): ManifestVersion2 | null {
  const { records, filter, parts, tree, before, chain, first_seq, first_prev } = value;
  const newer = newerMembers(value, names);
  const hasGaps = records === "some";
  if (newer === undefined || (!hasGaps && records !== "all")) return null;
  const isFilter = typeof filter === "object" && filter !== null && !Array.isArray(filter);
  if (hasGaps ? !isFilter : filter !== null) return null;
  if (parts !== "all" && !(Array.isArray(parts) && parts.every(isPseudonym))) return null;
  const statement = typeof tree === "string" ? parseStatement(tree) : null;
  if (typeof tree !== "string" || statement === null || statement.chain !== chain) return null;
  const leaves = Number(first_seq) - statement.through;
  if (leaves === 1 && first_prev !== statement.hash) return null;
  if (hasGaps && first_seq !== null && leaves < 1) return null;
  const nodes = before === null ? null : toNodes(before, leaves);
  if (before !== null && (nodes === null || hasGaps || first_seq === null)) return null;
  const [first] = nodes ?? [];
  // Of one leaf, it is the statement itself.
  const leaf0 = createTreeHasher(cryptography).leaf(statementHash(tree, cryptography));
  if (first?.level === 0 && first.position === 0 && toHex(first.hash) !== toHex(leaf0)) return null;
  return { hasGaps, mayWithhold: parts !== "all", statement, before: nodes, newer };
}

function isPseudonym(value: unknown): boolean {
  return typeof value === "string" && pseudonymForm.test(value);
}

/** Null when these are not the hashes of the complete nodes of so many leaves. */
function toNodes(before: unknown, leaves: number): TreeNode[] | null {
  if (!Array.isArray(before) || leaves < 1) return null;
  const valid = before.flatMap((text) => {
    const hash = typeof text === "string" ? fromBase64(text) : null;
    return hash?.length === hashBytes ? [hash] : [];
  });
  const bits = [...leaves.toString(2)].filter((bit) => bit === "1").length;
  return valid.length === before.length && valid.length === bits ? placeNodes(leaves, valid) : null;
}

/** The checkpoint of a manifest, if it is of version 2 and covers the last record, and more only if records are left out. */
export function parseOwnRoot(
  text: string,
  { hasGaps, statement }: ManifestVersion2,
  { chain, lastSeq }: { readonly chain: string; readonly lastSeq: number },
): TreeCheckpoint | null {
  const root = parseTreeCheckpoint(text);
  if (root?.chain !== chain) return null;
  const size = root.leaves + statement.through - 1;
  return size === lastSeq || (hasGaps && size > lastSeq) ? root : null;
}
