// The hits of one mode, and what it just missed; and what an injection just missed.

import type { MissedMemory, SearchResult, SearchResults } from "../../../../clients/typescript/src/index.ts";
import { type Asked, reasonsOf } from "./comparison.ts";
import { type HitActions, HitList } from "./hit-list.tsx";

interface HitColumnProps {
  readonly title: string;
  /** What the mode compares. */
  readonly about: string;
  readonly asked: Asked;
  readonly found: SearchResults;
  /** What the other mode has found. */
  readonly other: SearchResults;
  readonly actions: HitActions;
}

export function HitColumn({ title, about, asked, found, other, actions }: HitColumnProps) {
  /** How the other mode places the hit. */
  const moved = ({ memory }: SearchResult, place: number): string[] => {
    const otherPlace = other.results.findIndex((each) => each.memory.id === memory.id) + 1;
    if (otherPlace === place) return [];
    return [otherPlace === 0 ? "only here" : `${otherPlace} in the other`];
  };
  return (
    <section class="hits">
      <header>
        <h2>{title}</h2>
        <span class="quiet">{about}</span>
      </header>
      {found.total === 0 ? (
        <p class="quiet">No memory matches the filters and the minimum similarity.</p>
      ) : (
        <HitList hits={found.results} isRanked badgesOf={moved} kind="accent" actions={actions} />
      )}
      <Missed missed={found.missed} asked={asked} actions={actions} />
    </section>
  );
}

interface MissedProps {
  readonly missed: readonly MissedMemory[] | undefined;
  readonly asked: Asked;
  readonly actions: HitActions;
}

export function Missed({ missed = [], asked, actions }: MissedProps) {
  if (missed.length === 0) return null;
  return (
    <>
      <h3>Just missed</h3>
      <HitList
        hits={missed}
        isRanked={false}
        badgesOf={(each) => reasonsOf(each, asked)}
        kind="warning"
        actions={actions}
      />
    </>
  );
}
