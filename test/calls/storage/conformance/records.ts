// Reads the records of a project through the store, and verifies them.

import { entryHash } from "../../../../src/audit/chain.ts";
import type { StoredRecord } from "../../../../src/audit/record.ts";
import { emptyTrace, type TracedRecord } from "../../../../src/audit/trace/traced.ts";
import { parseEntry } from "../../../../src/audit/verify/entry-parser.ts";
import type { RecordPage, RecordQuery } from "../../../../src/calls/storage/ledger-store.ts";
import { toWordText } from "../../../../src/platform/text/word-text.ts";
import { type Member, neverAborted, type Seam } from "../seam.ts";

export const everyRecord: RecordQuery = {
  from: null,
  to: null,
  action: null,
  keyId: null,
  memoryId: null,
  statusClass: null,
  limit: 10_000,
  through: null,
  total: null,
  after: { skip: 0 },
};

export function listRecords(
  seam: Pick<Seam, "store">,
  { caller }: Member,
  query: Partial<RecordQuery> = {},
): Promise<RecordPage> {
  return seam.store.audit.list(caller.project, { ...everyRecord, ...query }, neverAborted);
}

/** The records of a project that repeat the text. */
export async function findText(
  seam: Pick<Seam, "store">,
  { id }: Pick<Member, "id">,
  text: string,
): Promise<readonly TracedRecord[]> {
  const trace = { ...emptyTrace, projects: [id], texts: [toWordText(text)] };
  return (await seam.store.audit.trace(trace)).records;
}

/** What the entries say, oldest first. */
export async function readEntries(seam: Pick<Seam, "store">, member: Member) {
  const { records } = await listRecords(seam, member);
  return records.toReversed().map(({ entry }) => {
    const parsed = parseEntry(entry);
    if (parsed === null) throw new Error(`not an entry: ${entry}`);
    return parsed;
  });
}

/**
 * The list has no payloads as they are stored, so the engine verifies them.
 * @param after the record before the first one
 * @returns the records, oldest first. @throws Error that names the first record that does not verify.
 */
export async function verifyRecords(
  seam: Pick<Seam, "store">,
  member: Member,
  { after = null }: { readonly after?: StoredRecord | null } = {},
): Promise<readonly StoredRecord[]> {
  const records = (await listRecords(seam, member)).records.toReversed();
  let before = after?.hash ?? null;
  for (const { seq, entry, hash } of records) {
    const { prev = null } = parseEntry(entry) ?? {};
    if (entryHash(entry) !== hash || (before !== null && prev !== before))
      throw new Error(`record ${seq} does not continue the chain`);
    before = hash;
  }
  const { report } = await seam.store.audit.verify(member.caller.project);
  const { failure = null } = report ?? {};
  if (failure !== null) throw new Error(`record ${failure.seq}, ${failure.check}: ${failure.message}`);
  return records;
}
