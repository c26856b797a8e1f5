// Owns the schemas of the names of subjects, and of the persons for whom clients act.

import { subjectMaxCharacters } from "../limits.ts";
import { dotSegments, Label } from "./schema.ts";

/** The name of a subject. Its canonical form is that of a label. */
export const subjectName = Label({
  maxLength: subjectMaxCharacters,
  not: dotSegments,
  description: `Whose memories these are: a person, an agent or a thread of the application, as a name of 1 to ${subjectMaxCharacters} characters. Absent: those of the project itself.`,
  examples: ["user:42"],
});

/** Also canonical as a label. */
export const personName = Label({
  maxLength: subjectMaxCharacters,
  not: dotSegments,
  description: `Only calls whose client has said that it acts for this person: a name of 1 to ${subjectMaxCharacters} characters.`,
  examples: ["maria@example.com"],
});
