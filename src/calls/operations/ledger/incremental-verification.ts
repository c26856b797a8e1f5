// Owns verification through the API, for the chain of the project. The result is a statement of the server itself. To verify independently
// of the server, use an export or a copy of the database, and a checkpoint that is kept outside the server.

import { type Static, Type } from "@sinclair/typebox";
import type { ChainReport } from "../../../audit/verify/verdict.ts";
import { Choice, Count, Fields, Nullable, Timestamp } from "../../../platform/schema/schema.ts";
import { toTimestamp } from "../../../platform/time/timestamp.ts";
import { projectOperation } from "../../contract/operation.ts";
import type { Verification } from "../../storage/ledger-store.ts";
import { requireHashes } from "./checkpoint-operations.ts";

const roundView = Fields(
  {
    from_seq: Type.Integer({
      description: "The first record that was checked; retention has removed the records before it.",
    }),
    through_seq: Type.Integer({ description: "The newest record that was checked." }),
    started_at: Timestamp({ description: "When the round began." }),
    completed_at: Nullable(
      Timestamp({
        description: "When the round first reached the newest record without a failure; null: not yet.",
      }),
    ),
  },
  { title: "VerificationRound" },
);

export const verifyRecords = projectOperation({
  name: "audit.verify",
  summary: "Verify the ledger",
  description:
    "Checks hashes, links, payloads, columns, anchors and checkpoints of the project's chain. The first call after a start of the server, and the first call of each day, starts a round at the first record. Other calls check the records that were added since the last call. The server answers within seconds: if complete is false, the round continues in the background; call again for its result. The verdict is unattested if all checks passed, because no external checkpoint was given. To verify against an external checkpoint, use memledger audit verify --checkpoint. Business and custom plans only.",
  effects: { readOnly: true, destructive: false, idempotent: true },
  permission: "audit.read",
  feature: "audit",
  input: Fields({}),
  output: Fields(
    {
      verdict: Choice(["unattested", "broken", "contradicted"], {
        title: "ChainVerdict",
        description:
          "unattested: all checks passed; no external checkpoint was given. broken: a check failed. contradicted: a checkpoint does not match the records.",
      }),
      chain: Nullable(Type.String({ description: "Identifier of the chain; null before the first record." })),
      verified: Count("Number of records that this call checked."),
      first_seq: Nullable(Type.Integer({ description: "The first of these records." })),
      last_seq: Nullable(Type.Integer({ description: "The last of these records." })),
      complete: Type.Boolean({
        description:
          "Whether this call reached the newest record. If false, records after last_seq are not checked yet.",
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
            seq: Nullable(
              Type.Integer({
                description:
                  "The first record that failed a check; null if the failure concerns no single record.",
              }),
            ),
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
    const { report, isComplete, round, lastCompleteAt } = await store.audit.verify(caller.project);
    const { failure, contradiction } = report ?? { failure: null, contradiction: null };
    const data = {
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
    };
    return { precomputed: { data }, prepared: null };
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
