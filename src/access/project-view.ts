// Owns what callers see of a project, and the fields by which they create and change one. Must never decide anything.

import { type Static, Type } from "@sinclair/typebox";
import { nameMaxCharacters } from "../platform/limits.ts";
import { Choice, Fields, Nullable, Text, Timestamp } from "../platform/schema/schema.ts";
import { toTimestamp } from "../platform/time/timestamp.ts";
import { limitMax } from "./limits.ts";
import { planNames } from "./plan.ts";
import { type Project, subscriptions } from "./project.ts";

export const name = Text({ maxLength: nameMaxCharacters, description: "Unique name of the project." });
export const reference = Text({ maxLength: nameMaxCharacters, description: "Id or name of the project." });
const plan = Choice(planNames, { description: "Plan, which sets features and limits." });
const count = (description: string) =>
  Nullable(Type.Integer({ minimum: 0, maximum: 2 ** 53 - 1, description }));
const subscription = Choice(subscriptions, { description: "Whether the subscription is active." });
const credits = count("Credits available; null: unlimited.");
const memoryLimit = count("Maximum number of memories besides passages; null: the limit of the plan.");
const passageLimit = count(
  "Maximum number of passages of conversations, above which the oldest are deleted; null: the limit of the plan.",
);
const retentionDays = (minimum: number, maximum: number) =>
  Nullable(
    Type.Integer({
      minimum,
      maximum,
      description: "Days that audit records are kept, then they are deleted; null: as in the plan.",
    }),
  );

const projectFields = {
  id: Type.String({ description: "Id of the project." }),
  name,
  plan,
  subscription,
  credits,
  memory_limit: memoryLimit,
  passage_limit: passageLimit,
  // memledger 0.1.0 accepted 0, and numbers above the limit.
  retention_days: retentionDays(0, 2 ** 53 - 1),
  created_at: Timestamp({ description: "When the project was created." }),
};
export const projectView = Fields(projectFields, { title: "Project" });
export const projectSummary = Fields(
  {
    ...projectFields,
    memories: Type.Integer({ description: "Number of its memories besides passages." }),
    passages: Type.Integer({ description: "Number of its passages of conversations." }),
    keys: Type.Integer({ description: "Number of its valid keys." }),
  },
  { title: "ProjectSummary" },
);

export const example = {
  id: "019a2b3c00007a608192a3b4c5d6e7f8",
  name: "shop",
  plan: "pro",
  subscription: "active",
  credits: null,
  memory_limit: 5_000,
  passage_limit: null,
  retention_days: null,
  created_at: "2026-11-21T09:30:00.000Z",
} as const;

export const projectChanges = {
  plan: Type.Optional(plan),
  subscription: Type.Optional(subscription),
  credits: Type.Optional(credits),
  memory_limit: Type.Optional(memoryLimit),
  passage_limit: Type.Optional(passageLimit),
  retention_days: Type.Optional(retentionDays(1, limitMax)),
};

export function toView(project: Project): Static<typeof projectView> {
  return {
    id: project.id,
    name: project.name,
    plan: project.plan,
    subscription: project.subscription,
    credits: project.credits,
    memory_limit: project.memoryLimit,
    passage_limit: project.passageLimit,
    retention_days: project.retentionDays,
    created_at: toTimestamp(project.createdAt),
  };
}
