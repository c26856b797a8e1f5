// Memories of an answer, each with a bar that shows what makes its score, why it was not returned, and a way to save it as a check.

import type { SearchResult } from "../../../../clients/typescript/src/index.ts";
import { shownSubject } from "../../location.ts";
import { Tags } from "../../parts/text/tag-input.tsx";
import { linkTo } from "../../project.ts";
import { partsOf } from "./comparison.ts";
import { Measures, ScoreBar, scoreText } from "./score-bar.tsx";

export interface HitActions {
  /** The memory that the pointer or the focus is on, in any list. */
  readonly marked: string | null;
  readonly onMark: (id: string | null) => void;
  /** The memory that the check which was opened expects; null: none was opened. */
  readonly expected: string | null;
  /** Saves the query with this memory as a check; null: the session may not. */
  readonly onCheck: ((wanted: SearchResult, place: number | null) => void) | null;
}

interface HitListProps<Hit> {
  readonly hits: readonly Hit[];
  /** Whether the hits have places. */
  readonly isRanked: boolean;
  /** What is remarkable about a hit, and the kinds of the badges. */
  readonly badgesOf: (hit: Hit, place: number) => readonly string[];
  readonly kind: "accent" | "warning";
  readonly actions: HitActions;
}

export function HitList<Hit extends SearchResult>(props: HitListProps<Hit>) {
  const { hits, isRanked, badgesOf, kind, actions } = props;
  const { marked, onMark, expected, onCheck } = actions;
  // A search for a subject also finds memories of the project, which no check of the subject can expect.
  const searched = shownSubject();
  const List = isRanked ? "ol" : "ul";
  return (
    <List>
      {hits.map((hit, at) => {
        const { id, content, memory_type, tags = [], subject = null } = hit.memory;
        return (
          <li
            key={id}
            class="hit"
            data-marked={marked === id}
            data-expected={expected === id}
            onMouseEnter={() => onMark(id)}
            onMouseLeave={() => onMark(null)}
            onFocusCapture={() => onMark(id)}
            onBlurCapture={() => onMark(null)}
          >
            <span class="place count">{isRanked ? at + 1 : "–"}</span>
            <a class="content" href={linkTo("memories", { memory: id, subject })}>
              <bdi>{content}</bdi>
            </a>
            {onCheck !== null && subject === searched && (
              <button
                type="button"
                class="link"
                aria-label={`Save as a check: ${content.slice(0, 100)}`}
                onClick={() => onCheck(hit, isRanked ? at + 1 : null)}
              >
                Check…
              </button>
            )}
            <span class="score count" title="Final score">
              {scoreText(hit.final_score)}
            </span>
            <ScoreBar parts={partsOf(hit)} />
            <span class="more">
              <Measures hit={hit} />
              <span class="quiet">
                {memory_type}
                {subject !== searched && " of the project"}
              </span>
              {tags.length > 0 && <Tags tags={tags} />}
              <span class="badges">
                {expected === id && <span class="badge good">expected</span>}
                {badgesOf(hit, at + 1).map((badge) => (
                  <bdi key={badge} class={`badge ${kind}`}>
                    {badge}
                  </bdi>
                ))}
              </span>
            </span>
          </li>
        );
      })}
    </List>
  );
}
