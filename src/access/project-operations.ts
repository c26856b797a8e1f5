// Owns the administration of projects. Only commands on this machine can perform it. It is recorded in the installation's chain.

import { type Static, Type } from "@sinclair/typebox";
import { installationOperation } from "../calls/operation.ts";
import { Refusal } from "../errors.ts";
import { nameMaxCharacters } from "../limits.ts";
import { afterBulkDelete } from "../memory/delete.ts";
import { Choice, Fields, Label, Nullable, Text, Timestamp } from "../schema/schema.ts";
import type { AfterCommit } from "../storage/after-commit.ts";
import type { Transaction } from "../storage/store.ts";
import { toTimestamp } from "../timestamp.ts";
import { limitMax, projectsPageMax } from "./limits.ts";
import { planNames } from "./plan.ts";
import { type Project, subscriptions } from "./project.ts";
import { requireProject } from "./require-project.ts";

const name = Text({ maxLength: nameMaxCharacters, description: "Unique name of the project." });
export const reference = Text({ maxLength: nameMaxCharacters, description: "Id or name of the project." });
const plan = Choice(planNames, { description: "Plan, which sets features and limits." });
const count = (description: string) =>
  Nullable(Type.Integer({ minimum: 0, maximum: 2 ** 53 - 1, description }));
const subscription = Choice(subscriptions, { description: "Whether the subscription is active." });
const credits = count("Credits available; null: unlimited.");
const memoryLimit = count("Maximum number of memories; null: the limit of the plan.");
const retentionDays = (minimum: number, maximum: number) =>
  Nullable(
    Type.Integer({
      minimum,
      maximum,
      description: "Days that audit records are kept, then they are deleted; null: as in the plan.",
    }),
  );

const projectView = Fields({
  id: Type.String(),
  name,
  plan,
  subscription,
  credits,
  memory_limit: memoryLimit,
  // memledger 0.1.0 accepted 0, and numbers above the limit.
  retention_days: retentionDays(0, 2 ** 53 - 1),
  created_at: Timestamp({ description: "When the project was created." }),
});

export const projectChanges = {
  plan: Type.Optional(plan),
  subscription: Type.Optional(subscription),
  credits: Type.Optional(credits),
  memory_limit: Type.Optional(memoryLimit),
  retention_days: Type.Optional(retentionDays(1, limitMax)),
};

export const createProject = installationOperation({
  name: "project.create",
  summary: "Create a project",
  description: "Creates a project without API keys.",
  effects: { readOnly: false, destructive: false, idempotent: true },
  secret: false,
  success: 201,
  input: Fields({ name, ...projectChanges }),
  output: projectView,

  async apply(transaction, input, { now }) {
    if ((await transaction.access.findProject(input.name)) !== null) {
      throw new Refusal(
        1400,
        `A project with the name "${input.name}" already exists. Choose another name.`,
        {
          field: "name",
        },
      );
    }
    return { data: toView(await insertProject(transaction, input, now)) };
  },
});

/** Options that are not given have the defaults of the command. */
export function insertProject(
  { access }: Transaction,
  { name, ...options }: { readonly name: string } & Changes,
  now: number,
): Promise<Project> {
  const project = {
    name,
    plan: options.plan ?? "custom",
    subscription: options.subscription ?? "active",
    credits: options.credits ?? null,
    memoryLimit: options.memory_limit ?? null,
    retentionDays: options.retention_days ?? null,
  } as const;
  return access.insertProject(project, now);
}

