// What to do next where there are no memories yet.

import { CopyText } from "../../parts/copy-text.tsx";
import { pathOf } from "../../project.ts";
import { isAdministrator } from "../../session.ts";

/** @param project null: none is chosen */
export function FirstSteps({ project }: { readonly project: string | null }) {
  const of = project === null ? "" : ` --project ${project}`;
  return (
    <section class="first-steps card" aria-labelledby="first-steps">
      <h2 id="first-steps">There are no memories yet</h2>
      <ol>
        <li>
          <h3>Connect an assistant</h3>
          <p>It stores what it learns, and gets what it needs for each prompt. On this machine, run:</p>
          <CopyText text="memledger connect --write" what="the command" form="block" />
          {isAdministrator.value && project !== null && (
            <p>
              On another machine, it needs an API key:{" "}
              <a href={`${pathOf("keys", project)}?new=key`}>create a key</a>.
            </p>
          )}
        </li>
        <li>
          <h3>Import what there is</h3>
          <p>Memories of another installation or program, as a file with one JSON object on each line.</p>
          <CopyText text={`memledger memory import FILE${of}`} what="the command" form="block" />
        </li>
        {project !== null && (
          <li>
            <h3>Create a memory</h3>
            <p>Write one down, and find it again in the search.</p>
            <a class="button" href={pathOf("memories", project)}>
              Open the memories
            </a>
          </li>
        )}
      </ol>
    </section>
  );
}
