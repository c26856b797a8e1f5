// Owns what an erasure is about: a memory or a record, the records that hold its text, and the memories that have it.

import { Type } from "@sinclair/typebox";
import { repeatsText, withContents } from "../../../audit/trace/trace-texts.ts";
import {
  emptyTrace,
  type Holding,
  type Trace,
  type TracedRecord,
  type TracedRecords,
} from "../../../audit/trace/traced.ts";
import type { Owner } from "../../../memory/owner.ts";
import { Refusal } from "../../../platform/errors.ts";
import { toId } from "../../../platform/ids.ts";
import { Count } from "../../../platform/schema/schema.ts";
import type { Store } from "../../storage/store.ts";

/** A verifier needs the payloads of these actions, because they say which payloads and records were removed. */
export const notErasable = ["audit.redact", "audit.prune"];

/** Memories that are compared with the text in one step. */
const comparedAtOnce = 500;

export const erased = {
  record: Type.Optional(Type.String({ description: "Id of an audit record." })),
  memory: Type.Optional(Type.String({ description: "Id of a memory, which may be deleted already." })),
};

export const heldCounts = {
  origin: Count(
    "Of these, records from which the text came, and those that a call performed for them has left.",
  ),
  shown: Count("Of these, other records that name the memory by its id."),
  repeated: Count("Of these, records that have the same words without an id."),
};

export interface Holders extends TracedRecords {
  /** Memories that have the text, in the order of their ids. */
  readonly memories: readonly string[];
  /** Of these, those that were made of the record. */
  readonly made: readonly string[];
}

/** What the record of an erasure says of the records in its chain. Verifiers read it. */
export function describeErased(records: readonly TracedRecord[]) {
  return {
    redacted: records.flatMap(({ seq, parts }) => (parts === null ? [seq] : [])),
    redacted_parts: records.flatMap(({ seq, parts }) => (parts === null ? [] : [[seq, [...parts]]])),
  };
}

interface Asked {
  readonly record?: string;
  readonly memory?: string;
}

/** @throws Refusal 1400 unless the call names one memory or record that can be erased, and 2204 without such a record */
export async function traceText(input: Asked, store: Store, signal: AbortSignal): Promise<Holders> {
  const target = await readTarget(input, store);
  const found = await traceAll(target, store);
  const memories = await findMemories(found.trace, store, signal);
  return { ...found, memories, made: memories.filter((id) => found.trace.made.includes(id)) };
}

async function readTarget(input: Asked, store: Store): Promise<Trace> {
  const { record, memory } = withPlainIds(input);
  const id = record ?? memory ?? "";
  if (record !== undefined && memory !== undefined) {
    throw new Refusal(
      1400,
      "The call names a record and a memory. Name only one of them, and run a second command for the other.",
    );
  }
  if (toId(id) === null) {
    throw new Refusal(1400, "Send the id of a record or the id of a memory: 32 hexadecimal characters.");
  }
  if (memory !== undefined) return { ...emptyTrace, memories: [id] };
  const place = await store.audit.place(id);
  if (place === null)
    throw new Refusal(
      2204,
      "The audit record does not exist. It may have been pruned. List records to find its id.",
    );
  if (notErasable.includes(place.action)) {
    throw new Refusal(
      1400,
      `A record of ${place.action} cannot be erased: verifiers need its payload, which says what was removed from the chain. Name another record.`,
    );
  }
  return { ...emptyTrace, records: [id] };
}

/** What the memory says now may be in no record that names it, because the older ones were removed. */
async function traceAll(target: Trace, store: Store): Promise<TracedRecords> {
  const found = await store.audit.trace(target);
  let { trace } = found;
  for (const id of target.memories) {
    for (const owner of await ownersOf(found.trace, store)) {
      const content = (await store.memories.find(owner, id))?.memory.content ?? null;
      if (content !== null && !repeatsText(trace, content))
        trace = withContents(trace, owner.project, [content]);
    }
  }
  return trace === found.trace ? found : store.audit.trace(trace);
}

/** Those that are in the trace or repeat one of its texts. */
async function findMemories(trace: Trace, store: Store, signal: AbortSignal): Promise<readonly string[]> {
  const found: string[] = [];
  for (const owner of await ownersOf(trace, store)) {
    const query = { type: null, tags: null, withVectors: false, limit: comparedAtOnce };
    for (let cursor: string | null = null, isFirst = true; isFirst || cursor !== null; isFirst = false) {
      const page = await store.memories.exportPage(owner, { ...query, cursor }, signal);
      for (const { id, content } of page?.memories ?? [])
        if (trace.memories.includes(id) || repeatsText(trace, content)) found.push(id);
      cursor = page?.next ?? null;
    }
  }
  return found.sort();
}

/** Whose memories may repeat what the trace has. */
async function ownersOf({ projects }: Trace, { access, subjects }: Store): Promise<readonly Owner[]> {
  const found = await Promise.all(projects.map((id) => (id === null ? null : access.findProject(id))));
  const owners = await Promise.all(
    found.map((project) => (project === null ? [] : subjects.owners(project))),
  );
  return owners.flat();
}

export function countHoldings(records: readonly TracedRecord[]): Record<Holding, number> {
  const of = (wanted: Holding) => records.filter(({ holding }) => holding === wanted).length;
  return { origin: of("origin"), shown: of("shown"), repeated: of("repeated") };
}

/** The ids in lower case without surrounding white space: a person may have copied one with a space or in capitals. */
export function withPlainIds<Input extends Asked>(input: Input) {
  const { record, memory, ...rest } = input;
  return { ...rest, record: record?.trim().toLowerCase(), memory: memory?.trim().toLowerCase() };
}