export const listProjects = installationOperation({
  name: "project.list",
  summary: "List projects",
  description:
    "Lists all projects with the number of their memories and valid keys, or some of them. With page_size, a list that has as many projects continues behind its last one: pass its id as after.",
  effects: { readOnly: true, destructive: false, idempotent: true },
  secret: false,
  success: 200,
  input: Fields({
    text: Type.Optional(
      Label({ maxLength: nameMaxCharacters, description: "Part of the name, or beginning of the id." }),
    ),
    sort_by: Type.Optional(
      Choice(["created_at", "memories"], {
        default: "created_at",
        description: "created_at: the oldest first. memories: the largest first.",
      }),
    ),
    page_size: Type.Optional(
      Type.Integer({ minimum: 1, maximum: projectsPageMax, description: "Maximum number of projects." }),
    ),
    after: Type.Optional(Type.String({ description: "Id of the last project of the page before." })),
  }),
  output: Type.Array(Fields({ ...projectView.properties, memories: Type.Integer(), keys: Type.Integer() })),

  async apply(transaction, { text = "", sort_by: order = "created_at", page_size, after = null }, { now }) {
    if (after !== null && order !== "created_at") throw invalidPage('only with the order "created_at"');
    const limit = page_size ?? Number.POSITIVE_INFINITY;
    const query = { text: text.trim(), after, order, limit };
    const summaries = await transaction.access.listProjects(query, now);
    if (summaries === null) throw invalidPage("must be the id of a project of the page before");
    return { data: summaries.map(({ project, memories, keys }) => ({ ...toView(project), memories, keys })) };
  },
});

function invalidPage(reason: string): Refusal {
  const message = `The field "after" is invalid: ${reason}. Leave it out to begin with the first project.`;
  return new Refusal(1400, message, { field: "after", reason });
}

export const showProject = installationOperation({
  name: "project.show",
  summary: "Show a project",
  description: "Shows one project.",
  effects: { readOnly: true, destructive: false, idempotent: true },
  secret: false,
  success: 200,
  input: Fields({ project: reference }),
  output: projectView,

  async apply(transaction, input) {
    return { data: toView(await requireProject(transaction, input.project)) };
  },
});

export const updateProject = installationOperation({
  name: "project.update",
  summary: "Update a project",
  description: "Changes the given options of a project. At least one option is required.",
  effects: { readOnly: false, destructive: true, idempotent: true },
  secret: false,
  success: 200,
  input: Fields({ project: reference, ...projectChanges }),
  output: projectView,

  async apply(transaction, input) {
    if (Object.keys(input).length < 2) {
      throw new Refusal(
        1400,
        'No option is given. Give at least one. Run "memledger project update --help" for the list of options.',
      );
    }
    const before = await requireProject(transaction, input.project);
    const project = applyChanges(before, input);
    await transaction.access.updateProject(project);
    return { data: toView(project) };
  },
});

export const deleteProject = installationOperation({
  name: "project.delete",
  summary: "Delete a project",
  description: "Permanently deletes a project with its memories and keys. Its audit records are kept.",
  effects: { readOnly: false, destructive: true, idempotent: true },
  secret: false,
  success: 200,
  input: Fields({ project: reference }),
  output: projectView,

  async apply(transaction, input, { now }) {
    const project = await requireProject(transaction, input.project);
    await transaction.access.removeProject(project, now);
    await transaction.checks.removeAll(project);
    await transaction.remembering.removeAll(project);
    const count = await transaction.memories.removeAllOf(project);
    return {
      data: toView(project),
      after: [...afterBulkDelete({ project: project.id, subject: null }, count), forgetAnswers(project)],
    };
  },
});

function forgetAnswers({ id }: Project): AfterCommit {
  return { effect: "remove_cached_answers", of: { project: id } };
}

type Changes = Static<ReturnType<typeof Fields<typeof projectChanges>>>;

/** The project with the changes applied. */
export function applyChanges(before: Project, input: Changes): Project {
  return {
    ...before,
    plan: input.plan ?? before.plan,
    subscription: input.subscription ?? before.subscription,
    credits: input.credits === undefined ? before.credits : input.credits,
    memoryLimit: input.memory_limit === undefined ? before.memoryLimit : input.memory_limit,
    retentionDays: input.retention_days === undefined ? before.retentionDays : input.retention_days,
  };
}

function toView(project: Project): Static<typeof projectView> {
  return {
    id: project.id,
    name: project.name,
    plan: project.plan,
    subscription: project.subscription,
    credits: project.credits,
    memory_limit: project.memoryLimit,
    retention_days: project.retentionDays,
    created_at: toTimestamp(project.createdAt),
  };
}
