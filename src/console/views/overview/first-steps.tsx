// What to do next where there are no memories yet. The commands reach the server that shows them, and no other.

import { quoteWord } from "../../../platform/text/shell-word.ts";
import { CopyText } from "../../parts/text/copy-text.tsx";
import { pathOf, projectName } from "../../project.ts";

interface FirstStepsProps {
  /** Null: none is chosen. */
  readonly project: string | null;
  /** Of the server; null: the session is one of a key, so its commands need the key. */
  readonly dataDir: string | null;
}

export function FirstSteps({ project, dataDir }: FirstStepsProps) {
  const isLocal = dataDir !== null;
  const of = project === null ? "" : ` --project ${quoteWord(projectName(project))}`;
  const target = isLocal ? `--data-dir ${quoteWord(dataDir)}${of}` : `--url ${location.origin}`;
  return (
    <section class="first-steps card" aria-labelledby="first-steps">
      <h2 id="first-steps">There are no memories yet</h2>
      <ol>
        <li>
          <h3>Connect an assistant</h3>
          <p>
            It stores what it learns, and gets what it needs for each prompt.{" "}
            {isLocal
              ? "On the machine of the server, as its user, run:"
              : "Set the variable MEMLEDGER_API_KEY to the API key, and run:"}
          </p>
          <CopyText
            text={`memledger connect claude-code --write ${target}`}
            what="the command"
            form="block"
          />
          <p>
            <code>memledger connect --list</code> names the other assistants.
            {isLocal && project !== null && (
              <>
                {" "}
                On another machine, they need an API key:{" "}
                <a href={`${pathOf("keys", project)}?new=key`}>create a key</a>.
              </>
            )}
          </p>
        </li>
        <li>
          <h3>Import memories</h3>
          <p>Memories of another installation or program, as a file with one JSON object on each line.</p>
          <CopyText text={`memledger memory import FILE ${target}`} what="the command" form="block" />
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
