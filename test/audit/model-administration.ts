// Random administration and what happens to a server from outside: plans, keys, erasure, sweeps, unauthenticated calls, time, restarts.

import type { InstallationOperation } from "../../src/calls/contract/operation.ts";
import { createKey, revokeKey, updateKey } from "../../src/calls/operations/access/key-operations.ts";
import { useLocalKey } from "../../src/calls/operations/access/local-key.ts";
import { updateProject } from "../../src/calls/operations/access/project-operations.ts";
import { eraseRecords } from "../../src/calls/operations/ledger/erase-records.ts";
import { pruneRecords } from "../../src/calls/operations/ledger/prune.ts";
import { traceRecords } from "../../src/calls/operations/ledger/trace-records.ts";
import { isObject, type JsonObject } from "../../src/platform/json/json.ts";
import { type ModelProject, type ModelRecord, planNames } from "./model.ts";
import { chance, equal, note, pick, type Run } from "./model-call.ts";
import { judge } from "./model-judge.ts";

const hourMs = 3_600_000;
const permissions = ["memory.read", "memory.write", "audit.read", "audit.export", "audit.write"];

export const administration: readonly (readonly [
  weight: number,
  act: (run: Run, project: ModelProject) => Promise<unknown>,
])[] = [
  [4, changePlan],
  [2, makeKey],
  [1, changeKey],
  [1, endKey],
  [2, erase],
  [2, sweep],
  [1, useLocal],
  [1, callUnauthenticated],
  [5, passTime],
  [1, restart],
];

/** Does it, and has the model keep its record. */
export async function administer(
  run: Run,
  operation: InstallationOperation,
  input: JsonObject,
  { code = 1000, status = 200, isSecret = false } = {},
): Promise<JsonObject> {
  const answer = await run.server.administer(operation, input);
  equal(answer.code, code, `${operation.name} ${JSON.stringify(input)}`);
  note(run, `${operation.name} ${code}`);
  const response = isSecret ? null : answer.data;
  run.model.installation.append({
    action: operation.name,
    status,
    code,
    key: null,
    memory: null,
    at: run.server.now(),
    text: JSON.stringify([input, response]),
  });
  return answer.data;
}

async function changePlan(run: Run, project: ModelProject): Promise<void> {
  const plan = chance(run, 60) ? pick(run, planNames) : project.plan;
  const subscription = chance(run, 80) ? "active" : "expired";
  const memoryLimit = pick(run, [null, null, null, 3, 12]);
  const retentionDays = pick(run, [null, null, null, 2]);
  const limits = { memory_limit: memoryLimit, retention_days: retentionDays };
  await administer(run, updateProject, { project: project.id, plan, subscription, ...limits });
  Object.assign(project, { plan, memoryLimit, retentionDays, isSubscribed: subscription === "active" });
}

export async function makeKey(run: Run, project: ModelProject): Promise<void> {
  const granted = project.keys.length === 0 ? permissions : permissions.filter(() => chance(run, 60));
  const expiresAt = chance(run, 30) ? run.server.now() + 30.5 * hourMs : null;
  const input = {
    project: project.id,
    permissions: granted,
    ...(expiresAt === null || project.keys.length === 0
      ? {}
      : { expires_at: new Date(expiresAt).toISOString() }),
  };
  if (granted.length === 0)
    return void (await administer(run, createKey, input, { code: 1400, status: 400 }));
  const { id, key } = await administer(run, createKey, input, { status: 201, isSecret: true });
  project.keys.push({
    id: String(id),
    secret: String(key),
    permissions: granted,
    isRevoked: false,
    expiresAt: project.keys.length === 0 ? null : expiresAt,
  });
}

async function changeKey(run: Run, project: ModelProject): Promise<void> {
  const key = pick(run, project.keys);
  const gateway = chance(run, 80) ? { memory: chance(run, 50), memory_budget: null } : null;
  const refused = { code: 1400, status: 400 };
  await administer(run, updateKey, { key: key.id, gateway }, key.isRevoked ? refused : {});
}

/** Never the first key, so that a project always has one. */
async function endKey(run: Run, project: ModelProject): Promise<void> {
  const [, ...others] = project.keys;
  if (others.length === 0) {
    await administer(run, revokeKey, { key: "no such key" }, { code: 1400, status: 400 });
    return;
  }
  const key = pick(run, others);
  await administer(run, revokeKey, { key: key.id });
  key.isRevoked = true;
}

/** What a program of the user does before its first call. */
async function useLocal(run: Run, project: ModelProject): Promise<void> {
  const { project_id } = await administer(run, useLocalKey, { project: project.id });
  equal(project_id, project.id, "the project of a local key");
}

