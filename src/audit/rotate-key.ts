// Owns recording that the signing key has changed. The record holds the statement, so that it is on the chain as well as in a file.

import { Type } from "@sinclair/typebox";
import { installationOperation } from "../calls/operation.ts";
import { Refusal } from "../errors.ts";
import { Fields } from "../schema/schema.ts";
import { openRotation } from "./key-rotation.ts";

export const rotateKey = installationOperation({
  name: "audit.rotate_key",
  summary: "Change the signing key",
  description:
    "Changes the key that signs checkpoints. The former key attests the new one, so that auditors who hold the former public key can follow. Needs a stopped server.",
  feature: "installation",
  secret: false,
  success: 200,
  input: Fields({
    statement: Type.String({ description: "The rotation statement, a signed note." }),
  }),
  output: Fields({
    former_key: Type.String({ description: "Verifier key of the former key." }),
    new_key: Type.String({ description: "Verifier key of the new key; give it to auditors." }),
    attested: Type.Boolean({
      description:
        "Whether the former key has signed the statement. False: auditors must get the new key in a way that they trust.",
    }),
  }),

  async apply(transaction, { statement }, { now }) {
    const rotation = openRotation(statement);
    if (rotation === null) {
      throw new Refusal(
        1400,
        "The statement is not a rotation statement that one of its two keys has signed.",
      );
    }
    const { former, successor, by } = rotation;
    if (!transaction.audit.adoptKey(rotation)) {
      throw new Refusal(
        1400,
        "The statement is not about the key in use and the key that this process signs with. Stop the server, then run: memledger audit rotate-key",
      );
    }
    // So that the record of the change is attested by the new key.
    await transaction.audit.signCheckpoint(null, now);
    return { data: { former_key: former, new_key: successor, attested: by === "former" } };
  },
});
