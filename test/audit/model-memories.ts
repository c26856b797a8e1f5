// Random calls about memories, with what the model says they must answer.

import type { JsonObject } from "../../src/platform/json/json.ts";
import { isExpired, type ModelKey, type ModelMemory, type ModelProject } from "./model.ts";
import { chance, equal, objectsOf, pick, type Run, send } from "./model-call.ts";
import { createTogether, racedContent, readTogether } from "./model-races.ts";
import { countTags, hasTags, sentTags, someFilter, someTags, toFilterBody } from "./model-tags.ts";
import { listWithTool } from "./model-tools.ts";

const hourMs = 3_600_000;
export const types = ["rule", "fact", "context"] as const;
const subjects = ["Releases", "Invoices", "Backups", "Reviews", "Holidays", "Passwords"];
const contents = subjects.flatMap((subject) =>
  ["are on Tuesdays", "need approval", "moved to the other team"].map((rest) => `${subject} ${rest}.`),
);
/** More than a page of search can show would hide what is missing. */
const memoriesMax = 45;

type MemoryCall = (run: Run, project: ModelProject, key: ModelKey) => Promise<unknown>;

export const memoryCalls: readonly (readonly [weight: number, call: MemoryCall])[] = [
  [14, create],
  [4, createMany],
  [4, read],
  [10, update],
  [4, remove],
  [1, removeAll],
  [6, list],
  [3, listWithTool],
  [8, search],
  [4, inject],
  [1, countTags],
  [1, readTogether],
  [2, createTogether],
];

const common = { feature: "memory" } as const;
export const writing = { ...common, permission: "memory.write" } as const;
export const reading = { ...common, permission: "memory.read" } as const;

async function create(run: Run, project: ModelProject, key: ModelKey): Promise<void> {
  if (project.memories.size >= memoriesMax) return removeAll(run, project, key);
  const [expired] = expiredOf(run, project);
  const isSuccessor = expired !== undefined && chance(run, 30);
  const content = isSuccessor ? expired.content : Math.floor(run.random() * contents.length);
  const type = pick(run, types);
  const importance = Math.round(run.random() * 100) / 100;
  const expiresAt = someExpiry(run);
  const isInvalid = chance(run, 4);
  const tags = someTags(run);
  const body = {
    ...(tags.length === 0 ? {} : { tags: sentTags(run, tags) }),
    content: isInvalid ? "" : spaced(run, content),
    memory_type: type,
    importance,
    expires_at: toText(expiresAt),
  };
  const { outcome, data } = await send(run, project, key, {
    ...writing,
    action: "memory.create",
    method: "POST",
    path: "/v1/memories",
    body,
    success: 201,
    expect(now) {
      if (isInvalid) return 1400;
      if (project.holderOf(content, now, null) !== null) return 2104;
      return project.memories.size >= project.limit ? 2101 : 1000;
    },
    memory: (reply) => String(reply.data.id),
  });
  if (outcome !== 1000) return;
  const id = String(data.id);
  const serial = ++run.model.serial;
  project.memories.set(id, {
    id,
    content,
    type,
    importance,
    expiresAt,
    tags,
    isActive: true,
    serial,
    revision: serial,
  });
  project.claim(content, id);
}

