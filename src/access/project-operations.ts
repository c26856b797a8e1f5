// Owns the administration of projects. Reached from this machine only; recorded on the installation's chain.

import { type Static, Type } from "@sinclair/typebox";
import { installationOperation } from "../calls/operation.ts";
import { toTimestamp } from "../clock.ts";
import { Refusal } from "../errors.ts";
import { nameMaxCharacters } from "../limits.ts";
import { Choice, Fields, Nullable, Text, Timestamp } from "../schema/schema.ts";
import type { Transaction } from "../storage/store.ts";
import { planNames } from "./plan.ts";
import { type Project, subscriptions } from "./project.ts";

const name = Text({ maxLength: nameMaxCharacters, description: "Name of the project, unique." });
export const reference = Text({ maxLength: nameMaxCharacters, description: "Id or name of the project." });
const plan = Choice(planNames, { description: "Plan, which sets features and limits." });
const count = (description: string) =>
  Nullable(Type.Integer({ minimum: 0, maximum: 2 ** 53 - 1, description }));
const subscription = Choice(subscriptions, { description: "Whether the subscription is active." });
const credits = count("Credits left; null is unlimited.");
const memoryLimit = count("Memories at most; null: the plan decides.");
const retentionDays = (minimum: 0 | 1) =>
  Nullable(
    Type.Integer({
      minimum,
      maximum: 2 ** 53 - 1,
      description: "Days that audit records are kept; older ones are deleted. Null: the plan decides.",
    }),
  );

const projectView = Fields({
  id: Type.String(),
  name,
  plan,
  subscription,
  credits,
  memory_limit: memoryLimit,
  // Programs up to 0.1.0 accepted 0.
  retention_days: retentionDays(0),
  created_at: Timestamp({ description: "When the project was created." }),
});

export const projectChanges = {
  plan: Type.Optional(plan),
  subscription: Type.Optional(subscription),
  credits: Type.Optional(credits),
  memory_limit: Type.Optional(memoryLimit),
  retention_days: Type.Optional(retentionDays(1)),
};

export const createProject = installationOperation({
  name: "project.create",
  summary: "Create a project",
  description: "Creates a project. It has no key yet.",
  secret: false,
  success: 201,
  input: Fields({ name, ...projectChanges }),
  output: projectView,

  async apply(transaction, input, { now }) {
    if ((await transaction.access.findProject(input.name)) !== null) {
      throw new Refusal(1400, `A project named "${input.name}" exists already. Choose another name.`, {
        field: "name",
      });
    }
    const project = await transaction.access.insertProject(
      {
        name: input.name,
        plan: input.plan ?? "custom",
        subscription: input.subscription ?? "active",
        credits: input.credits ?? null,
        memoryLimit: input.memory_limit ?? null,
        retentionDays: input.retention_days ?? null,
      },
      now,
    );
    return { data: toView(project) };
  },
});

export const listProjects = installationOperation({
  name: "project.list",
  summary: "List projects",
  description: "Lists all projects with their number of memories and usable keys.",
  secret: false,
  success: 200,
  input: Fields({}),
  output: Type.Array(Fields({ ...projectView.properties, memories: Type.Integer(), keys: Type.Integer() })),

  async apply(transaction, _input, { now }) {
    const summaries = await transaction.access.listProjects(now);
    return { data: summaries.map(({ project, memories, keys }) => ({ ...toView(project), memories, keys })) };
  },
});

export const showProject = installationOperation({
  name: "project.show",
  summary: "Show a project",
  description: "Shows one project.",
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
  description: "Changes the fields that are sent; at least one is needed.",
  secret: false,
  success: 200,
  input: Fields({ project: reference, ...projectChanges }),
  output: projectView,

  async apply(transaction, input) {
    if (Object.keys(input).length < 2) {
      throw new Refusal(
        1400,
        `Nothing to change: send at least one of ${Object.keys(projectChanges).join(", ")}.`,
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
  description: "Removes a project with its memories and keys for good. Its audit records stay.",
  secret: false,
  success: 200,
  input: Fields({ project: reference }),
  output: projectView,

  async apply(transaction, input, { now }) {
    const project = await requireProject(transaction, input.project);
    await transaction.access.removeProject(project, now);
    await transaction.memories.removeAll(project, null);
    return { data: toView(project) };
  },
});

/** @throws Refusal 1400 when there is no such project. */
export async function requireProject(transaction: Transaction, idOrName: string): Promise<Project> {
  const project = await transaction.access.findProject(idOrName);
  if (project === null) {
    throw new Refusal(1400, `There is no project "${idOrName}". Run "memledger project list" to see all.`);
  }
  return project;
}

type Changes = Static<ReturnType<typeof Fields<typeof projectChanges>>>;

/** The project as it is after the changes. */
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
