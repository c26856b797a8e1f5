// Owns the list of the plans, as memledger.toml has them. Must never change one.

import { Type } from "@sinclair/typebox";
import { planNames } from "../../../access/plan.ts";
import { Choice, Count, Fields, Nullable } from "../../../platform/schema/schema.ts";
import { installationOperation } from "../../contract/operation.ts";

const planView = Fields(
  {
    name: Choice(planNames, { description: "Name of the plan." }),
    memory_limit: Nullable(Count("Maximum number of memories of a project; 0: none, null: unlimited.")),
    passage_limit: Nullable(
      Count(
        "Maximum number of passages of conversations of a project, above which the oldest are deleted; 0: none, null: unlimited.",
      ),
    ),
    retention_days: Nullable(
      Type.Integer({ minimum: 1, description: "Days that audit records are kept; null: unlimited." }),
    ),
    export: Type.Boolean({ description: "Whether audit records can be exported." }),
    hash: Type.Boolean({ description: "Whether audit records include their hash." }),
    calls_per_second: Nullable(
      Type.Number({ minimum: 0, description: "Calls per second of each key; null: unlimited." }),
    ),
    burst: Nullable(
      Type.Integer({ minimum: 1, description: "Calls that a key can send at once; null: unlimited." }),
    ),
  },
  { title: "Plan" },
);

export const listPlans = installationOperation({
  name: "plan.list",
  summary: "List the plans",
  description: "Lists the plans that a project can have, with their features and limits.",
  effects: { readOnly: true, destructive: false, idempotent: true },
  input: Fields({}),
  output: Type.Array(planView),
  example: {
    input: {},
    data: [
      {
        name: "pro",
        memory_limit: 20_000,
        passage_limit: 100_000,
        retention_days: 90,
        export: true,
        hash: false,
        calls_per_second: 50,
        burst: 200,
      },
    ],
  },

  async apply(_transaction, _input, { plans }) {
    const data = planNames.map((name) => {
      const { memoryLimit, passageLimit, retentionDays, export: isExported, hash, rate } = plans[name];
      return {
        name,
        memory_limit: memoryLimit,
        passage_limit: passageLimit,
        retention_days: retentionDays,
        export: isExported,
        hash,
        calls_per_second: rate?.perSecond ?? null,
        burst: rate?.burst ?? null,
      };
    });
    return { data };
  },
});
