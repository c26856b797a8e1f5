// Whose memories a view shows, if they are those of a subject, with links to the subject and back to the project.

import { shownPage } from "../../location.ts";
import { linkTo, pathOf, useProject } from "../../project.ts";

export function SubjectLine() {
  const { subject } = useProject();
  const { view = "memories" } = shownPage() ?? {};
  if (subject === null) return null;
  return (
    <span class="subject-line">
      For the subject{" "}
      <a class="subject-name" href={linkTo("subjects", { open: subject })}>
        <bdi>{subject}</bdi>
      </a>
      <a href={pathOf(view)}>Back to the project</a>
    </span>
  );
}
