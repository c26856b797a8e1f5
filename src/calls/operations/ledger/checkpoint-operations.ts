// Owns the operations that return checkpoints: signed statements of a chain's size and head. They are of use only if a copy is kept where
// nobody with access to the server can change it.

import { type Static, Type } from "@sinclair/typebox";
import type { Plan } from "../../../access/plan.ts";
import type { Project } from "../../../access/project.ts";
import type { ListedCheckpoint, SignedCheckpoint } from "../../../audit/checkpoint.ts";
import { parseCheckpoint } from "../../../audit/checkpoint.ts";
import { fromCursor, nameList, toCursor } from "../../../audit/list-cursor.ts";
import { signerId, textOfNote } from "../../../audit/verify/note.ts";
import { Refusal } from "../../../platform/errors.ts";
import { auditPageSizeDefault } from "../../../platform/limits.ts";
import { nextCursor, pageFields } from "../../../platform/schema/page.ts";
import { Count, Fields, Nullable, Timestamp } from "../../../platform/schema/schema.ts";
import { toTimestamp } from "../../../platform/time/timestamp.ts";
import { installationOperation, projectOperation } from "../../contract/operation.ts";
import { requireProject } from "../access/require-project.ts";

const timestamp = Type.Optional(
  Type.String({
    description:
      "A time stamp of the text of the note (RFC 3161): the token in DER, in Base64. Absent if there is none.",
  }),
);

const checkpointView = Fields(
  {
    chain: Type.String({ description: "Identifier of the chain." }),
    size: Count("Number of records of the chain."),
    hash: Type.String({ description: "Hash of the newest record." }),
    created_at: Timestamp({ description: "When the checkpoint was signed." }),
    note: Type.String({
      description:
        "The checkpoint as a signed note (C2SP tlog-checkpoint). Keep this text outside the server.",
    }),
    public_key: Type.String({ description: "The verifier key that verifies the signature." }),
    timestamp,
  },
  { title: "Checkpoint" },
);

export const readCheckpoint = projectOperation({
  name: "audit.checkpoint",
  summary: "Get a signed checkpoint",
  description:
    "Returns a signed statement of the size and head of the project's chain, as it was before this call. With a copy that is kept outside the server, anyone can verify later that no record up to this size was changed or removed. Business and custom plans only.",
  effects: { readOnly: false, destructive: false, idempotent: false },
  permission: "audit.read",
  feature: "audit",
  input: Fields({}),
  output: checkpointView,
  refusals: [2207],
  example: {
    input: {},
    data: {
      chain: "019a2b3c5f1e7a608192a3b4c5d6e7f8",
      size: 1284,
      hash: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
      created_at: "2026-11-21T09:30:00.000Z",
      note: "memledger/019a2b3c5f1e7a608192a3b4c5d6e7f8/2\n1285\nn4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=\n\n— memledger ...\n",
      public_key: "memledger+4e81dd32+AVnJbAjxRZhs32wRG+plPI0vzAI03/Tn/E69WmNz2EaA",
    },
  },

  async prepare(_input, { plan, caller }) {
    requireHashes(plan, caller.project);
  },

  async apply(transaction, _input, _prepared, { caller: { project }, now }) {
    return { data: toView(await transaction.audit.signCheckpoint(project.id, now)) };
  },
});

const storedCheckpointView = Fields(
  {
    size: Count("Number of records of the chain at that time."),
    hash: Nullable(
      Type.String({ description: "Hash of the newest of these records; null: it was removed." }),
    ),
    created_at: Timestamp({ description: "When the checkpoint was signed." }),
    signed_by: Type.String({
      description: "Name and id of the signing key: the beginning of its verifier key.",
    }),
    note: Type.String({ description: "The checkpoint as a signed note." }),
    timestamp,
  },
  { title: "StoredCheckpoint" },
);
const { page_size } = pageFields({ items: "Checkpoints", defaultSize: auditPageSizeDefault });