/** Some items with a source id, some of them invalid or equal. */
async function createMany(run: Run, project: ModelProject, key: ModelKey): Promise<void> {
  if (project.memories.size >= memoriesMax - 3) return removeAll(run, project, key);
  const items = Array.from({ length: 1 + Math.floor(run.random() * 4) }, () => ({
    content: Math.floor(run.random() * contents.length),
    type: pick(run, types),
    isActive: chance(run, 80),
    expiresAt: someExpiry(run),
    tags: someTags(run),
    source: chance(run, 40) ? String(Math.floor(run.random() * 12)) : null,
    isInvalid: chance(run, 10),
  }));
  const memories = items.map(({ content, type, isActive, expiresAt, tags, source, isInvalid }) => ({
    content: isInvalid ? " " : spaced(run, content),
    memory_type: type,
    is_active: isActive,
    expires_at: toText(expiresAt),
    ...(tags.length === 0 ? {} : { tags: sentTags(run, tags) }),
    ...(source === null ? {} : { source_id: source }),
  }));
  const { outcome, data, at } = await send(run, project, key, {
    ...writing,
    action: "memory.create_batch",
    method: "POST",
    path: "/v1/memories/batch",
    body: { memories },
  });
  if (outcome !== 1000) return;
  const results = objectsOf(data.results);
  for (const [index, { source, isInvalid, ...fields }] of items.entries()) {
    const result = results[index] ?? {};
    const sourced = source === null ? undefined : project.sources.get(source);
    const known = sourced !== undefined && project.memories.has(sourced) ? sourced : null;
    const holder = known ?? project.holderOf(fields.content, at, null);
    const status = isInvalid ? "refused" : holder !== null ? "existing" : null;
    const due = status ?? (project.memories.size >= project.limit ? "refused" : "created");
    equal([result.index, result.status], [index, due], "result of an item");
    equal(result.code, due !== "refused" ? undefined : isInvalid ? 1400 : 2101, "code of an item");
    if (due === "existing") equal(result.id, holder, "memory of an existing item");
    if (due !== "created") continue;
    const id = String(result.id);
    if (sourced !== undefined) equal(id, sourced, "id of a source that is created again");
    if (source !== null) project.sources.set(source, id);
    const serial = ++run.model.serial;
    project.memories.set(id, { id, importance: 0.5, serial, revision: serial, ...fields });
    project.claim(fields.content, id);
  }
}

function read(run: Run, project: ModelProject, key: ModelKey) {
  const id = someId(run, project);
  return send(run, project, key, {
    ...reading,
    action: "memory.read",
    method: "GET",
    path: `/v1/memories/${id}`,
    expect: () => (project.memories.has(id) ? 1000 : 2100),
    memory: () => id,
  });
}

async function update(run: Run, project: ModelProject, key: ModelKey): Promise<void> {
  const id = someId(run, project);
  const memory = project.memories.get(id);
  const changes: Partial<ModelMemory> = {
    ...(chance(run, 30) ? { content: Math.floor(run.random() * contents.length) } : {}),
    ...(chance(run, 20) ? { type: pick(run, types) } : {}),
    ...(chance(run, 40) ? { importance: Math.round(run.random() * 100) / 100 } : {}),
    ...(chance(run, 30) ? { isActive: chance(run, 60) } : {}),
    ...(chance(run, 40) ? { expiresAt: someExpiry(run) } : {}),
    ...(chance(run, 20) ? { tags: someTags(run) } : {}),
  };
  const isEmpty = Object.keys(changes).length === 0;
  const { outcome, at } = await send(run, project, key, {
    ...writing,
    action: "memory.update",
    method: "PUT",
    path: `/v1/memories/${id}`,
    body: toBody(run, changes),
    expect(now) {
      if (isEmpty) return 1400;
      if (memory === undefined) return 2100;
      return project.refusesChange(memory, changes, now) ? 2104 : 1000;
    },
    memory: () => id,
  });
  if (outcome !== 1000 || memory === undefined) return;
  project.change(memory, changes, ++run.model.serial, at);
}

function toBody(
  run: Run,
  { content, type, importance, isActive, expiresAt, tags }: Partial<ModelMemory>,
): JsonObject {
  return {
    ...(content === undefined ? {} : { content: spaced(run, content) }),
    ...(type === undefined ? {} : { memory_type: type }),
    ...(importance === undefined ? {} : { importance }),
    ...(isActive === undefined ? {} : { is_active: isActive }),
    ...(expiresAt === undefined ? {} : { expires_at: toText(expiresAt) }),
    ...(tags === undefined ? {} : { tags: sentTags(run, tags) }),
  };
}

