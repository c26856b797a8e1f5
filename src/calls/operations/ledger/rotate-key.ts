// Owns the record that the signing key has changed. The record contains the rotation statement, so that the statement is on the chain
// as well as in a file.

import { Type } from "@sinclair/typebox";
import { openRotation } from "../../../audit/key-rotation.ts";
import { Refusal } from "../../../platform/errors.ts";
import { Fields } from "../../../platform/schema/schema.ts";
import { installationOperation } from "../../contract/operation.ts";

export const rotateKey = installationOperation({
  name: "audit.rotate_key",
  summary: "Change the signing key",
  description:
    "Replaces the key that signs checkpoints. The previous key signs the statement about the new key, so that auditors who have the previous public key can verify the new one. The server must be stopped.",
  effects: { readOnly: false, destructive: true, idempotent: true },
  input: Fields({
    statement: Type.String({ description: "The rotation statement, a signed note." }),
  }),
  output: Fields({
    former_key: Type.String({ description: "Verifier key of the previous key." }),
    new_key: Type.String({ description: "Verifier key of the new key. Give it to auditors." }),
    attested: Type.Boolean({
      description:
        "Whether the previous key has signed the statement. If false, give auditors the new key in a way that they trust.",
    }),
  }),

  async apply(transaction, { statement }, { now }) {
    const rotation = openRotation(statement);
    if (rotation === null) {
      throw new Refusal(
        1400,
        "The statement is not a rotation statement signed by one of its two keys. Run: memledger audit rotate-key",
      );
    }
    const { former, successor, by } = rotation;
    if (!(await transaction.audit.adoptKey(rotation, now))) {
      throw new Refusal(
        1400,
        "The statement does not name the current key and the key that this process signs with. Stop the server, then run: memledger audit rotate-key",
      );
    }
    return { data: { former_key: former, new_key: successor, attested: by === "former" } };
  },
});
