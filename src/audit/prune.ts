// Owns asking for a retention sweep now instead of at its hour.

import { Type } from "@sinclair/typebox";
import { installationOperation } from "../operation.ts";
import { Fields } from "../schema.ts";

export const pruneRecords = installationOperation({
  name: "audit.prune",
  summary: "Prune audit records",
  description:
    "Removes the audit records that are older than their project's retention, leaving a signed anchor. This also happens by itself every hour.",
  feature: "installation",
  secret: false,
  success: 200,
  input: Fields({}),
  output: Fields({ started: Type.Literal(true) }),

  async apply(transaction) {
    transaction.audit.requestPrune();
    return { data: { started: true } as const };
  },
});
