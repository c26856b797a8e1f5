// Owns the preview of an erasure: which records hold the text of a memory or of a record, and which memories have it. Erases nothing.

import { Type } from "@sinclair/typebox";
import { holdings } from "../../../audit/trace/traced.ts";
import { Choice, Fields, Nullable } from "../../../platform/schema/schema.ts";
import { installationOperation } from "../../contract/operation.ts";
import { countHoldings, erased, type Holders, heldCounts, notErasable, traceText } from "./erased.ts";

export const traceRecords = installationOperation({
  name: "audit.trace",
  summary: "Find the records that hold a text",
  description:
    "Finds the audit records that hold the text of a memory or of a record, as audit.redact would erase them, and the memories that have it. Erases nothing.",
  effects: { readOnly: true, destructive: false, idempotent: true },
  input: Fields(erased),
  output: Fields({
    records: Type.Array(
      Fields({
        id: Type.String({ description: "Audit record identifier." }),
        seq: Type.Integer({ description: "Position in the chain." }),
        project: Nullable(Type.String({ description: "Project of the chain; null for the installation." })),
        action: Type.String({ description: "Name of the operation." }),
        holding: Choice(holdings, {
          description:
            "origin: the text came from it, or a call performed for that record has left it. shown: it names the memory by its id. repeated: it has the same words without an id.",
        }),
        parts: Nullable(
          Type.Integer({
            minimum: 1,
            description:
              "Number of parts of the payload that hold the text; null: the whole payload would be erased.",
          }),
        ),
      }),
    ),
    ...heldCounts,
    memories: Type.Array(Type.String(), { description: "Ids of the memories that have the text." }),
  }),

  prepare: (input, { store, signal }): Promise<Holders> => traceText(input, store, signal),

  async apply(_transaction, _input, _application, { records, memories }) {
    const held = records.filter(({ action }) => !notErasable.includes(action));
    const shown = held.map(({ id, seq, project, action, holding, parts }) => ({
      id,
      seq,
      project,
      action,
      holding,
      parts: parts?.length ?? null,
    }));
    return { data: { records: shown, ...countHoldings(held), memories: [...memories] } };
  },
});
