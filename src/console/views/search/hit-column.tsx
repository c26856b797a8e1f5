// The hits of one mode, and what it just missed.

import { Tags } from "../../parts/tag-input.tsx";
import { pathOf } from "../../project.ts";
import type { Column, Hit } from "./comparison.ts";
import { Measures, ScoreBar, scoreText } from "./score-bar.tsx";

interface HitColumnProps {
  readonly title: string;
  /** What the mode compares. */
  readonly about: string;
  readonly column: Column;
  readonly other: Column;
  /** The memory that the pointer or the focus is on, in either column. */
  readonly marked: string | null;
  readonly onMark: (id: string | null) => void;
}

export function HitColumn({ title, about, column, other, marked, onMark }: HitColumnProps) {
  const otherPlace = (id: string) => other.hits.findIndex(({ memory }) => memory.id === id) + 1;
  const row = (hit: Hit, place: number | null, badge: string, kind = "") => (
    <li
      key={hit.memory.id}
      class="hit"
      data-marked={marked === hit.memory.id}
      onMouseEnter={() => onMark(hit.memory.id)}
      onMouseLeave={() => onMark(null)}
      onFocusCapture={() => onMark(hit.memory.id)}
      onBlurCapture={() => onMark(null)}
    >
      <span class="place count">{place ?? "–"}</span>
      <a class="content" href={`${pathOf("memories")}?${new URLSearchParams({ memory: hit.memory.id })}`}>
        <bdi>{hit.memory.content}</bdi>
      </a>
      <span class="score count" title="Final score">
        {scoreText(hit.score)}
      </span>
      <ScoreBar parts={hit.parts} />
      <span class="more">
        <Measures hit={hit} />
        <span class="quiet">{hit.memory.memory_type}</span>
        {hit.memory.tags !== undefined && <Tags tags={hit.memory.tags} />}
        {badge !== "" && <bdi class={`badge ${kind}`}>{badge}</bdi>}
      </span>
    </li>
  );
  return (
    <section class="hits">
      <header>
        <h2>{title}</h2>
        <span class="quiet">{about}</span>
      </header>
      {column.hits.length === 0 ? (
        <p class="quiet">No memory matches the filters and the floor.</p>
      ) : (
        <ol>{column.hits.map((hit, at) => row(hit, at + 1, ...moved(at + 1, otherPlace(hit.memory.id))))}</ol>
      )}
      {column.misses.length > 0 && (
        <>
          <h3>Just missed</h3>
          <ul>{column.misses.map((miss) => row(miss, null, miss.reason, "warning"))}</ul>
        </>
      )}
    </section>
  );
}

/** How the other mode places the hit; 0: not at all. */
function moved(place: number, otherPlace: number): [text: string, kind: string] {
  if (otherPlace === 0) return ["only here", "accent"];
  return otherPlace === place ? ["", ""] : [`${otherPlace} in the other`, ""];
}
