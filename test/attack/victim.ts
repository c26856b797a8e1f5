// Owns the other side of the attacks on shared resources: a project that goes on with its work, and how long each call takes. Sends
// requests to a server that the attack has started, one at a time.

import { permissions } from "../../src/access/key.ts";
import type { InstallationOperation } from "../../src/calls/contract/operation.ts";
import { createKey } from "../../src/calls/operations/access/key-operations.ts";
import { createProject, listProjects } from "../../src/calls/operations/access/project-operations.ts";
import { administer } from "../../src/cli/access/administer.ts";
import { isObject, type JsonObject } from "../../src/platform/json/json.ts";
import { loadConfig } from "../../src/server/config/config.ts";

/** Milliseconds by the kind of call, and what was not answered with success. */
interface Diary {
  readonly times: ReadonlyMap<string, number[]>;
  readonly refusals: readonly string[];
}

export type Send = (
  method: string,
  path: string,
  body?: JsonObject | string,
  signal?: AbortSignal,
) => Promise<Response>;

/** A project on a running server, made where there is none of that name. @returns how a new key of it sends calls */
export async function openProject(
  dataDir: string,
  url: string,
  name: string,
  fields: JsonObject = {},
): Promise<Send> {
  const { config } = loadConfig({ flags: { "data-dir": dataDir } });
  const ask = async (operation: InstallationOperation, input: JsonObject) => {
    const data = await administer(config, operation, input);
    if (!isObject(data)) throw new Error(`${operation.name} answered no object`);
    return data;
  };
  const projects = await administer(config, listProjects, {});
  const isKnown = Array.isArray(projects) && projects.filter(isObject).some((one) => one.name === name);
  if (!isKnown) await ask(createProject, { name, plan: "custom", ...fields });
  const { key } = await ask(createKey, { project: name, name, permissions: [...permissions] });
  return (method, path, body, signal) =>
    fetch(url + path, {
      method,
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
}

let calls = 0;

/** Works until `isOver` says so: searches, reads, writes and extracts, each with a text that no cache knows. */
export async function work(send: Send, isOver: () => boolean): Promise<Diary> {
  const times = new Map<string, number[]>();
  const refusals: string[] = [];
  const measure = async (kind: string, method: string, path: string, body?: JsonObject) => {
    const begun = performance.now();
    const response = await send(method, path, body);
    const text = await response.text();
    times.set(kind, [...(times.get(kind) ?? []), performance.now() - begun]);
    if (!response.ok) refusals.push(`${kind}: ${text}`);
  };
  while (!isOver()) {
    const number = ++calls;
    await measure("search", "POST", "/v1/memories/search", { query: `Where is parcel ${number}?` });
    await measure("list", "GET", "/v1/memories?page_size=20");
    await measure("records", "GET", "/v1/audit/logs?page_size=20");
    const content = `Parcel ${number} is in aisle ${number % 97}.`;
    await measure("create", "POST", "/v1/memories", { content, memory_type: "fact" });
    if (number % 5 !== 0) continue;
    const text = `Ana: We decided that parcel ${number} goes to Ghent.`;
    await measure("extract", "POST", "/v1/memories/extract", { text, dry_run: true });
  }
  return { times, refusals };
}

/** For each kind of call how many times the median and the 99th percentile are those of an idle server, and the longest. */
export function compare(idle: Diary, busy: Diary): string {
  const parts = [...busy.times].map(([kind, times]) => {
    const ratios = [0.5, 0.99].map((share) => {
      const [before, now] = [quantile(idle.times.get(kind) ?? [], share), quantile(times, share)];
      return `p${share * 100} ${(now / before).toFixed(1)}x (${before.toFixed(1)} to ${now.toFixed(1)} ms)`;
    });
    return `${kind} ${ratios.join(", ")}, longest ${Math.round(Math.max(...times))}`;
  });
  return `${parts.join("; ")}; ${busy.refusals.length} refused`;
}

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;
}
