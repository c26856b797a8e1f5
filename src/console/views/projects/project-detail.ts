// Owns what a project is for its administrators, and how the fields of its form become changes of it.

export const plans = { free: "Free", basic: "Basic", pro: "Pro", business: "Business", custom: "Custom" };
export const subscriptions = { active: "Active", expired: "Expired" };

/** As project.list answers it. */
export interface ProjectDetail {
  readonly id: string;
  readonly name: string;
  readonly plan: keyof typeof plans;
  readonly subscription: keyof typeof subscriptions;
  /** Null: unlimited. */
  readonly credits: number | null;
  /** Null: as in the plan. */
  readonly memory_limit: number | null;
  readonly passage_limit: number | null;
  readonly retention_days: number | null;
  readonly created_at: string;
  readonly memories: number;
  readonly passages: number;
  readonly keys: number;
}

export const numberFields = ["credits", "memory_limit", "passage_limit", "retention_days"] as const;

/** The options of a project as they are in its form: numbers are texts, and an empty one is null. */
export interface Options extends Readonly<Record<(typeof numberFields)[number], string>> {
  readonly plan: ProjectDetail["plan"];
  readonly subscription: ProjectDetail["subscription"];
}

export const newOptions: Options = {
  plan: "custom",
  subscription: "active",
  credits: "",
  memory_limit: "",
  passage_limit: "",
  retention_days: "",
};

export function optionsOf(project: ProjectDetail): Options {
  const { plan, subscription, credits, memory_limit, passage_limit, retention_days } = project;
  return {
    plan,
    subscription,
    credits: textOf(credits),
    memory_limit: textOf(memory_limit),
    passage_limit: textOf(passage_limit),
    retention_days: textOf(retention_days),
  };
}

/** The input of project.create or project.update: what differs. Empty: nothing does. */
export function changesOf(before: Options, after: Options): Readonly<Record<string, string | number | null>> {
  const changes: Record<string, string | number | null> = {};
  if (after.plan !== before.plan) changes.plan = after.plan;
  if (after.subscription !== before.subscription) changes.subscription = after.subscription;
  for (const field of numberFields) {
    if (after[field] !== before[field])
      changes[field] = after[field].trim() === "" ? null : Number(after[field]);
  }
  return changes;
}

function textOf(value: number | null): string {
  return value === null ? "" : String(value);
}
