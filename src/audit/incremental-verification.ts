// Owns verification through the API: the project's own chain. What it answers is the server's word; proof against the server itself
// needs an export or a copy, and a checkpoint kept elsewhere.

import { type Static, Type } from "@sinclair/typebox";
import { projectOperation } from "../calls/operation.ts";
import { toTimestamp } from "../clock.ts";
import { Choice, Fields, Nullable, Timestamp } from "../schema/schema.ts";
import { requireHashes } from "./checkpoint-operations.ts";
import type { Verification } from "./store.ts";
import type { ChainReport } from "./verify/verdict.ts";

const roundView = Fields(
  {
    from_seq: Type.Integer({
      description: "The first record that it checked; retention removed those before.",
    }),
    through_seq: Type.Integer({ description: "The newest record that it checked." }),
    started_at: Timestamp({ description: "When it began." }),
    completed_at: Nullable(
      Timestamp({ description: "When it first reached the newest record without a failure; null: not yet." }),
    ),
  },
  { title: "VerificationRound" },
);

export const verifyRecords = projectOperation({
  name: "audit.verify",
  summary: "Verify the ledger",
  description:
    "Checks hashes, links, payloads, columns, anchors and checkpoints of the project's chain. The first call after a start of the server, and the first after a day, begins a round at the first record; other calls check the records that are new since the last call. The answer comes within seconds: when complete is false, the round continues in the background; call again for its result. The verdict is unattested when nothing wrong was found, since only a checkpoint that was kept elsewhere can confirm more (memledger audit verify --checkpoint). Business and custom plans only.",
  permission: "audit.read",
  feature: "audit",
  success: 200,
  input: Fields({}),
  output: Fields(
    {
      verdict: Choice(["unattested", "broken", "contradicted"], {
        title: "ChainVerdict",
        description: "What was found.",
      }),
      chain: Nullable(Type.String({ description: "Identifier of the chain; null before the first record." })),
      verified: Type.Integer({ minimum: 0, description: "Records checked by this run." }),
      first_seq: Nullable(Type.Integer({ description: "The first of them." })),
      last_seq: Nullable(Type.Integer({ description: "The last of them." })),
      complete: Type.Boolean({
        description:
          "Whether this run reached the newest record. False: nothing is known yet about records after last_seq.",
      }),
      round: Nullable(roundView),
      last_complete_at: Nullable(
        Timestamp({
          description:
            "When a round was last completed without a failure; null: not since the start of the server.",
        }),
      ),
      failure: Nullable(
        Fields(
          {
            seq: Nullable(Type.Integer({ description: "The first bad record." })),
            check: Type.String({ description: "The check that failed." }),
            message: Type.String(),
          },
          { title: "VerificationFailure" },
        ),
      ),
      contradiction: Nullable(
        Fields(
          { kind: Type.String(), size: Type.Integer(), message: Type.String() },
          { title: "Contradiction" },
        ),
      ),
    },
    { title: "Verification" },
  ),
  refusals: [2207],
  example: {
    input: {},
    data: {
      verdict: "unattested",
      chain: "019a2b3c5f1e7a608192a3b4c5d6e7f8",
      verified: 1284,
      first_seq: 1,
      last_seq: 1284,
      complete: true,
      round: {
        from_seq: 1,
        through_seq: 1284,
        started_at: "2026-11-21T09:30:00.000Z",
        completed_at: "2026-11-21T09:30:00.100Z",
      },
      last_complete_at: "2026-11-21T09:30:00.100Z",
      failure: null,
      contradiction: null,
    },
  },

  async prepare(_input, { plan, caller, store }) {
    requireHashes(plan, caller.project);
    return store.audit.verify(caller.project);
  },

  async apply(_transaction, _input, { report, isComplete, round, lastCompleteAt }) {
    const { failure, contradiction } = report ?? { failure: null, contradiction: null };
    return {
      data: {
        verdict: verdictOf(report),
        chain: report?.chain ?? null,
        verified: report?.records ?? 0,
        first_seq: report?.firstSeq ?? null,
        last_seq: report?.lastSeq ?? null,
        complete: isComplete,
        round: round && toRoundView(round),
        last_complete_at: lastCompleteAt === null ? null : toTimestamp(lastCompleteAt),
        failure,
        contradiction:
          contradiction === null
            ? null
            : { kind: contradiction.kind, size: contradiction.size, message: contradiction.message },
      },
    };
  },
});

function toRoundView({
  fromSeq,
  throughSeq,
  startedAt,
  completedAt,
}: NonNullable<Verification["round"]>): Static<typeof roundView> {
  return {
    from_seq: fromSeq,
    through_seq: throughSeq,
    started_at: toTimestamp(startedAt),
    completed_at: completedAt === null ? null : toTimestamp(completedAt),
  };
}

function verdictOf(report: ChainReport | null): "unattested" | "broken" | "contradicted" {
  if (report === null) return "unattested";
  if (report.failure !== null) return "broken";
  return report.contradiction === null ? "unattested" : "contradicted";
}
