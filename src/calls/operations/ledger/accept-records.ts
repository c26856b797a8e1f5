// Owns the record that an administrator has accepted records which another program has written. Until then, the server neither continues
// nor signs their chains.

import { Type } from "@sinclair/typebox";
import { Count, Fields, Nullable } from "../../../platform/schema/schema.ts";
import { installationOperation } from "../../contract/operation.ts";

export const acceptRecords = installationOperation({
  name: "audit.accept",
  summary: "Accept records of another program",
  description:
    "Accepts records that this server did not write, or that replace others, so that it continues and signs their chains. The acceptance is recorded with the number and the hash of the newest record of each chain.",
  effects: { readOnly: false, destructive: false, idempotent: true },
  input: Fields({}),
  output: Fields({
    chains: Type.Array(
      Fields({
        chain: Type.String({ description: "Identifier of the chain." }),
        project: Nullable(Type.String({ description: "Id of the project; null: the installation." })),
        covered: Count(
          "Number of records that the newest checkpoint covers. Records after it were not signed.",
        ),
        newest: Count("Number of the newest record that is accepted."),
        hash: Type.String({ description: "Its hash." }),
      }),
      { description: "The chains that the server did not continue." },
    ),
  }),

  async apply({ audit }, _input, { now }) {
    const { accepted, recordId } = await audit.acceptHeads(now);
    return { data: { chains: [...accepted] }, recordId };
  },
});
