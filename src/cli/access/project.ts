// Binds `memledger project ...` to the operations on projects.

import type { Command } from "commander";
import { planNames } from "../../access/plan.ts";
import { subscriptions } from "../../access/project.ts";
import { previewRetention } from "../../calls/operations/access/preview-retention.ts";
import {
  createProject,
  deleteProject,
  listProjects,
  showProject,
  updateProject,
} from "../../calls/operations/access/project-operations.ts";
import { isObject, type Json, type JsonObject, objectsIn } from "../../platform/json/json.ts";
import { counted } from "../../platform/text/plural.ts";
import type { Config } from "../../server/config/config.ts";
import type { Session } from "../command.ts";
import type { Confirmation } from "../confirmation.ts";
import { tableOf } from "../terminal.ts";
import { administer } from "./administer.ts";
import { bindOperation, describe, type Field, numberOr, wholeNumber } from "./administration.ts";

const changes: readonly Field[] = [
  {
    flags: `--plan <${planNames.join("|")}>`,
    field: "plan",
    description: "plan, which sets features and limits",
  },
  {
    flags: `--subscription <${subscriptions.join("|")}>`,
    field: "subscription",
    description: "state of the subscription; while it is expired, the audit log cannot be read",
  },
  {
    flags: "--credits <number|unlimited>",
    field: "credits",
    description: "number of credits available",
    read: numberOr("unlimited"),
  },
  {
    flags: "--memory-limit <number|plan>",
    field: "memory_limit",
    description: "maximum number of memories besides passages; plan: the limit of the plan",
    read: numberOr("plan"),
  },
  {
    flags: "--passage-limit <number|plan>",
    field: "passage_limit",
    description:
      "maximum number of passages of conversations, above which the oldest are deleted; plan: the limit of the plan",
    read: numberOr("plan"),
  },
  {
    flags: "--retention-days <number|plan>",
    field: "retention_days",
    description: "days that audit records are kept, then they are deleted; plan: as in the plan",
    read: numberOr("plan"),
  },
];

const name: Field = {
  flags: "--name <text>",
  field: "name",
  description: "unique name of the project",
  isRequired: true,
};
const listed: readonly Field[] = [
  { flags: "--text <text>", field: "text", description: "part of the name, or beginning of the id" },
  {
    flags: "--sort-by <created_at|memories>",
    field: "sort_by",
    description: "created_at: the oldest first; memories: the largest first",
  },
  {
    flags: "--page-size <number>",
    field: "page_size",
    description: "maximum number of projects",
    read: wholeNumber,
  },
  { flags: "--after <id>", field: "after", description: "id of the last project of the page before" },
];
const operand = { show: "id|name", field: "project" };

export function addProjectCommands(program: Command, session: Session): void {
  const project = program.command("project").description("Manage projects.");
  bindOperation(project, session, {
    name: "create",
    operation: createProject,
    fields: [name, ...changes],
    toText,
  });
  bindOperation(project, session, { name: "list", operation: listProjects, fields: listed, toText: toTable });
  bindOperation(project, session, { name: "show", operation: showProject, operand, toText });
  bindOperation(project, session, {
    name: "update",
    operation: updateProject,
    operand,
    fields: changes,
    confirmation: confirmRetention,
    isConfirmationConditional: true,
    toText,
  });
  bindOperation(project, session, {
    name: "delete",
    operation: deleteProject,
    operand,
    confirmation,
    toText,
  });
}

/** Only a shorter retention needs a confirmation, because only it deletes records. */
async function confirmRetention(config: Config, input: JsonObject): Promise<Confirmation | null> {
  if (input.plan === undefined && input.retention_days === undefined) return null;
  const { reason: _, ...asked } = input;
  const found = await administer(config, previewRetention, asked);
  if (!isObject(found) || found.is_shorter !== true) return null;
  const before = found.days_before === null ? "unlimited" : counted(Number(found.days_before), "day");
  const [after, records] = [
    counted(Number(found.days_after), "day"),
    counted(Number(found.records), "record"),
  ];
  return {
    warning: `This changes the retention of audit records of the project "${found.project}" from ${before} to ${after}. The next retention run permanently deletes ${records}.`,
    word: String(found.project),
    wordDescription: "the name of the project",
  };
}

async function confirmation(config: Config, { project }: JsonObject): Promise<Confirmation> {
  const rows = objectsIn(await administer(config, listProjects, {}));
  const found = rows.find(({ id, name }) => id === project || name === project);
  if (found === undefined)
    throw new Error(
      `There is no project "${project}". Run "memledger project list" to list all projects. Nothing was changed.`,
    );
  const memories = counted(Number(found.memories) + Number(found.passages), "memory", "memories");
  return {
    warning: `This permanently deletes the project "${found.name}" with ${memories} and all its keys. Its audit records are kept.`,
    word: String(found.name),
    wordDescription: "the name of the project",
  };
}

/** A value that is not set is shown as the word that sets it. */
function toText(data: Json): string {
  if (!isObject(data)) return describe(data);
  const { credits, memory_limit, passage_limit, retention_days } = data;
  return describe({
    ...data,
    credits: credits ?? "unlimited",
    memory_limit: memory_limit ?? "plan",
    passage_limit: passage_limit ?? "plan",
    retention_days: retention_days ?? "plan",
  });
}

function toTable(data: Json): string {
  const rows = objectsIn(data);
  if (rows.length === 0) return "There are no projects.";
  const columns = ["id", "name", "plan", "subscription", "memories", "keys", "created_at"];
  return tableOf(columns, rows);
}
