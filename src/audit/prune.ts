// Owns asking for a retention sweep now instead of at its hour, and what it did.

import { Type } from "@sinclair/typebox";
import { installationOperation } from "../calls/operation.ts";
import { Fields, Nullable } from "../schema/schema.ts";

const sweptChain = Fields({
  chain: Type.String({ description: "Identifier of the chain." }),
  project: Nullable(Type.String({ description: "Its project; null for the installation." })),
  records: Type.Integer({ minimum: 0, description: "Records that were removed." }),
  payloads: Type.Integer({
    minimum: 0,
    description: "Payloads that were removed from records that are still there.",
  }),
  anchored_through: Nullable(
    Type.Integer({ description: "The newest record that was ever removed; null when none was." }),
  ),
  skipped: Nullable(
    Type.String({ description: "Why records that are too old are still there; null when there are none." }),
  ),
});

export const pruneRecords = installationOperation({
  name: "audit.prune",
  summary: "Prune audit records",
  description:
    "Removes the audit records that are older than their project's retention, leaving a signed anchor, and answers when that is done: the chains that it changed, and those that it had to skip. This also happens by itself every hour.",
  feature: "installation",
  secret: false,
  success: 200,
  input: Fields({}),
  output: Fields({
    records: Type.Integer({ minimum: 0, description: "Records that were removed from all chains." }),
    payloads: Type.Integer({ minimum: 0, description: "Payloads that were removed from all chains." }),
    chains: Type.Array(sweptChain),
  }),

  /** Each chain says on itself what was removed from it, in the transaction that removed it: the sweep needs no other record. */
  async prepare(_input, { store }) {
    return store.retention.sweep();
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
