// Where the words of a memory were said: by whom, when, and links to its conversations.

import { Fact } from "../../parts/text/fact.tsx";
import { Time } from "../../parts/text/time.tsx";
import { linkTo, useProject } from "../../project.ts";
import { speakerOf } from "../conversations/turns.ts";
import type { Memory } from "./memory-query.ts";

/** Names and values of a list of facts. The newest place is the first. */
export function Origins({ memory: { id, origins = [] } }: { readonly memory: Memory }) {
  const { subject } = useProject();
  if (origins.length === 0) return null;
  return (
    <Fact
      name="Said"
      value={
        <ul class="origins" aria-label="Where it was said">
          {origins.toReversed().map((origin, index) => (
            <li key={index}>
              by <bdi>{speakerOf(origin)}</bdi>
              {origin.said_at !== undefined && (
                <>
                  , <Time at={origin.said_at} />
                </>
              )}
              {origin.conversation !== undefined && (
                <>
                  , in{" "}
                  <a href={linkTo("conversations", { subject, open: origin.conversation, at: id })}>
                    <bdi>{origin.conversation}</bdi>
                  </a>
                </>
              )}
            </li>
          ))}
        </ul>
      }
    />
  );
}
