// Binds `memledger project ...` to the operations on projects.

import type { Command } from "commander";
import { planNames } from "../access/plan.ts";
import { subscriptions } from "../access/project.ts";
import {
  createProject,
  deleteProject,
  listProjects,
  showProject,
  updateProject,
} from "../access/project-operations.ts";
import type { Config } from "../config/config.ts";
import type { Json, JsonObject } from "../json/json.ts";
import { counted } from "../plural.ts";
import { administer } from "./administer.ts";
import { bindOperation, type Field, numberOr, rowsOf } from "./administration.ts";
import type { Session } from "./command.ts";
import type { Confirmation } from "./confirmation.ts";
import { table } from "./terminal.ts";

const changes: readonly Field[] = [
  { flags: `--plan <${planNames.join("|")}>`, field: "plan", description: "features and limits" },
  {
    flags: `--subscription <${subscriptions.join("|")}>`,
    field: "subscription",
    description: "whether it is paid; expired closes the audit log",
  },
  {
    flags: "--credits <number|unlimited>",
    field: "credits",
    description: "credits left",
    read: numberOr("unlimited"),
  },
  {
    flags: "--memory-limit <number|plan>",
    field: "memory_limit",
    description: "memories at most, instead of the plan's limit",
    read: numberOr("plan"),
  },
  {
    flags: "--retention-days <number|plan>",
    field: "retention_days",
    description: "days that audit records stay readable, instead of the plan's",
    read: numberOr("plan"),
  },
];

const name: Field = { flags: "--name <text>", field: "name", description: "a unique name", isRequired: true };
const operand = { show: "id|name", field: "project" };

export function addProjectCommands(program: Command, session: Session): void {
  const project = program.command("project").description("Manage projects.");
  bindOperation(project, session, { name: "create", operation: createProject, fields: [name, ...changes] });
  bindOperation(project, session, { name: "list", operation: listProjects, toText: toTable });
  bindOperation(project, session, { name: "show", operation: showProject, operand });
  bindOperation(project, session, { name: "update", operation: updateProject, operand, fields: changes });
  bindOperation(project, session, { name: "delete", operation: deleteProject, operand, confirmation });
}

async function confirmation(config: Config, { project }: JsonObject): Promise<Confirmation> {
  const rows = rowsOf(await administer(config, listProjects, {}));
  const found = rows.find(({ id, name }) => id === project || name === project);
  if (found === undefined) throw new Error(`There is no project "${project}". Nothing was changed.`);
  const memories = counted(Number(found.memories), "memory", "memories");
  return {
    warning: `This deletes the project "${found.name}" with ${memories} and all its keys for good. Its audit records stay.`,
    word: String(found.name),
    wordIs: "the name of the project",
  };
}

function toTable(data: Json): string {
  const rows = rowsOf(data);
  if (rows.length === 0) return "There is no project.";
  const columns = ["id", "name", "plan", "subscription", "memories", "keys", "created_at"];
  return table(
    columns,
    rows.map((row) => columns.map((column) => row[column] ?? null)),
  );
}
