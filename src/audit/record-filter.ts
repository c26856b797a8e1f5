// Owns what lists and exports of records select by besides the time: the fields of the API, and what a storage engine is asked for.

import { type Static, Type } from "@sinclair/typebox";
import { type MetadataFilter, metadataFilter, toMetadataFilter } from "../memory/search/metadata-filter.ts";
import { type TagFilter, toTagFilter, WantedTags } from "../memory/tags.ts";
import { toId } from "../platform/ids.ts";
import type { JsonObject } from "../platform/json/json.ts";
import { Action, Choice, type Fields, Id } from "../platform/schema/schema.ts";
import { personName } from "../platform/schema/subject-name.ts";

export interface RecordFilter {
  readonly action: string | null;
  readonly keyId: string | null;
  readonly memoryId: string | null;
  /** Only records of calls for the subject with this pseudonym. Null or left out: all. */
  readonly subject?: string | null;
  /** As `subject`: of calls that named this conversation. */
  readonly conversation?: string | null;
  /** As `subject`: of calls whose client has said that it acts for the person with this pseudonym. */
  readonly person?: string | null;
  /**
   * Only records that name a memory which has these tags and this metadata now, and those from whose conversation such a memory was
   * extracted; whether the memory belongs to the project or to one of its subjects. Null or left out: all.
   */
  readonly tags?: TagFilter | null;
  readonly metadata?: MetadataFilter | null;
  /** First digit of the HTTP status. */
  readonly statusClass: 2 | 4 | 5 | null;
}

const statusClasses = { "2xx": 2, "4xx": 4, "5xx": 5 } as const;

export const recordFilters = {
  action: Type.Optional(Action({ description: "Only this action, such as memory.search." })),
  memory_id: Type.Optional(Id({ description: "Only calls that named this memory." })),
  tag: Type.Optional(
    WantedTags(
      "Only calls that named a memory which has this tag and the metadata now, and those from whose conversation such a memory was extracted. If it is given several times, the memory has all of them.",
    ),
  ),
  metadata: metadataFilter,
  key_id: Type.Optional(Id({ description: "Only calls with this API key." })),
  on_behalf_of: Type.Optional(personName),
  status_class: Type.Optional(
    Choice(["2xx", "4xx", "5xx"], { title: "StatusClass", description: "Only this class of HTTP status." }),
  ),
};

export type RecordFilters = Static<ReturnType<typeof Fields<typeof recordFilters>>>;

/** Pseudonyms of the subject, the conversation and the person whose records are wanted; null: all are. */
export type NamedFilter = Readonly<Record<"subject" | "conversation" | "person", string | null>>;
export const allNamed: NamedFilter = { subject: null, conversation: null, person: null };

/** @throws Refusal 1400 */
export function toRecordFilter(input: RecordFilters, named: NamedFilter): Required<RecordFilter> {
  const { action = null, key_id, memory_id, tag, metadata, status_class } = input;
  return {
    action,
    keyId: toId(key_id ?? ""),
    memoryId: toId(memory_id ?? ""),
    ...named,
    tags: toTagFilter(tag),
    metadata: toMetadataFilter(metadata),
    statusClass: status_class === undefined ? null : statusClasses[status_class],
  };
}

/** Whether it leaves out no record. */
export function isOfAll(filter: RecordFilter): boolean {
  return Object.keys(describeFilter(filter)).length === 0;
}

/**
 * What may be stored of a filter and shown to whoever has the records: ids and names of the API. An erasure may have to remove a tag or
 * metadata, so only the record of the call has them.
 */
export function describeFilter(filter: RecordFilter): JsonObject {
  const { action, keyId, memoryId, tags = null, metadata = null, statusClass } = filter;
  const { subject = null, conversation = null, person = null } = filter;
  return {
    ...(action === null ? {} : { action }),
    ...(memoryId === null ? {} : { memory_id: memoryId }),
    ...(keyId === null ? {} : { key_id: keyId }),
    ...(statusClass === null ? {} : { status_class: `${statusClass}xx` }),
    ...(subject === null ? {} : { subject }),
    ...(conversation === null ? {} : { conversation }),
    ...(person === null ? {} : { on_behalf_of: person }),
    ...(tags === null ? {} : { tag: true }),
    ...(metadata === null ? {} : { metadata: true }),
  };
}
