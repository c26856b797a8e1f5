// Owns recording that an older copy of the database was accepted: which checkpoints attest records that it does not have.

import { Type } from "@sinclair/typebox";
import { installationOperation } from "../calls/operation.ts";
import { Fields, Nullable, Timestamp } from "../schema/schema.ts";

const lostCheckpoint = Fields({
  chain: Type.String({ description: "Identifier of the chain." }),
  size: Type.Integer({ minimum: 0, description: "Records that the chain had." }),
  created_at: Timestamp({ description: "When the checkpoint was signed." }),
  newest: Nullable(
    Type.Integer({
      minimum: 0,
      description: "The newest record of the chain in the database; null: it does not have the chain.",
    }),
  ),
  note: Type.String({ description: "The checkpoint as a signed note." }),
});

export const acceptOlderDatabase = installationOperation({
  name: "audit.restore",
  summary: "Accept an older copy of the database",
  description:
    "Records that the server was started with an older copy of its database, and the checkpoints that attest what it does not have.",
  feature: "installation",
  secret: false,
  success: 200,
  input: Fields({ checkpoints: Type.Array(lostCheckpoint, { minItems: 1 }) }),
  output: Fields({ accepted: Type.Integer({ minimum: 1, description: "How many checkpoints." }) }),

  async apply(_transaction, { checkpoints }) {
    return { data: { accepted: checkpoints.length } };
  },
});
