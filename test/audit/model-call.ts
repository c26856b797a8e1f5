// Sends one call to the server and to the model, compares what they say, and has the model keep the record that must be there now.

import { isObject, type JsonObject } from "../../src/platform/json/json.ts";
import type { Reply } from "../fixture.ts";
import { type Model, type ModelKey, type ModelProject, statusOf } from "./model.ts";
import type { ModelServer } from "./model-server.ts";

export interface Run {
  readonly model: Model;
  readonly server: ModelServer;
  /** 0..1, always the same for the same seed. */
  random(): number;
  /** Checkpoints that the server has handed out, kept outside. */
  readonly notes: string[];
  /** How often what happened. */
  readonly seen: Map<string, number>;
}

interface ModelCall {
  readonly action: string;
  readonly permission: string;
  readonly feature: "memory" | "audit" | "export";
  readonly method: string;
  readonly path: string;
  readonly body?: JsonObject;
  /** Of the answer when nothing is refused. Default: 200. */
  readonly success?: number;
  /** The code that the operation's own rules answer with; default: 1000. */
  expect?(now: number): number;
  /** A code that it may answer with as well, because it depends on when it came. */
  readonly orElse?: number;
  /** The memory that the record of a success names. */
  memory?(reply: Reply): string | null;
  /** Takes the place of the call's own record. */
  readonly appended?: { readonly action: string; readonly status: number; readonly code: number | null };
}

/** The code says what became of it. @throws Error when server and model disagree. */
export async function send(
  run: Run,
  project: ModelProject,
  key: ModelKey,
  call: ModelCall,
): Promise<Reply & { readonly outcome: number; readonly at: number }> {
  const { server } = run;
  const before = server.now();
  const refusal = project.refuses(key, call.permission, call.feature, before);
  const due = refusal ?? call.expect?.(before) ?? 1000;
  // More calls without a valid key than this are only counted.
  if (due === 1401) server.passTime(1_000);
  const reply = await server.call(key.secret, call.method, call.path, call.body);
  const outcome = reply.code !== null && reply.code === call.orElse ? reply.code : due;
  const at = server.now();
  const isDone = outcome === 1000;
  const status = isDone ? (call.success ?? 200) : (statusOf[outcome] ?? 0);
  equal(
    [reply.status, reply.code ?? outcome],
    [status, outcome],
    `${call.method} ${call.path}: ${reply.text}`,
  );
  note(run, `${call.action} ${outcome}`);
  const own = { action: call.action, status, code: outcome };
  const recorded = isDone && unkept.has(call.action) ? "" : reply.text;
  project.chain.append({
    ...((isDone ? call.appended : undefined) ?? own),
    key: key.id,
    memory: memoryOf(call, reply, isDone),
    at,
    text:
      (memoryInPath(call) === null && outcome !== 1401 ? call.path : "") +
      // Of a caller who is refused no body is received.
      (refusal === null ? JSON.stringify(call.body ?? null) : "") +
      recorded,
  });
  return { ...reply, outcome, at };
}

/** The memory that the record names: the one in the path, found or not, else the one that the call made. */
function memoryOf(call: ModelCall, reply: Reply, isDone: boolean): string | null {
  if (reply.code === 1401) return null;
  return memoryInPath(call) ?? (isDone ? (call.memory?.(reply) ?? null) : null);
}

/** It is in the entry; other parameters are in the payload. */
function memoryInPath({ path }: ModelCall): string | null {
  return /^\/v1\/memories\/([0-9a-f]{32})(?:\/history)?$/.exec(path)?.[1] ?? null;
}

/** These answer with audit records or files. */
const unkept = new Set([
  "audit.list",
  "audit.read",
  "audit.export_download",
  "audit.export_manifest",
  "memory.history",
]);

export function note({ seen }: Run, what: string): void {
  seen.set(what, (seen.get(what) ?? 0) + 1);
}

export function pick<Item>({ random }: Pick<Run, "random">, items: readonly Item[]): Item {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error("there is nothing to choose from");
  return item;
}

/** True so often of a hundred times. */
export function chance({ random }: Pick<Run, "random">, percent: number): boolean {
  return random() * 100 < percent;
}

export function equal(found: unknown, expected: unknown, what: string): void {
  if (Bun.deepEquals(found, expected)) return;
  throw new Error(`${what}\nfound:    ${Bun.inspect(found)}\nexpected: ${Bun.inspect(expected)}`);
}

export function objectsOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
