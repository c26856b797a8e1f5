// The tags and the filters of random calls, with what the model says about them.

import type { JsonObject } from "../../src/platform/json/json.ts";
import type { ModelKey, ModelMemory, ModelProject } from "./model.ts";
import { chance, equal, objectsOf, pick, type Run, send } from "./model-call.ts";

const names = ["alpha", "beta", "gamma", "\u{1f600}"];

interface ModelFilter {
  readonly tags: readonly string[];
  readonly match: "all" | "any";
}

/** Sorted, as a memory shows them; mostly none. */
export function someTags(run: Run): readonly string[] {
  return chance(run, 60) ? [] : names.filter(() => chance(run, 50));
}

/** The same tags, as a client may send them. */
export function sentTags(run: Run, tags: readonly string[]): readonly string[] {
  return chance(run, 30) ? [...tags.toReversed().map((tag) => ` ${tag} `), ...tags.slice(0, 1)] : tags;
}

/** Null: all memories. */
export function someFilter(run: Run): ModelFilter | null {
  const tags = names.filter(() => chance(run, 40));
  return tags.length === 0 || chance(run, 60) ? null : { tags, match: pick(run, ["all", "any"] as const) };
}

export function toFilterBody(filter: ModelFilter | null): JsonObject {
  return filter === null ? {} : { tags: [...filter.tags], tags_match: filter.match };
}

export function hasTags({ tags }: ModelMemory, filter: ModelFilter | null): boolean {
  if (filter === null) return true;
  const held = filter.tags.filter((tag) => tags.includes(tag)).length;
  return filter.match === "all" ? held === filter.tags.length : held > 0;
}

/** The list of all tags. */
export async function countTags(run: Run, project: ModelProject, key: ModelKey): Promise<void> {
  const { outcome, data } = await send(run, project, key, {
    feature: "memory",
    permission: "memory.read",
    action: "memory.tags",
    method: "GET",
    path: "/v1/memories/tags",
  });
  if (outcome !== 1000) return;
  const counts = names.map((tag) => ({
    tag,
    count: [...project.memories.values()].filter(({ tags }) => tags.includes(tag)).length,
  }));
  // A stable sort keeps the order of the names, which is that of their code points.
  const expected = counts.filter(({ count }) => count > 0).sort((a, b) => b.count - a.count);
  equal(
    objectsOf(data.tags).map(({ tag, count }) => ({ tag, count })),
    expected,
    "tags with their counts",
  );
}
