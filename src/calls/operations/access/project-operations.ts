// Owns the administration of projects. It is recorded in the installation's chain.

import { type Static, Type } from "@sinclair/typebox";
import { projectsPageMax } from "../../../access/limits.ts";
import type { Project } from "../../../access/project.ts";
import {
  example,
  name,
  projectChanges,
  projectSummary,
  projectView,
  reference,
  toView,
} from "../../../access/project-view.ts";
import { fieldRefusal, Refusal } from "../../../platform/errors.ts";
import { nameMaxCharacters } from "../../../platform/limits.ts";
import { atLeastOne, Choice, Fields, Label, Text } from "../../../platform/schema/schema.ts";
import { type InstallationOperation, installationOperation } from "../../contract/operation.ts";
import type { Transaction } from "../../storage/store.ts";
import { afterBulkDelete } from "../memories/delete.ts";
import { requireProject } from "./require-project.ts";

export const createProject = installationOperation({
  name: "project.create",
  summary: "Create a project",
  description: "Creates a project without API keys.",
  effects: { readOnly: false, destructive: false, idempotent: true },
  success: 201,
  input: Fields({ name, ...projectChanges }),
  output: projectView,
  example: { input: { name: "shop", plan: "pro", memory_limit: 5_000 }, data: example },

  async apply(transaction, input, { now }) {
    const existing = await transaction.access.findProject(input.name);
    if (existing !== null) {
      const { id } = existing;
      throw new Refusal(
        1400,
        `A project with the name "${input.name}" already exists. Its id is ${id}. Use it, or choose another name.`,
        { field: "name", project_id: id },
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
    passageLimit: options.passage_limit ?? null,
    retentionDays: options.retention_days ?? null,
  } as const;
  return access.insertProject(project, now);
}

export const listProjects = installationOperation({
  name: "project.list",
  summary: "List projects",
  description:
    "Lists all projects with the number of their memories and valid keys, or some of them. With page_size, the list has at most that many projects; for the next page, pass the id of its last project as after.",
  effects: { readOnly: true, destructive: false, idempotent: true },
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
      Type.Integer({
        minimum: 1,
        maximum: projectsPageMax,
        description: `Maximum number of projects. Without it: all, but ${projectsPageMax} for an administration key.`,
      }),
    ),
    after: Type.Optional(Type.String({ description: "Id of the last project of the page before." })),
  }),
  output: Type.Array(projectSummary),
  example: { input: { page_size: 100 }, data: [{ ...example, memories: 120, passages: 0, keys: 2 }] },

  async apply(
    transaction,
    { text = "", sort_by: order = "created_at", page_size, after = null },
    { now, origin },
  ) {
    if (after !== null && order !== "created_at") throw invalidPage('only with the order "created_at"');
    const all = origin.administrationKey === undefined ? Number.POSITIVE_INFINITY : projectsPageMax;
    const limit = page_size ?? all;
    const query = { text: text.trim(), after, order, limit };
    const summaries = await transaction.access.listProjects(query, now);
    if (summaries === null) throw invalidPage("must be the id of a project of the page before");
    return { data: summaries.map(({ project, ...counts }) => ({ ...toView(project), ...counts })) };
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
  input: Fields({ project: reference }),
  output: projectView,
  example: { input: { project: example.id }, data: example },

  async apply(transaction, input, { origin }) {
    return { data: toView(await requireProject(transaction, input.project, origin)) };
  },
});

export const updateProject = installationOperation({
  name: "project.update",
  summary: "Update a project",
  description:
    "Changes the given options of a project. At least one option is required. A shorter retention, also that of another plan, permanently deletes older audit records at the next retention run.",
  effects: { readOnly: false, destructive: true, idempotent: true },
  input: Fields({ project: reference, ...projectChanges }, atLeastOne(Object.keys(projectChanges))),
  output: projectView,
  example: { input: { project: example.id, memory_limit: 5_000 }, data: example },

  async apply(transaction, input, { origin }) {
    if (Object.keys(input).length < 2) {
      throw new Refusal(1400, "No option is given. Give at least one, such as another plan.");
    }
    const before = await requireProject(transaction, input.project, origin);
    const project = applyChanges(before, input);
    await transaction.access.updateProject(project);
    return { data: toView(project) };
  },
});

const confirmation = Text({
  maxLength: nameMaxCharacters,
  description: "The name of the project, as a confirmation. If it is another one, nothing is deleted.",
});

export const deleteProject = installationOperation({
  name: "project.delete",
  summary: "Delete a project",
  description: "Permanently deletes a project with its memories and keys. Its audit records are kept.",
  effects: { readOnly: false, destructive: true, idempotent: true },
  input: Fields({ project: reference, name: Type.Optional(confirmation) }),
  output: projectView,
  example: { input: { project: example.id, name: "shop" }, data: example },

  async apply(transaction, input, { now, origin }) {
    const project = await requireProject(transaction, input.project, origin);
    if (input.name !== undefined && input.name !== project.name) {
      const reason = `must be the name of the project, "${project.name}"`;
      throw fieldRefusal("name", reason, "Nothing was deleted");
    }
    await transaction.access.removeProject(project, now);
    await transaction.checks.removeAll(project);
    await transaction.suggestions.removeAll(project);
    await transaction.remembering.removeAll(project);
    const count = await transaction.memories.removeAllOf(project);
    return {
      data: toView(project),
      after: afterBulkDelete({ project: project.id, subject: null }, count),
    };
  },
});

/** The same over HTTP, where nobody is asked: the confirmation is required. */
export const deleteConfirmedProject: InstallationOperation = installationOperation({
  ...deleteProject,
  input: Fields({ project: reference, name: confirmation }),
});

type Changes = Static<ReturnType<typeof Fields<typeof projectChanges>>>;

/** The project with the changes applied. */
export function applyChanges(before: Project, input: Changes): Project {
  return {
    ...before,
    plan: input.plan ?? before.plan,
    subscription: input.subscription ?? before.subscription,
    credits: input.credits === undefined ? before.credits : input.credits,
    memoryLimit: input.memory_limit === undefined ? before.memoryLimit : input.memory_limit,
    passageLimit: input.passage_limit === undefined ? before.passageLimit : input.passage_limit,
    retentionDays: input.retention_days === undefined ? before.retentionDays : input.retention_days,
  };
}
