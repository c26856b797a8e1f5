// Owns exports from the command line. They are allowed for every project, even if its plan does not include exports. The plan still decides
// on the hash columns and on the oldest record.

import { planOf } from "../../../access/project.ts";
import { exportTask, toExportTask } from "../../../audit/export/export.ts";
import { allNamed } from "../../../audit/record-filter.ts";
import { nameMaxCharacters } from "../../../platform/limits.ts";
import { Fields, Text } from "../../../platform/schema/schema.ts";
import { installationOperation } from "../../contract/operation.ts";
import { requireProject } from "../access/require-project.ts";
import { findPseudonyms } from "../ledger/named-subject.ts";
import { draftOf, exportFields } from "./create.ts";

export const exportProject = installationOperation({
  name: "project.export",
  summary: "Export the audit records of a project",
  description:
    "Writes a project's audit records of a time range to a file, with a signed manifest next to it.",
  effects: { readOnly: false, destructive: false, idempotent: false },
  unrecorded: ["subject", "conversation", "on_behalf_of"],
  input: Fields({
    project: Text({ maxLength: nameMaxCharacters, description: "Id or name of the project." }),
    ...exportFields,
  }),
  output: exportTask,

  async prepare(input, { store }) {
    const project = await store.access.findProject(input.project);
    return project === null ? allNamed : findPseudonyms(store, project, input);
  },

  async apply(transaction, input, { now, plans }, named) {
    const project = await requireProject(transaction, input.project);
    const draft = draftOf(input, named, planOf(project, plans), now);
    // A project without calls has no chain yet. This creates it, because the manifest needs its id.
    await transaction.audit.signCheckpoint(project.id, now);
    const made = await transaction.exports.begin(project, draft, now);
    return { data: toExportTask(made), after: [{ effect: "start_export" }] };
  },
});
