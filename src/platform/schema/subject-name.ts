// Owns the schema of the names of subjects.

import { subjectMaxCharacters } from "../limits.ts";
import { dotSegments, Label } from "./schema.ts";

/** The name of a subject. Its canonical form is that of a label. */
export const subjectName = Label({
  maxLength: subjectMaxCharacters,
  not: dotSegments,
  description: `Whose memories these are: a person, an agent or a thread of the application, as a name of 1 to ${subjectMaxCharacters} characters. Absent: those of the project itself.`,
  examples: ["user:42"],
});
