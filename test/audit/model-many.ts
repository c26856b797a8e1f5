// Random calls about many memories at once, their history and numbers, and checks, with what the model says they must answer.

import { isExpired, type ModelKey, type ModelMemory, type ModelProject } from "./model.ts";
import { chance, equal, objectsOf, pick, type Run, send } from "./model-call.ts";
import { reading, someId, types, writing } from "./model-memories.ts";

export async function updateMany(run: Run, project: ModelProject, key: ModelKey): Promise<void> {
  const items = Array.from({ length: 1 + Math.floor(run.random() * 4) }, () => ({
    id: someId(run, project),
    changes: {
      importance: Math.round(run.random() * 10) / 10,
      ...(chance(run, 50) ? { isActive: chance(run, 60) } : {}),
      ...(chance(run, 30) ? { type: pick(run, types) } : {}),
    } satisfies Partial<ModelMemory>,
  }));
  const { outcome, data, at } = await send(run, project, key, {
    ...writing,
    action: "memory.update_batch",
    method: "PUT",
    path: "/v1/memories/batch",
    body: {
      memories: items.map(({ id, changes: { importance, isActive, type } }) => ({
        memory_id: id,
        importance,
        ...(isActive === undefined ? {} : { is_active: isActive }),
        ...(type === undefined ? {} : { memory_type: type }),
      })),
    },
  });
  if (outcome !== 1000) return;
  const expected = items.map(({ id, changes }) => {
    const memory = project.memories.get(id);
    if (memory === undefined) return "refused";
    if (Bun.deepEquals(memory, { ...memory, ...changes })) return "unchanged";
    if (project.refusesChange(memory, changes, at)) return "refused";
    project.change(memory, changes, ++run.model.serial, at);
    return "updated";
  });
  equal(
    objectsOf(data.results).map(({ status }) => status),
    expected,
    "results of a change of many",
  );
}

export async function deleteMany(run: Run, project: ModelProject, key: ModelKey): Promise<void> {
  const ids = Array.from({ length: 1 + Math.floor(run.random() * 3) }, () => someId(run, project));
  const { outcome, data } = await send(run, project, key, {
    ...writing,
    action: "memory.delete_batch",
    method: "DELETE",
    path: "/v1/memories/batch",
    body: { memory_ids: ids },
  });
  if (outcome !== 1000) return;
  const expected = ids.map((id) => {
    const status = project.memories.has(id) ? "deleted" : "refused";
    project.forget(id);
    return status;
  });
  equal(
    objectsOf(data.results).map(({ status }) => status),
    expected,
    "results of a deletion of many",
  );
}

export async function count(run: Run, project: ModelProject, key: ModelKey): Promise<void> {
  let now = 0;
  const { outcome, data } = await send(run, project, key, {
    ...reading,
    action: "memory.statistics",
    method: "GET",
    path: "/v1/memories/statistics",
    expect(at) {
      now = at;
      return 1000;
    },
  });
  if (outcome !== 1000) return;
  const all = [...project.memories.values()];
  const of = (is: (memory: ModelMemory) => boolean) => all.filter(is).length;
  equal(
    [data.total, data.searchable, data.inactive, data.expired, Object(data.by_type).rule],
    [
      all.length,
      of((memory) => memory.isActive && !isExpired(memory, now)),
      of(({ isActive }) => !isActive),
      of((memory) => isExpired(memory, now)),
      of(({ type }) => type === "rule"),
    ],
    "numbers of the memories",
  );
}

/** Of a memory that is there, or was, or never was. */
export async function history(run: Run, project: ModelProject, key: ModelKey): Promise<void> {
  const id = someId(run, project);
  const { outcome, data } = await send(run, project, key, {
    permission: "audit.read",
    feature: "audit",
    action: "memory.history",
    method: "GET",
    path: `/v1/memories/${id}/history`,
  });
  if (outcome !== 1000) return;
  const seqs = objectsOf(data.events).map(({ seq }) => Number(seq));
  equal(
    seqs,
    seqs.toSorted((left, right) => right - left),
    "order of a history",
  );
  const named = seqs.map((seq) => project.chain.records[seq - 1]);
  equal(
    named.every(
      (record) =>
        record?.code === 1000 &&
        (record.erased !== "nothing" || record.text.includes(id) || record.memory === id),
    ),
    true,
    "a history has a record that is not about the memory",
  );
}

export async function createCheck(run: Run, project: ModelProject, key: ModelKey): Promise<void> {
  const id = someId(run, project);
  const { outcome, data } = await send(run, project, key, {
    ...writing,
    action: "check.create",
    method: "POST",
    path: "/v1/checks",
    body: { query: "Who approves invoices?", expected_memory_id: id },
    success: 201,
    expect: () => (project.memories.has(id) ? 1000 : 2100),
  });
  if (outcome === 1000) project.checks.set(String(data.id), id);
}

export async function deleteCheck(run: Run, project: ModelProject, key: ModelKey): Promise<void> {
  const [own] = project.checks.keys();
  const id = own !== undefined && chance(run, 80) ? own : "0".repeat(32);
  const { outcome } = await send(run, project, key, {
    ...writing,
    action: "check.delete",
    method: "DELETE",
    path: `/v1/checks/${id}`,
    success: 204,
    expect: () => (project.checks.has(id) ? 1000 : 2105),
  });
  if (outcome === 1000) project.checks.delete(id);
}

/** Lists or runs them: both have every check, whether its memory is there or not. */
export async function useChecks(run: Run, project: ModelProject, key: ModelKey): Promise<void> {
  const isRun = chance(run, 50);
  const { outcome, data } = await send(run, project, key, {
    ...reading,
    action: isRun ? "check.run" : "check.list",
    method: isRun ? "POST" : "GET",
    path: isRun ? "/v1/checks/run" : "/v1/checks",
  });
  if (outcome !== 1000) return;
  const found = isRun
    ? objectsOf(data.results).map((result) => [result.check_id, result.expected_memory_id])
    : objectsOf(data.checks).map((check) => [check.id, check.expected_memory_id]);
  equal(found, [...project.checks], "checks of the project");
  if (!isRun) return;
  const failed = objectsOf(data.results).filter(
    ({ expected_memory_id: id, passed }) => passed === true && !project.memories.has(String(id)),
  );
  equal(failed, [], "checks that pass without their memory");
}
