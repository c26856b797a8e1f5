// Owns the erasure of a subject in a transaction: its memories, what the records of its calls say, and what leads from its name to them; and
// what every erasure of a name leaves: the entries of the ledger stay, and a signed record says what was erased.

import { Type } from "@sinclair/typebox";
import type { Project } from "../../../access/project.ts";
import { toReceipt } from "../../../audit/receipt.ts";
import { toServerRecord } from "../../../audit/record.ts";
import type { RecordsAbout, TracedRecord } from "../../../audit/trace/traced.ts";
import type { Subject } from "../../../memory/owner.ts";
import { successCode } from "../../../platform/errors.ts";
import type { JsonObject } from "../../../platform/json/json.ts";
import { Count, Fields } from "../../../platform/schema/schema.ts";
import type { Application } from "../../contract/application.ts";
import type { AfterCommit } from "../../storage/after-commit.ts";
import type { Transaction } from "../../storage/store.ts";
import type { SubjectHoldings } from "../../storage/subject-store.ts";
import { describeErased } from "../ledger/erased.ts";

const text = (description: string) => Type.String({ description });

export const erasureCounts = {
  memories: Count("Memories of the subject."),
  checks: Count("Checks of the subject."),
  records: Count("Audit records with parts about the subject."),
  exports: Count("Exports that were removed, because they contain such records."),
};

export const erasureReceipt = Fields(
  {
    v: Type.Integer({ description: "Version of this form: 1." }),
    project: text("Id of the project."),
    subject: text("Pseudonym of the subject or of the conversation."),
    entry: text("The audit.redact record: its entry, as it was hashed."),
    hash: text("Hash of the entry."),
    salt: text("Salts of the parts of its payload, in Base64."),
    payload: text("The parts of its payload, a line for each."),
    inclusion: Type.Array(Type.String(), {
      description:
        "Hashes beside the path from the record to the root of the checkpoint, from the leaf up, in Base64.",
    }),
    checkpoint: text("The signed checkpoint whose newest record it is."),
    verifier_key: text("The key that has signed the checkpoint."),
  },
  {
    title: "ErasureReceipt",
    description:
      "The record of the erasure, with what proves that it is in the ledger. Keep it outside of the server: memledger restore repeats the erasure with it when an older backup is restored.",
  },
);

export const nothingErased = toCounts({ memories: 0, checks: 0, records: 0 });

export function toCounts({ memories, checks, records }: SubjectHoldings) {
  return { memories, checks, records, exports: 0 };
}

interface EraseInput {
  readonly project: Pick<Project, "id">;
  readonly subject: Subject;
  /** What was read before the transaction; null: nothing. */
  readonly known: RecordsAbout | null;
}

/** @returns what the answer says, and what is left to do after the commit */
export async function eraseIn(
  transaction: Transaction,
  { project, subject, known }: EraseInput,
  application: Pick<Application, "now" | "sender">,
) {
  const found = await transaction.subjects.erase(subject, application.now, known);
  const erased = { project, id: subject.id, ...found };
  const { erasure, after } = await recordErasure(transaction, erased, application);
  return { erasure: { ...toCounts(found), ...erasure }, after };
}

interface Erased {
  readonly project: Pick<Project, "id">;
  /** The pseudonym that the receipt names. */
  readonly id: string;
  /** All pseudonyms that have lost their names. */
  readonly pseudonyms: readonly string[];
  /** Number of deleted memories. */
  readonly memories: number;
  readonly held: readonly TracedRecord[];
}

/** Erases the parts of the records, and appends the signed record of the erasure. @returns as eraseIn does */
export async function recordErasure(
  transaction: Transaction,
  { project, id, pseudonyms, memories, held }: Erased,
  { now, sender }: Pick<Application, "now" | "sender">,
) {
  const { records, exports } = await transaction.audit.erase(held);
  const payload = {
    ...sender(),
    ...describeErased(records),
    erased: [...pseudonyms],
    response_body: { success: true, code: successCode, message: "success", data: { memories } },
  } satisfies JsonObject;
  const draft = toServerRecord(project.id, "audit.redact", now, payload);
  const entry = await transaction.audit.append(draft);
  const checkpoint = await transaction.audit.signCheckpoint(project.id, now);
  const inclusion = await transaction.audit.proveInclusion(project.id, entry.seq, now);
  const proven = { entry, payload: draft.payload, checkpoint, inclusion };
  const receipt = toReceipt({ project: project.id, subject: id, ...proven });
  const counts = { records: records.length, exports: exports.length };
  return { erasure: { ...counts, receipt }, after: erasureEffects };
}

const erasureEffects: readonly AfterCommit[] = [
  { effect: "remove_erased_text" },
  { effect: "remove_expired_exports" },
];
