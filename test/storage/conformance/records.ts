// Reads the records of a project through the store, and verifies them with the checks of `audit verify`.

import type { StoredRecord } from "../../../src/audit/record.ts";
import { runtimeCryptography } from "../../../src/audit/runtime-cryptography.ts";
import type { RecordPage, RecordQuery } from "../../../src/audit/store.ts";
import { emptyTrace, type TracedRecord } from "../../../src/audit/traced.ts";
import { joinSegments } from "../../../src/audit/verify/chain-verification.ts";
import { parseEntry } from "../../../src/audit/verify/entry-parser.ts";
import { createSegmentVerifier } from "../../../src/audit/verify/segment.ts";
import { toWordText } from "../../../src/text/word-text.ts";
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

/** @returns the records, oldest first. @throws Error that names the first record that does not verify. */
export async function verifyRecords(
  seam: Pick<Seam, "store">,
  member: Member,
  { after = null }: { readonly after?: StoredRecord | null } = {},
): Promise<readonly StoredRecord[]> {
  const records = (await listRecords(seam, member)).records.toReversed();
  const [first] = records;
  if (first === undefined) return [];
  const verifier = createSegmentVerifier({
    chain: parseEntry(first.entry)?.chain ?? "",
    project: member.id,
    wanted: [],
    span: null,
    columnsAgree: ({ seq }, entry) => seq === entry.seq,
    sha256: runtimeCryptography.createSha256(),
    hashInto: runtimeCryptography.hashInto,
    firstOfVersion2: null,
    tree: null,
  });
  for (const { seq, entry, hash, salt, payload } of records) {
    const found = salt === null || payload === null ? "missing" : { salt, text: payload };
    verifier.take({ seq, entry, hash, payload: found });
  }
  const segment = verifier.finish();
  const start = { seq: after?.seq ?? first.seq - 1, hash: after?.hash ?? null, at: null };
  const { failure } = joinSegments({ start, segments: segment === null ? [] : [segment] });
  if (failure !== null) throw new Error(`record ${failure.seq}, ${failure.check}: ${failure.message}`);
  return records;
}
