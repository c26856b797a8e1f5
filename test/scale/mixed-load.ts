// Sends everything that changes or searches a large project at once, and keeps what it was told: which memories are stored, which are
// deleted. Every answer of a search is checked against it. Must never send a call whose outcome it could not judge.

import { scaleText } from "../../bench/scale-fill.ts";
import { isObject, type Json, type JsonObject } from "../../src/platform/json/json.ts";
import { createRandom, type Target } from "../crash/load.ts";
import { createWeightedChoice } from "../weighted-choice.ts";

export interface MixedLoad {
  /** Sends from each client until told to stop; never throws. `erase` deletes a memory and its records. */
  run(target: Target, options: MixedLoadOptions): Promise<void>;
  /** How often each kind of step was answered. */
  readonly answered: ReadonlyMap<string, number>;
  /** Contents of the memories that must be there, by id. */
  readonly kept: ReadonlyMap<string, string>;
  /** Ids that must not be there. */
  readonly deleted: { readonly ids: Iterable<string>; readonly tags: Iterable<string> };
  faults(): readonly string[];
}

export interface MixedLoadOptions {
  readonly clients: number;
  readonly isOver: () => boolean;
  readonly erase: (id: string) => Promise<void>;
}

type Step = (target: Target, options: MixedLoadOptions) => Promise<void>;

const answerLimitMs = 120_000;
const pauseMs = 10;
/** Tags of the filled memories, of which each has a 500th. */
const filledTags = 500;
const filledTagsDeletedMax = 20;
/** Of memories that nobody waits for: they have expired when results are compared. */
export const shortLifeMs = 4_000;

/** Refusals that this load meets: the memory was deleted by another client, the queue was full, an erasure came between. */
const expected = new Set([200, 201, 204, 404, 409, 429, 503]);

