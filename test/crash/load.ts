// Sends mixed calls from several clients at once and keeps what each of them was answered. Every call carries its number in
// X-Audit-Metadata, so that its record can be found. Must never send two calls with the same number.

import { isObject, type Json, type JsonObject } from "../../src/platform/json/json.ts";

export interface Call {
  readonly number: number;
  readonly action: string;
  /** Null: no answer arrived, so the call may have happened or not. */
  status: number | null;
  code: number | null;
  data: JsonObject;
}

export interface Target {
  readonly url: string;
  readonly key: string;
}

export interface Load {
  /** All calls so far, by their number. */
  readonly calls: readonly Call[];
  /** Sends calls one after another from each client until told to stop, or `calls` of them in all; never throws. */
  run(target: Target, options: RunOptions): Promise<void>;
  /** One call of this action. */
  send(target: Target, action: Action): Promise<Call>;
}

export interface RunOptions {
  readonly clients: number;
  readonly calls?: number;
  readonly isOver?: () => boolean;
}

export const actions = [
  "memory.create",
  "memory.update",
  "memory.delete",
  "memory.delete_all",
  "memory.search",
  "memory.read",
  "memory.list",
  "audit.export",
  "gateway.chat",
] as const;
export type Action = (typeof actions)[number] | "refused";

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body?: JsonObject | string;
}

const answerLimitMs = 30_000;
const formats = ["csv", "json"] as const;
const types = ["fact", "rule", "context"] as const;

const tags = ["common", "rare", "doomed"] as const;
/** All memories only now and then. */
const removals: readonly JsonObject[] = [
  {},
  ...Array.from({ length: 6 }, () => ({ memory_type: "context" })),
  ...Array.from({ length: 3 }, () => ({ tags: ["rare", "doomed"] })),
];

/** The same seed gives the same calls, as far as answers allow. */
export function createLoad(seed: number): Load {
  const random = createRandom(seed);
  const calls: Call[] = [];
  /** Memories that are probably there, with their types. */
  const known = new Map<string, unknown>();
  const pick = <Value>(values: readonly Value[]): Value | undefined =>
    values[Math.floor(random() * values.length)];

  const someTags = () => ({ tags: tags.filter(() => random() < 0.3) });
  const someChange = (content: string) =>
    pick<JsonObject>([{ content }, { importance: random() }, someTags()]) ?? { content };

  const describe = (action: Action, number: number): Sent => {
    const content = `Memory ${number} of seed ${seed}. ${"It says something. ".repeat(Math.floor(random() * 40))}`;
    const one = `/v1/memories/${pick([...known.keys()]) ?? "0".repeat(32)}`;
    const type = pick(types) ?? "fact";
    switch (action) {
      case "memory.create":
        return { method: "POST", path: "/v1/memories", body: { content, memory_type: type, ...someTags() } };
      case "memory.update":
        return { method: "PUT", path: one, body: someChange(content) };
      case "memory.delete":
        return { method: "DELETE", path: one };
      case "memory.delete_all":
        return {
          method: "DELETE",
          path: "/v1/memories",
          body: pick(removals) ?? {},
        };
      case "memory.search":
        return { method: "POST", path: "/v1/memories/search", body: { query: `memory ${number}` } };
      case "memory.read":
        return { method: "GET", path: one };
      case "memory.list":
        return { method: "GET", path: "/v1/memories?page_size=10" };
      case "audit.export": {
        const span = { start_time: "2020-01-01T00:00:00Z", end_time: "2100-01-01T00:00:00Z" };
        return {
          method: "POST",
          path: "/v1/audit/logs/export",
          body: { ...span, format: pick(formats) ?? "csv" },
        };
      }
      case "gateway.chat":
        // The appended record is the call's own, and answers 201 as the record says.
        return {
          method: "POST",
          path: "/v1/audit/logs",
          body: { action, http_status: 201, metadata: { call: number } },
        };
      case "refused":
        return { method: "POST", path: "/v1/memories", body: "{" };
    }
  };

  const forget = (body: Sent["body"]) => {
    const { memory_type: only, tags: wanted } = isObject(body) ? body : {};
    // Which memories have the tags is up to the server: some of the others will not be found.
    if (wanted !== undefined) return;
    for (const [id, type] of known) if (only === undefined || type === only) known.delete(id);
  };

  const send = async (target: Target, action: Action): Promise<Call> => {
    const number = calls.length;
    const call: Call = {
      number,
      action: action === "refused" ? "memory.create" : action,
      status: null,
      code: null,
      data: {},
    };
    calls.push(call);
    const sent = describe(action, number);
    await answer(target, sent, call);
    if (action === "memory.create" && call.status === 201)
      known.set(String(call.data.id), call.data.memory_type);
    if (action === "memory.delete") known.delete(sent.path.slice(-32));
    if (action === "memory.delete_all") forget(sent.body);
    return call;
  };

  return {
    calls,
    send,
    async run(target, { clients, calls: limit = Number.POSITIVE_INFINITY, isOver = () => false }) {
      let left = limit;
      const client = async () => {
        while (left-- > 0 && !isOver()) await send(target, chooseAction(random()));
      };
      await Promise.all(Array.from({ length: clients }, client));
    },
  };
}

function chooseAction(chance: number): Action {
  if (chance < 0.55) return "memory.create";
  if (chance < 0.7) return "memory.update";
  if (chance < 0.78) return "memory.delete";
  if (chance < 0.8) return "memory.delete_all";
  if (chance < 0.88) return "memory.search";
  if (chance < 0.92) return "memory.read";
  if (chance < 0.94) return "memory.list";
  if (chance < 0.96) return "audit.export";
  return chance < 0.98 ? "gateway.chat" : "refused";
}

/** Fills in what the server answered; a connection that breaks leaves the call unanswered. */
async function answer({ url, key }: Target, { method, path, body }: Sent, call: Call): Promise<void> {
  const headers = {
    Authorization: `Bearer ${key}`,
    "Content-Type": "application/json",
    "X-Audit-Metadata": JSON.stringify({ call: call.number }),
  };
  const text = typeof body === "object" ? JSON.stringify(body) : body;
  const init: RequestInit = { method, headers, signal: AbortSignal.timeout(answerLimitMs) };
  try {
    const response = await fetch(`${url}${path}`, text === undefined ? init : { ...init, body: text });
    const envelope: Json = JSON.parse((await response.text()) || "{}");
    if (!isObject(envelope)) throw new Error("the envelope is no object");
    call.data = isObject(envelope.data) ? envelope.data : {};
    call.code = typeof envelope.code === "number" ? envelope.code : null;
    call.status = response.status;
  } catch {
    await Bun.sleep(5);
  }
}

/** Numbers in [0, 1) that depend on the seed alone (Mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