/** Of everything with a memory, or of one record. */
async function erase(run: Run, project: ModelProject): Promise<void> {
  const { model } = run;
  const at = () => run.server.now();
  const named = project.chain.records.flatMap(({ memory }) => memory ?? []);
  if (named.length > 0 && chance(run, 60)) {
    const memory = pick(run, named);
    const held = await traced(run, { memory });
    const count = model.erase(memory, held, at());
    const checks = model.forgetChecksOf(memory);
    if (count === 0 && checks === 0)
      return void (await administer(run, eraseRecords, { memory }, { code: 2204, status: 404 }));
    const erased = await administer(run, eraseRecords, { memory });
    return equal([erased.redacted, erased.checks], [count, checks], "what an erasure found");
  }
  const { chain } = project;
  const known = chain.records.filter(({ id }) => id !== null);
  if (known.length === 0) return;
  const record = pick(run, known);
  const input = { record: record.id };
  const isLasting = ["audit.redact", "audit.prune"].includes(record.action);
  if (!chain.present.includes(record)) {
    await administer(run, eraseRecords, input, { code: 2204, status: 404 });
  } else if (isLasting) {
    await administer(run, eraseRecords, input, { code: 1400, status: 400 });
  } else {
    const held = await traced(run, input);
    equal(held.get(record) === "all", record.erased !== "all", "whether a record holds its own text");
    const count = model.erase(null, held, at());
    const { redacted } = await administer(run, eraseRecords, input);
    equal(redacted, count, "records that were erased");
  }
}

/** The records that the product finds: which texts are the same is its own decision. The model adds those that name the memory. */
async function traced(run: Run, input: JsonObject): Promise<ReadonlyMap<ModelRecord, "parts" | "all">> {
  const { records } = await administer(run, traceRecords, input);
  const found = Array.isArray(records) ? records.filter(isObject) : [];
  return new Map(
    found.map(({ project, seq, parts }) => {
      const chain = run.model.projects.find(({ id }) => id === project)?.chain ?? run.model.installation;
      const record = chain.records[Number(seq) - 1];
      if (record === undefined) throw new Error("a record was found that no call has left");
      return [record, parts === null ? "all" : "parts"];
    }),
  );
}

async function sweep(run: Run): Promise<void> {
  // The record of the call comes after those of the sweep.
  run.model.prune(run.server.now());
  await administer(run, pruneRecords, {});
  await untilPruned(run);
}

/** Sweeps go on after they were asked for. */
async function untilPruned({ model, server }: Run): Promise<void> {
  const expected = new Map([
    ["", model.installation] as const,
    ...model.projects.map(({ id, chain }) => [id, chain] as const),
  ]);
  const isDone = () =>
    server.chains().every(({ project, first, last, anchors }) => {
      const chain = expected.get(project ?? "");
      if (chain === undefined) return true;
      return first === chain.anchored + 1 && last === chain.records.length && anchors === chain.anchors;
    });
  for (let tries = 0; !isDone(); tries++) {
    const wanted = model.projects.map(({ chain }) => [
      chain.anchored + 1,
      chain.records.length,
      chain.anchors,
    ]);
    if (tries > 250) throw new Error(`a sweep did not lead to ${Bun.inspect([wanted, server.chains()])}`);
    await Bun.sleep(20);
  }
}

async function callUnauthenticated(run: Run): Promise<void> {
  run.server.passTime(1_000);
  const [method, path, action] = pick(run, [
    ["GET", "/v1/memories", "memory.list"],
    ["POST", "/mcp", "mcp.request"],
  ] as const);
  const { status } = await run.server.call(`ml_${"x".repeat(43)}`, method, path);
  equal(status, 401, "a call with a key that nobody made");
  note(run, "unauthenticated");
  run.model.installation.append({
    action,
    status: 401,
    code: 1401,
    key: null,
    memory: null,
    at: run.server.now(),
    text: "",
  });
}

async function passTime(run: Run): Promise<void> {
  const hours = pick(run, [1, 5, 26, 26, 8 * 24 + 1, 31 * 24 + 1, 95 * 24, -1, -26, -8 * 24, -40 * 24]);
  // What happened before and what happens after never share a millisecond.
  await Bun.sleep(2);
  run.server.passTime(hours * hourMs);
  note(run, hours > 0 ? "clock forwards" : "clock backwards");
}

/** Stops, has the ledger judged, and starts on the same directory again; the start sweeps. */
export async function restart(run: Run): Promise<void> {
  const { server, model } = run;
  await server.stop();
  await judge(run);
  await server.start();
  for (const { pinnedLists } of model.projects) pinnedLists.clear();
  model.prune(server.now());
  await untilPruned(run);
  note(run, "restart");
}
