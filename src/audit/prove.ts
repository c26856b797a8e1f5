// Owns verification through the API: the project's own chain, from the last record that was found good. What it answers is the
// server's word; proof against the server itself needs an export or a copy, and a checkpoint kept elsewhere.

import { Type } from "@sinclair/typebox";
import { projectOperation } from "../operation.ts";
import { Choice, Fields, Nullable } from "../schema.ts";
import { requireHashes } from "./attest.ts";
import type { ChainReport } from "./verdict.ts";

export const verifyRecords = projectOperation({
  name: "audit.verify",
  summary: "Verify the ledger",
  description:
    "Checks the project's chain from where the last verification ended: hashes, links, payloads, columns, anchors and checkpoints. The verdict is unattested when all is good, since only a checkpoint that was kept elsewhere can vouch for it (memledger audit verify --checkpoint). Business and custom plans only.",
  permission: "audit.read",
  feature: "audit",
  success: 200,
  input: Fields({}),
  output: Fields({
    verdict: Choice(["unattested", "broken", "contradicted"], { description: "What was found." }),
    chain: Nullable(Type.String({ description: "Identifier of the chain; null before the first record." })),
    verified: Type.Integer({ minimum: 0, description: "Records checked now." }),
    first_seq: Nullable(Type.Integer({ description: "The first of them." })),
    last_seq: Nullable(Type.Integer({ description: "The last of them." })),
    failure: Nullable(
      Fields({
        seq: Nullable(Type.Integer({ description: "The first bad record." })),
        check: Type.String({ description: "The check that failed." }),
        message: Type.String(),
      }),
    ),
    contradiction: Nullable(Fields({ kind: Type.String(), size: Type.Integer(), message: Type.String() })),
  }),
  refusals: [],
  example: {
    input: {},
    data: {
      ...{
        verdict: "unattested",
        chain: "019a2b3c5f1e7a608192a3b4c5d6e7f8",
        verified: 1284,
        first_seq: 1,
        last_seq: 1284,
      },
      ...{ failure: null, contradiction: null },
    },
  },

  async prepare(_input, { plan, caller, store }) {
    requireHashes(plan, caller.project);
    return store.audit.verify(caller.project);
  },

  async apply(transaction, _input, { report, verified }, { caller: { project }, now }) {
    if (verified !== null) await transaction.audit.noteVerified(project, verified, now);
    const { failure, contradiction } = report ?? { failure: null, contradiction: null };
    return {
      data: {
        verdict: verdictOf(report),
        chain: report?.chain ?? null,
        verified: report?.records ?? 0,
        first_seq: report?.firstSeq ?? null,
        last_seq: report?.lastSeq ?? null,
        failure,
        contradiction:
          contradiction === null
            ? null
            : { kind: contradiction.kind, size: contradiction.size, message: contradiction.message },
      },
    };
  },
});

function verdictOf(report: ChainReport | null): "unattested" | "broken" | "contradicted" {
  if (report === null) return "unattested";
  if (report.failure !== null) return "broken";
  return report.contradiction === null ? "unattested" : "contradicted";
}
