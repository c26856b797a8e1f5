// Owns the operations that return checkpoints: signed statements of a chain's size and head. They are of use only if a copy is kept where
// nobody with access to the server can change it.

import { type Static, Type } from "@sinclair/typebox";
import type { Plan } from "../access/plan.ts";
import type { Project } from "../access/project.ts";
import { requireProject } from "../access/require-project.ts";
import { installationOperation, projectOperation } from "../calls/operation.ts";
import { Refusal } from "../errors.ts";
import { Fields, Timestamp } from "../schema/schema.ts";
import { toTimestamp } from "../timestamp.ts";
import type { SignedCheckpoint } from "./store.ts";

const checkpointView = Fields(
  {
    chain: Type.String({ description: "Identifier of the chain." }),
    size: Type.Integer({ minimum: 0, description: "Number of records of the chain." }),
    hash: Type.String({ description: "Hash of the newest record." }),
    created_at: Timestamp({ description: "When the checkpoint was signed." }),
    note: Type.String({ description: "The checkpoint as a signed note. Keep this text outside the server." }),
    public_key: Type.String({ description: "The verifier key that verifies the signature." }),
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
  success: 200,
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
      note: "memledger/019a2b3c5f1e7a608192a3b4c5d6e7f8\n1284\nn4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=\n2026-11-21T09:30:00.000Z\n\n— memledger ...\n",
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

/** The same for the command line, for one chain or for all chains. */
export const signCheckpoints = installationOperation({
  name: "audit.attest",
  summary: "Sign checkpoints",
  description:
    "Signs the size and head of a project's chain, or of all chains. Keep the notes where nobody with access to the server can change them.",
  effects: { readOnly: false, destructive: false, idempotent: false },
  secret: false,
  success: 200,
  input: Fields({
    project: Type.Optional(
      Type.String({ description: "Id or name of the project; without it, all chains." }),
    ),
  }),
  output: Fields({ checkpoints: Type.Array(checkpointView) }),

  async apply(transaction, input, { now }) {
    if (input.project === undefined) {
      const signed = await transaction.audit.signAllCheckpoints(now);
      return { data: { checkpoints: signed.map(toView) } };
    }
    const { id } = await requireProject(transaction, input.project);
    return { data: { checkpoints: [toView(await transaction.audit.signCheckpoint(id, now))] } };
  },
});

function toView({ checkpoint, note, verifierKey }: SignedCheckpoint): Static<typeof checkpointView> {
  const { chain, size, hash, at } = checkpoint;
  return { chain, size, hash, created_at: toTimestamp(at), note, public_key: verifierKey };
}

/** @throws Refusal 2207 when the plan does not include hashes. */
export function requireHashes(plan: Plan, project: Project): void {
  if (plan.hash) return;
  throw new Refusal(
    2207,
    `The ${project.plan} plan does not include the hash chain. Ask the operator for the business or custom plan.`,
  );
}
