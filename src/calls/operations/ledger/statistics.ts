// Owns the numbers of a project's chain. Must never count records older than the plan's retention, even if they are not pruned yet.

import { Type } from "@sinclair/typebox";
import { Count, Fields, Nullable, Timestamp } from "../../../platform/schema/schema.ts";
import { toTimestamp } from "../../../platform/time/timestamp.ts";
import { projectOperation } from "../../contract/operation.ts";
import { retentionFloor } from "./list.ts";

const time = (description: string) => Nullable(Timestamp({ description }));

export const readLedgerStatistics = projectOperation({
  name: "audit.statistics",
  summary: "Count audit records",
  description:
    "Returns how many audit records the project has, the time of the first and of the last one, the head of the chain, and what they need on disk. It takes about the same time for any number of records. The record of this call is not included.",
  effects: { readOnly: true, destructive: false, idempotent: true },
  permission: "audit.read",
  feature: "audit",
  input: Fields({}),
  output: Fields(
    {
      records: Count("Number of records that a list can show."),
      first_at: time("Time of the oldest of these records; null: there is none."),
      last_at: time("Time of the newest record; null: there is none."),
      head_seq: Count("Position of the newest record; 0: there is none."),
      head_hash: Nullable(
        Type.String({ description: "Hash of the newest record; null on plans without hashes." }),
      ),
      bytes_estimate: Count(
        "Bytes of these records in the database, compressed, estimated from 100 of them.",
      ),
    },
    { title: "LedgerStatistics" },
  ),
  example: {
    input: {},
    data: {
      records: 1284,
      first_at: "2026-10-21T09:30:00.000Z",
      last_at: "2026-11-21T09:30:00.000Z",
      head_seq: 1284,
      head_hash: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
      bytes_estimate: 1_540_800,
    },
  },

  async prepare(_input, { store, caller, plan, now, signal }) {
    const found = await store.audit.statistics(caller.project, retentionFloor(plan, now), signal);
    const data = {
      records: found.records,
      first_at: found.firstAt === null ? null : toTimestamp(found.firstAt),
      last_at: found.lastAt === null ? null : toTimestamp(found.lastAt),
      head_seq: found.headSeq,
      head_hash: plan.hash ? found.headHash : null,
      bytes_estimate: found.bytes,
    };
    return { precomputed: { data }, prepared: null };
  },
});
