// Owns the list of the subjects of a project.

import { Type } from "@sinclair/typebox";
import { fieldRefusal } from "../../../platform/errors.ts";
import { nextCursor, pageSizeField } from "../../../platform/schema/page.ts";
import { Count, Fields, Id } from "../../../platform/schema/schema.ts";
import { subjectName } from "../../../platform/schema/subject-name.ts";
import { projectOperation } from "../../contract/operation.ts";

const listedSubject = Fields(
  {
    subject: subjectName,
    memories: Count("Number of memories of the subject."),
  },
  { title: "ListedSubject" },
);
const pageSizeDefault = 100;
const pageSizeMax = 1_000;

export const listSubjects = projectOperation({
  name: "subject.list",
  summary: "List subjects",
  description:
    "Returns a page of the subjects that calls have named and that were not erased, in the order of the bytes of their names, each with the number of its memories.",
  effects: { readOnly: true, destructive: false, idempotent: true },
  permission: "memory.read",
  feature: "memory",
  input: Fields({
    cursor: Type.Optional(Id({ description: "next_cursor of the previous page." })),
    page_size: pageSizeField("Subjects of a page.", pageSizeDefault, pageSizeMax),
  }),
  output: Fields(
    {
      subjects: Type.Array(listedSubject),
      next_cursor: nextCursor,
    },
    { title: "SubjectPage" },
  ),
  example: { input: {}, data: { subjects: [{ subject: "user:42", memories: 50 }], next_cursor: null } },

  async prepare({ cursor = null, page_size: limit = pageSizeDefault }, { store, caller: { project } }) {
    const found = await store.subjects.list(project, cursor, limit + 1);
    if (found === null) {
      const reason = "is not a cursor of this list; begin with the first page";
      throw fieldRefusal("cursor", reason);
    }
    const page = found.slice(0, limit);
    const next = found.length > limit ? (page.at(-1)?.id ?? null) : null;
    const subjects = page.map(({ name: subject, memories }) => ({ subject, memories }));
    // The names would be in a record about nobody, which no erasure finds.
    return { precomputed: { data: { subjects, next_cursor: next }, recorded: {} }, prepared: null };
  },
});