/** @param first the number of the first memory: filled ones have smaller numbers, so no two texts are equal */
export function createMixedLoad(seed: number, first: number): MixedLoad {
  const random = createRandom(seed);
  const kept = new Map<string, string>();
  /** When each deletion was answered, as a count of answers. */
  const [goneIds, goneTags] = [new Map<string, number>(), new Map<string, number>()];
  const faults = new Map<string, string>();
  const answered = new Map<string, number>();
  let [number, moment, filledTagsDeleted] = [first, 0, 0];
  let erasing = false;

  const request = async (target: Target, method: string, path: string, body: JsonObject | null) => {
    const response = await fetch(`${target.url}/v1/memories${path}`, {
      method,
      headers: { Authorization: `Bearer ${target.key}`, "Content-Type": "application/json" },
      signal: AbortSignal.timeout(answerLimitMs),
      ...(body === null ? null : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const { status } = response;
    if (!expected.has(status))
      faults.set(`${method} ${status}`, `${method} ${path} answered ${status}: ${text}`);
    const envelope: Json = text.startsWith("{") ? JSON.parse(text) : {};
    const data = isObject(envelope) && isObject(envelope.data) ? envelope.data : {};
    return { isDone: status < 300, data };
  };
  const newText = () => scaleText(random, number++);
  const someKept = () => [...kept.keys()][Math.floor(random() * kept.size)];
  const isGone = (before: number, { id, tags }: JsonObject) =>
    (goneIds.get(String(id)) ?? before) < before ||
    [tags ?? []].flat().some((tag) => (goneTags.get(String(tag)) ?? before) < before);

  const search = async (target: Target, body: JsonObject) => {
    const before = moment;
    const { isDone, data } = await request(target, "POST", "/search", body);
    const memories = objects(data.results).map(({ memory }) =>
      isObject(memory ?? null) ? Object(memory) : {},
    );
    for (const memory of memories)
      if (isGone(before, memory))
        faults.set(`gone ${memory.id}`, `a search found the deleted memory ${memory.id}`);
    return isDone ? memories : null;
  };
  const create = async (target: Target, fields: JsonObject): Promise<string | null> => {
    const body = { memory_type: "fact", importance: random(), ...fields };
    const { isDone, data } = await request(target, "POST", "", body);
    return isDone ? String(data.id) : null;
  };
  const removeTag = async (target: Target, tag: string) => {
    const { isDone } = await request(target, "DELETE", "", { tags: [tag] });
    if (isDone) goneTags.set(tag, moment++);
  };

  const steps: readonly (readonly [weight: number, name: string, step: Step])[] = [
    [10, "search", async (target) => void (await search(target, { query: newText(), top_k: 50 }))],
    [8, "hybrid search", async (target) => void (await search(target, { query: newText(), mode: "hybrid" }))],
    [
      3,
      "search with a tag",
      async (target) =>
        void (await search(target, { query: newText(), tags: [`team ${number % 4}`], top_k: 50 })),
    ],
    [
      8,
      "create",
      async (target) => {
        const content = newText();
        const id = await create(target, { content, tags: ["kept"] });
        if (id !== null) kept.set(id, content);
      },
    ],
    [
      2,
      "create with an early expiry",
      async (target) => {
        const expires_at = new Date(Date.now() + shortLifeMs).toISOString();
        await create(target, { content: newText(), expires_at });
      },
    ],
    [
      3,
      "search for a memory that was just created",
      async (target) => {
        const content = newText();
        const id = await create(target, { content, importance: 1 });
        if (id === null) return;
        const found = await search(target, { query: content, top_k: 1 });
        if (found !== null && found[0]?.id !== id)
          faults.set("stale", `the search for the text of ${id} found ${found[0]?.id}`);
        kept.set(id, content);
      },
    ],
    [
      6,
      "update",
      async (target) => {
        const id = someKept();
        const content = id === undefined ? undefined : kept.get(id);
        if (id === undefined || content === undefined) return;
        // Without an answer nobody knows what it contains, and nobody else may change it meanwhile.
        kept.delete(id);
        const isNewText = random() < 0.5;
        const change = isNewText
          ? { content: newText() }
          : { importance: random(), tags: ["kept", "changed"] };
        const { isDone } = await request(target, "PUT", `/${id}`, change);
        if (isDone) kept.set(id, change.content ?? content);
      },
    ],
    [
      4,
      "delete",
      async (target) => {
        const id = someKept();
        if (id === undefined) return;
        kept.delete(id);
        if ((await request(target, "DELETE", `/${id}`, null)).isDone) goneIds.set(id, moment++);
      },
    ],
    [
      1,
      "bulk delete by tag",
      async (target) => {
        const tag = `doomed ${number}`;
        const memories = Array.from({ length: 10 }, () => ({
          content: newText(),
          memory_type: "fact",
          tags: [tag],
        }));
        await request(target, "POST", "/batch", { memories });
        await removeTag(target, tag);
      },
    ],
    [
      0.3,
      "bulk delete of filled memories",
      async (target) => {
        if (filledTagsDeleted < filledTagsDeletedMax)
          await removeTag(target, `sprint ${filledTags - ++filledTagsDeleted}`);
      },
    ],
    [
      0.5,
      "erasure",
      async (_, { erase }) => {
        const id = someKept();
        if (id === undefined || erasing) return;
        erasing = true;
        kept.delete(id);
        try {
          await erase(id);
          goneIds.set(id, moment++);
        } finally {
          erasing = false;
        }
      },
    ],
  ];
  const choose = createWeightedChoice(steps, random);

  return {
    answered,
    kept,
    deleted: {
      ids: { [Symbol.iterator]: () => goneIds.keys() },
      tags: { [Symbol.iterator]: () => goneTags.keys() },
    },
    faults: () => [...faults.values()],
    async run(target, options) {
      const client = async () => {
        while (!options.isOver()) {
          const [, name, step] = choose();
          try {
            await step(target, options);
            answered.set(name, (answered.get(name) ?? 0) + 1);
          } catch {
            // The connection broke, or an answer was cut off: nobody was told anything.
          }
          await Bun.sleep(pauseMs);
        }
      };
      await Promise.all(Array.from({ length: options.clients }, client));
    },
  };
}

function objects(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
