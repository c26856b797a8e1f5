// Owns beginning an export from the command line, whose authority is this machine: every project, whatever its plan includes. What
// the rows carry and how old they may be is still the plan's.

import { planOf } from "../access/project.ts";
import { requireProject } from "../access/project-operations.ts";
import { installationOperation } from "../calls/operation.ts";
import { nameMaxCharacters } from "../limits.ts";
import { Fields, Text } from "../schema/schema.ts";
import { draftOf, exportSpan } from "./create.ts";
import { exportTask, toExportTask } from "./export.ts";

export const exportProject = installationOperation({
  name: "project.export",
  summary: "Export the audit records of a project",
  description:
    "Write a project's audit records of a span of time to a file, with a signed manifest beside it.",
  secret: false,
  success: 200,
  input: Fields({
    project: Text({ maxLength: nameMaxCharacters, description: "Id or name of the project." }),
    ...exportSpan,
  }),
  output: exportTask,

  async apply(transaction, input, { now, plans }) {
    const project = await requireProject(transaction, input.project);
    const draft = draftOf(input, planOf(project, plans), now);
    // A project that nobody has called yet has no chain; this begins it, and the manifest names it.
    await transaction.audit.signCheckpoint(project.id, now);
    const made = await transaction.exports.begin(project, draft, now);
    return { data: toExportTask(made), after: [{ effect: "start_export" }] };
  },
});
