// Owns the erasure of a subject at the request of a key. What is erased: erasure.ts.

import { Type } from "@sinclair/typebox";
import { reasonText } from "../../../platform/schema/reason.ts";
import { Fields, Flag, Nullable, Timestamp } from "../../../platform/schema/schema.ts";
import { toTimestamp } from "../../../platform/time/timestamp.ts";
import { type Preparation, projectOperation } from "../../contract/operation.ts";
import { eraseIn, erasureCounts, erasureReceipt, nothingErased, toCounts } from "./erasure.ts";

const knownBackup = Fields(
  {
    file: Type.String({ description: "Name of the file." }),
    created_at: Timestamp({ description: "When it was begun." }),
    ends_at: Nullable(
      Timestamp({
        description:
          "When the server will have removed it, if scheduled backups are made as they are set now; null: the server does not remove it.",
      }),
    ),
  },
  { title: "KnownBackup" },
);

/** Of every erasure. */
export const backups = Nullable(
  Type.Array(knownBackup, {
    description:
      "Backups that the server knows, and that were begun before this call: they are not changed, so they may still contain what was erased. null: they could not be listed.",
  }),
);

export async function listBackups({ knownBackups }: Pick<Preparation, "knownBackups">) {
  const known = await knownBackups();
  const listed = known?.map(({ file, atMs, endsAtMs }) => ({
    file,
    created_at: toTimestamp(atMs),
    ends_at: endsAtMs === null ? null : toTimestamp(endsAtMs),
  }));
  return listed ?? null;
}

export const eraseSubject = projectOperation({
  name: "subject.erase",
  summary: "Erase a subject",
  description:
    "Permanently erases everything about a subject: its memories and checks, answers that wait for extraction, the parts of audit records that are about it, its name in records of calls on its behalf, exports that contain these records, and its name. Later calls with the same name are for a new subject. The ledger still verifies; the answer is a receipt. A subject that is not known has nothing to erase, so the call can be repeated.",
  effects: { readOnly: false, destructive: true, idempotent: true },
  permission: "subject.erase",
  forSubjects: "known",
  feature: "memory",
  input: Fields({
    dry_run: Flag("true: only count what would be erased.", false),
    reason: Type.Optional(reasonText),
  }),
  output: Fields(
    {
      erased: Type.Boolean({
        description: "Whether something was erased. false: a dry run, or nothing was there.",
      }),
      ...erasureCounts,
      backups,
      receipt: Type.Optional(erasureReceipt),
    },
    { title: "SubjectErasure" },
  ),
  example: {
    input: { dry_run: true },
    data: {
      erased: false,
      memories: 50,
      checks: 0,
      records: 500,
      exports: 0,
      backups: [
        {
          file: "memledger-0f3a91c2b7d4-2026-11-21T03-00-00-000Z.tar.zst",
          created_at: "2026-11-21T03:00:00.000Z",
          ends_at: "2026-12-05T09:30:00.000Z",
        },
      ],
    },
  },

  async prepare({ dry_run: isDryRun = false }, preparation) {
    const { caller, store, signal, inTurn } = preparation;
    const { owner, project } = caller;
    const { name = null } = caller.subject ?? {};
    const named =
      name === null
        ? []
        : [await store.subjects.find(project, name), await store.subjects.findPerson(project, name)];
    const found = named.filter((each) => each !== null);
    const [subject = null] = found;
    const about = isDryRun
      ? []
      : await inTurn(async () => {
          const all = [];
          for (const each of found) all.push(await store.subjects.recordsAbout(owner, each, signal));
          return all;
        });
    const known = {
      records: about.flatMap(({ records }) => records),
      through: Math.min(...about.map(({ through }) => through)),
    };
    return { subject, known: about.length === 0 ? null : known, backups: await listBackups(preparation) };
  },

  async apply(transaction, { dry_run: isDryRun = false }, prepared, { caller, now, sender }) {
    const { project } = caller;
    const { backups, subject, known } = prepared;
    // Another call may have erased a person meanwhile; of a subject the transaction has found out.
    if (subject === null || !(await transaction.subjects.open(project, subject)))
      return { data: { erased: false, ...nothingErased, backups } };
    if (isDryRun) {
      const counts = toCounts(await transaction.subjects.holdings(subject));
      return { data: { erased: false, ...counts, backups } };
    }
    const { erasure, after } = await eraseIn(transaction, { project, subject, known }, { now, sender });
    return { data: { erased: true, ...erasure, backups }, after };
  },
});
