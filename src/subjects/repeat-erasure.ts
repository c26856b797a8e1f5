// Owns repeating an erasure in a restored database: a backup that is older than the erasure has the subject again, and a receipt names its
// pseudonym.

import { Type } from "@sinclair/typebox";
import { installationOperation } from "../calls/operation.ts";
import { Choice, Fields, Id } from "../schema/schema.ts";
import { eraseIn, erasureCounts, erasureReceipt, nothingErased } from "./erasure.ts";

export const repeatErasure = installationOperation({
  name: "subject.repeat_erasure",
  summary: "Repeat the erasure of a subject",
  description:
    "Erases a subject that was erased before, and that a restored backup contains again. Erases what the first erasure has erased, and a new record in the project says so.",
  effects: { readOnly: false, destructive: true, idempotent: true },
  secret: false,
  success: 200,
  input: Fields({
    project: Id({ description: "Id of the project." }),
    subject: Id({ description: "Pseudonym of the subject." }),
    record: Id({ description: "Id of the audit.redact record of the first erasure." }),
  }),
  output: Fields({
    result: Choice(["erased", "recorded", "absent"], {
      description:
        "erased: it was erased by this call; recorded: the ledger has the record of the first erasure, so nothing is left to erase; absent: there is no such subject.",
    }),
    ...erasureCounts,
    receipt: Type.Optional(erasureReceipt),
  }),

  async prepare({ project: id, subject, record }, { store }) {
    if ((await store.audit.place(record)) !== null) return { isRecorded: true, known: null };
    const project = await store.access.findProject(id);
    return { isRecorded: false, known: project && (await store.subjects.findById(project, subject)) };
  },

  async apply(transaction, input, application, { isRecorded, known }) {
    const project = { id: input.project };
    // False: another call has erased it meanwhile.
    if (known === null || !(await transaction.subjects.open(project, known)))
      return { data: { result: isRecorded ? ("recorded" as const) : ("absent" as const), ...nothingErased } };
    const { erasure, after } = await eraseIn(transaction, { project, subject: known }, application);
    return { data: { result: "erased" as const, ...erasure }, after };
  },
});