async function remove(run: Run, project: ModelProject, key: ModelKey): Promise<void> {
  const id = someId(run, project);
  const { outcome } = await send(run, project, key, {
    ...writing,
    action: "memory.delete",
    method: "DELETE",
    path: `/v1/memories/${id}`,
    success: 204,
    expect: () => (project.memories.has(id) ? 1000 : 2100),
    memory: () => id,
  });
  if (outcome === 1000) project.forget(id);
}

async function removeAll(run: Run, project: ModelProject, key: ModelKey): Promise<void> {
  const type = chance(run, 60) ? pick(run, types) : null;
  const found = someFilter(run);
  const filter = found === null ? null : { ...found, match: "all" as const };
  const doomed = [...project.memories.values()].filter(
    (memory) => (type === null || memory.type === type) && hasTags(memory, filter),
  );
  const body = {
    ...(type === null ? {} : { memory_type: type }),
    ...(filter === null ? {} : { tags: [...filter.tags] }),
  };
  const { outcome, data } = await send(run, project, key, {
    ...writing,
    action: "memory.delete_all",
    method: "DELETE",
    path: "/v1/memories",
    ...(type === null && filter === null ? {} : { body }),
  });
  if (outcome !== 1000) return;
  equal(data.deleted_count, doomed.length, "memories that a bulk delete removed");
  for (const { id } of doomed) project.forget(id);
}

const orders = {
  created_at: (a: ModelMemory, b: ModelMemory) => b.serial - a.serial,
  updated_at: (a: ModelMemory, b: ModelMemory) => b.revision - a.revision,
  importance: (a: ModelMemory, b: ModelMemory) => b.importance - a.importance || b.serial - a.serial,
};

/** Also the way in which a run is judged at its end. */
export async function list(run: Run, project: ModelProject, key: ModelKey): Promise<void> {
  const type = chance(run, 30) ? pick(run, types) : null;
  const order = pick(run, ["created_at", "updated_at", "importance"] as const);
  const found = someFilter(run);
  const filter = found === null ? null : { ...found, match: "all" as const };
  const query = new URLSearchParams({ page_size: "100", sort_by: order });
  if (type !== null) query.set("memory_type", type);
  for (const tag of filter?.tags ?? []) query.append("tag", tag);
  const { outcome, data } = await send(run, project, key, {
    ...reading,
    action: "memory.list",
    method: "GET",
    path: `/v1/memories?${query}`,
  });
  if (outcome !== 1000) return;
  const expected = [...project.memories.values()]
    .filter((memory) => (type === null || memory.type === type) && hasTags(memory, filter))
    .sort(orders[order]);
  equal(objectsOf(data.memories).map(shown), expected.map(toShown), `memories listed by ${order}`);
  equal(Object(data.pagination).total, expected.length, "total of the list");
}

export async function search(run: Run, project: ModelProject, key: ModelKey): Promise<void> {
  const type = chance(run, 30) ? pick(run, types) : null;
  const filter = someFilter(run);
  const [expired, inactive] = [chance(run, 25), chance(run, 25)];
  const body = {
    query: `What about ${pick(run, subjects)}?`,
    top_k: 50,
    ...(type === null ? {} : { memory_type: type }),
    ...toFilterBody(filter),
    ...(expired ? { include_expired: true } : {}),
    ...(inactive ? { include_inactive: true } : {}),
  };
  let now = 0;
  const { outcome, data } = await send(run, project, key, {
    ...reading,
    action: "memory.search",
    method: "POST",
    path: "/v1/memories/search",
    body,
    expect(at) {
      now = at;
      return 1000;
    },
  });
  if (outcome !== 1000) return;
  const visible = [...project.memories.values()].filter(
    (memory) =>
      (type === null || memory.type === type) &&
      hasTags(memory, filter) &&
      (expired || !isExpired(memory, now)) &&
      (inactive || memory.isActive),
  );
  const results = objectsOf(data.results);
  const memories = results.map(({ memory }) => shown(Object(memory)));
  equal(byId(memories), byId(visible.map(toShown)), "memories that a search finds");
  const scores = results.map(({ final_score }) => Number(final_score));
  equal(
    scores,
    scores.toSorted((a, b) => b - a),
    "order of a search",
  );
}

