// Owns the record that an operator has accepted an older copy of the database: it lists the checkpoints that cover records which are
// missing from that copy.

import { Type } from "@sinclair/typebox";
import { Count, Fields, Nullable, Timestamp } from "../../../platform/schema/schema.ts";
import { installationOperation } from "../../contract/operation.ts";

const lostCheckpoint = Fields({
  chain: Type.String({ description: "Identifier of the chain." }),
  size: Count("Number of records of the chain at that time."),
  created_at: Nullable(
    Timestamp({
      description: "When the checkpoint was signed; null: a checkpoint of version 2 does not say.",
    }),
  ),
  newest: Nullable(
    Count("The newest record of the chain in the database; null if the database does not contain the chain."),
  ),
  note: Type.String({ description: "The checkpoint as a signed note." }),
});

export const acceptOlderDatabase = installationOperation({
  name: "audit.restore",
  summary: "Accept an older copy of the database",
  description:
    "Records that the server was started with an older copy of its database, and the checkpoints that cover the missing records. Ends all sessions of the console and revokes all tokens.",
  effects: { readOnly: false, destructive: false, idempotent: false },
  input: Fields({ checkpoints: Type.Array(lostCheckpoint, { minItems: 1 }) }),
  output: Fields({ accepted: Type.Integer({ minimum: 1, description: "Number of checkpoints." }) }),

  async apply({ access, audit }, { checkpoints }, { now }) {
    // They may have been revoked after this copy was made.
    await access.revokeTokens(null);
    for (const { session } of await access.listSessions()) await access.removeSession(session.id);
    for (const { id } of await access.listSignInLinks()) await access.removeSignInLink(id);
    const lost = checkpoints.map(({ chain }) => chain);
    const { recordId } = await audit.acceptHeads(now, lost);
    return { data: { accepted: checkpoints.length }, recordId };
  },
});
