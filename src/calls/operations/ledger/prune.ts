// Owns running retention immediately instead of at the next hour, and reporting its result.

import { Type } from "@sinclair/typebox";
import { Count, Fields, Nullable } from "../../../platform/schema/schema.ts";
import { installationOperation } from "../../contract/operation.ts";

const sweptChain = Fields({
  chain: Type.String({ description: "Identifier of the chain." }),
  project: Nullable(Type.String({ description: "Project of the chain; null for the installation." })),
  records: Count("Number of removed records."),
  payloads: Count("Number of payloads removed from records that remain."),
  anchored_through: Nullable(
    Type.Integer({ description: "The newest removed record of the chain; null if none was ever removed." }),
  ),
  skipped: Nullable(
    Type.String({ description: "Why records that are too old were not removed; null if there are none." }),
  ),
});

export const pruneRecords = installationOperation({
  name: "audit.prune",
  summary: "Prune audit records",
  description:
    "Removes the audit records that are older than their project's retention, and signs an anchor for each chain. Reports the chains that it changed and those that it skipped. Pruning also runs automatically every hour.",
  effects: { readOnly: false, destructive: true, idempotent: true },
  input: Fields({}),
  output: Fields({
    records: Count("Number of records removed from all chains."),
    payloads: Count("Number of payloads removed from all chains."),
    chains: Type.Array(sweptChain),
  }),

  /** The transaction that removes records from a chain appends a record to the same chain, so the operation needs no record of its own. */
  async prepare(_input, { store }) {
    return store.retention.run();
  },

  async apply(_transaction, _input, _application, swept) {
    const chains = swept.map(({ anchoredThrough, ...chain }) => ({
      ...chain,
      anchored_through: anchoredThrough,
    }));
    return {
      data: {
        records: swept.reduce((sum, { records }) => sum + records, 0),
        payloads: swept.reduce((sum, { payloads }) => sum + payloads, 0),
        chains,
      },
    };
  },
});