export const listCheckpoints = projectOperation({
  name: "audit.checkpoint_list",
  summary: "List signed checkpoints",
  description:
    "Returns the checkpoints that the server has signed of the project's chain, newest first. A copy that was kept elsewhere must be among them. Business and custom plans only.",
  effects: { readOnly: true, destructive: false, idempotent: true },
  permission: "audit.read",
  feature: "audit",
  input: Fields({
    cursor: Type.Optional(Type.String({ description: "next_cursor of the previous page." })),
    page_size,
  }),
  output: Fields(
    {
      checkpoints: Type.Array(storedCheckpointView),
      next_cursor: nextCursor,
    },
    { title: "CheckpointPage" },
  ),
  refusals: [2207],
  example: {
    input: { page_size: 50 },
    data: {
      checkpoints: [
        {
          size: 1284,
          hash: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
          created_at: "2026-11-21T09:30:00.000Z",
          signed_by: "memledger+4e81dd32",
          note: "memledger/019a2b3c5f1e7a608192a3b4c5d6e7f8/2\n1285\nn4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=\n\n— memledger ...\n",
        },
      ],
      next_cursor: null,
    },
  },

  async prepare({ cursor, page_size: limit = auditPageSizeDefault }, { plan, caller, store, signal }) {
    const { project } = caller;
    requireHashes(plan, project);
    const name = nameList("checkpoints", project.id);
    const below = cursor === undefined ? null : fromCursor(name, cursor).below;
    const found = await store.audit.checkpoints(project, { below, limit: limit + 1 }, signal);
    const checkpoints = found.slice(0, limit).map(toStoredView);
    const last = checkpoints.at(-1);
    const hasMore = found.length > limit && last !== undefined;
    const next_cursor = hasMore ? toCursor(name, { below: last.size, total: 0 }) : null;
    return { precomputed: { data: { checkpoints, next_cursor } }, prepared: null };
  },
});

/** Notes of version 1 name the hash of a record that was removed. */
function toStoredView({
  size,
  at,
  hash,
  note,
  timestamp,
}: ListedCheckpoint): Static<typeof storedCheckpointView> {
  const named = hash ?? parseCheckpoint(textOfNote(note))?.hash ?? null;
  const view = { size, hash: named, created_at: toTimestamp(at), signed_by: signerId(note), note };
  return timestamp === null ? view : { ...view, timestamp };
}

/** The same for the command line, for one chain or for all chains. */
export const signCheckpoints = installationOperation({
  name: "audit.attest",
  summary: "Sign checkpoints",
  description:
    "Signs the size and head of a project's chain, or of all chains. Keep the notes where nobody with access to the server can change them.",
  effects: { readOnly: false, destructive: false, idempotent: false },
  input: Fields({
    project: Type.Optional(
      Nullable(
        Type.String({
          description: "Id or name of the project; null: only the installation. Without it, all chains.",
        }),
      ),
    ),
  }),
  output: Fields({ checkpoints: Type.Array(checkpointView) }),

  async apply(transaction, input, { now }) {
    if (input.project === undefined) {
      const signed = await transaction.audit.signAllCheckpoints(now);
      return { data: { checkpoints: signed.map(toView) } };
    }
    const id = input.project === null ? null : (await requireProject(transaction, input.project)).id;
    return { data: { checkpoints: [toView(await transaction.audit.signCheckpoint(id, now))] } };
  },
});

function toView({
  checkpoint: { chain, size, hash, at },
  note,
  timestamp,
  verifierKey,
}: SignedCheckpoint): Static<typeof checkpointView> {
  const view = { chain, size, hash, created_at: toTimestamp(at), note, public_key: verifierKey };
  return timestamp === null ? view : { ...view, timestamp };
}

/** @throws Refusal 2207 when the plan does not include hashes. */
export function requireHashes(plan: Plan, project: Project): void {
  if (plan.hash) return;
  throw new Refusal(
    2207,
    `The ${project.plan} plan does not include the hash chain. Ask the operator for the business or custom plan.`,
  );
}
