// Owns forgetting a subject: its memories, what the records of its calls say, and what leads from its name to them. The entries of the
// ledger stay, and a signed record says what was erased.

import { Type } from "@sinclair/typebox";
import { describeErased } from "../audit/erased.ts";
import { toReceipt } from "../audit/receipt.ts";
import { toServerRecord } from "../audit/record.ts";
import { projectOperation } from "../calls/operation.ts";
import { successCode } from "../errors.ts";
import type { JsonObject } from "../json/json.ts";
import { Fields } from "../schema/schema.ts";
import type { AfterCommit } from "../storage/after-commit.ts";
import type { SubjectHoldings } from "./store.ts";

const count = (description: string) => Type.Integer({ minimum: 0, description });

const text = (description: string) => Type.String({ description });

const receipt = Fields(
  {
    v: Type.Integer({ description: "Version of this form: 1." }),
    project: text("Id of the project."),
    subject: text("Pseudonym of the subject."),
    entry: text("The audit.redact record: its entry, as it was hashed."),
    hash: text("Hash of the entry."),
    salt: text("Salts of the parts of its payload, in Base64."),
    payload: text("The parts of its payload, a line for each."),
    inclusion: Type.Array(Type.String(), {
      description:
        "Hashes beside the way of the record to the root of the checkpoint, from the leaf up, in Base64.",
    }),
    checkpoint: text("The signed checkpoint whose newest record it is."),
    verifier_key: text("The key that has signed the checkpoint."),
  },
  {
    title: "ErasureReceipt",
    description:
      "The record of the erasure, with what proves that it is in the ledger. Keep it outside of the server: whoever restores an older backup needs it to know what was erased since.",
  },
);

export const eraseSubject = projectOperation({
  name: "subject.erase",
  summary: "Erase a subject",
  description:
    "Permanently erases everything about a subject: its memories and checks, what waits to be remembered, the parts of audit records that are about it, exports that contain these records, and its name. Later calls with the same name are for a new subject. The ledger still verifies; the answer is a receipt. A subject that is not known has nothing to erase, so the call can be repeated.",
  effects: { readOnly: false, destructive: true, idempotent: true },
  permission: "subject.erase",
  forSubjects: "known",
  feature: "memory",
  refusals: [],
  success: 200,
  input: Fields({
    dry_run: Type.Optional(
      Type.Boolean({ default: false, description: "true: only count what would be erased." }),
    ),
  }),
  output: Fields(
    {
      erased: Type.Boolean({
        description: "Whether something was erased. false: a dry run, or nothing was there.",
      }),
      memories: count("Memories of the subject."),
      checks: count("Checks of the subject."),
      records: count("Audit records with parts about the subject."),
      exports: count("Exports that were removed, because they contain such records."),
      receipt: Type.Optional(receipt),
    },
    { title: "SubjectErasure" },
  ),
  example: {
    input: { dry_run: true },
    data: { erased: false, memories: 50, checks: 0, records: 500, exports: 0 },
  },

  async prepare() {},

  async apply(transaction, { dry_run: isDryRun = false }, _prepared, { caller, now, sender }) {
    const { project, subject } = caller;
    if (subject === null) return { data: { erased: false, ...counts(nothing) } };
    if (isDryRun) return { data: { erased: false, ...counts(await transaction.subjects.holdings(subject)) } };
    const found = await transaction.subjects.erase(subject, now);
    const { records, exports } = await transaction.audit.erase(found.held);
    const payload = {
      ...sender(),
      ...describeErased(records),
      erased: [subject.id],
      response_body: {
        success: true,
        code: successCode,
        message: "success",
        data: { memories: found.memories },
      },
    } satisfies JsonObject;
    const draft = toServerRecord(project.id, "audit.redact", now, payload);
    const entry = await transaction.audit.append(draft);
    const checkpoint = await transaction.audit.signCheckpoint(project.id, now);
    const inclusion = await transaction.audit.proveInclusion(project.id, entry.seq, now);
    const erasure = { ...counts(found), records: records.length, exports: exports.length };
    const receipt = toReceipt({
      project: project.id,
      subject: subject.id,
      entry,
      payload: draft.payload,
      checkpoint,
      inclusion,
    });
    return { data: { erased: true, ...erasure, receipt }, after: afterErasure(project.id) };
  },
});

const nothing: SubjectHoldings = { memories: 0, checks: 0, records: 0 };

function counts({ memories, checks, records }: SubjectHoldings) {
  return { memories, checks, records, exports: 0 };
}

function afterErasure(project: string): readonly AfterCommit[] {
  return [
    { effect: "erase_remains" },
    { effect: "remove_expired_exports" },
    { effect: "remove_cached_answers", of: { project } },
  ];
}