async function inject(run: Run, project: ModelProject, key: ModelKey): Promise<void> {
  const query = `What about ${pick(run, subjects)}?`;
  const forms = [
    {},
    { query, min_similarity: 0 },
    { messages: [{ role: "user", content: query }], min_similarity: 0 },
  ];
  const filter = someFilter(run);
  const body = { top_k: 50, ...pick<JsonObject>(run, forms), ...toFilterBody(filter) };
  let now = 0;
  const { outcome, data } = await send(run, project, key, {
    ...reading,
    action: "memory.inject",
    method: "POST",
    path: "/v1/memories/inject",
    body,
    expect(at) {
      now = at;
      return 1000;
    },
  });
  if (outcome !== 1000) return;
  const visible = [...project.memories.values()].filter(
    (memory) =>
      memory.isActive &&
      !isExpired(memory, now) &&
      (hasTags(memory, filter) || (memory.type === "rule" && memory.tags.length === 0)),
  );
  const rules = visible
    .filter(({ type }) => type === "rule")
    .sort((a, b) => b.importance - a.importance || a.serial - b.serial);
  equal(objectsOf(data.rules).map(shown), rules.map(toShown), "rules of an injection");
  const found = objectsOf(data.results).map(({ memory }) => shown(Object(memory)));
  const others = visible.filter(({ type }) => type !== "rule").map(toShown);
  equal(byId(found), byId(others), "facts and contexts of an injection");
  const lines = String(data.prompt).match(/^- \(/gm) ?? [];
  equal(lines.length, visible.length, "lines of a prompt");
}

function byId<Item extends { id: unknown }>(items: readonly Item[]): Item[] {
  return items.toSorted((a, b) => (String(a.id) < String(b.id) ? -1 : 1));
}

function shown({ id, content, memory_type, importance, is_active, expires_at, tags = [] }: JsonObject) {
  const normal = String(content).replace(/\s+/g, " ").trim();
  return { id, content: normal, memory_type, importance, is_active, expires_at, tags };
}

function toShown({ id, content, type, importance, isActive, expiresAt, tags }: ModelMemory) {
  const state = { importance, is_active: isActive, expires_at: toText(expiresAt), tags };
  return { id, content: contents[content] ?? racedContent(content), memory_type: type, ...state };
}

function toText(expiresAt: number | null): string | null {
  return expiresAt === null ? null : new Date(expiresAt).toISOString();
}

/** Half an hour away from where whole hours lead. */
function someExpiry(run: Run): number | null {
  if (chance(run, 50)) return null;
  return run.server.now() + (Math.floor(run.random() * 60) - 4) * hourMs + hourMs / 2;
}

/** The same content to the product, however it is spaced. */
function spaced(run: Run, content: number): string {
  const text = contents[content] ?? racedContent(content);
  return chance(run, 20) ? ` ${text.replaceAll(" ", "\n ")} ` : text;
}

/** Where the rules about duplicates have most to say. */
function expiredOf({ server }: Run, project: ModelProject): readonly ModelMemory[] {
  const now = server.now();
  return [...project.memories.values()].filter((memory) => isExpired(memory, now));
}

/** Mostly of this project, sometimes of another or of none. */
export function someId(run: Run, project: ModelProject): string {
  const [expired] = expiredOf(run, project);
  if (expired !== undefined && chance(run, 30)) return expired.id;
  const own = [...project.memories.keys()];
  if (own.length > 0 && chance(run, 85)) return pick(run, own);
  const foreign = run.model.projects.flatMap((each) => (each === project ? [] : [...each.memories.keys()]));
  return foreign.length > 0 && chance(run, 60) ? pick(run, foreign) : "0".repeat(32);
}
