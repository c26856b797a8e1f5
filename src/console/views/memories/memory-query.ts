// Owns what the address of the view says: which memories are listed, in which order, and what is open beside them.

import type {
  AgentMemory,
  MemoryListQuery,
  MemoryOrder,
  MemoryType,
} from "../../../../clients/typescript/src/generated/models.ts";
import type { Sort } from "../../parts/table/types.ts";
import type { Query, QueryChanges } from "../../query.ts";

export type Memory = AgentMemory;

export const typeNames: Readonly<Record<MemoryType, string>> = {
  rule: "Rule",
  fact: "Fact",
  context: "Context",
};
export const orders: readonly MemoryOrder[] = ["importance", "created_at", "updated_at"];

/** The names of the filters in the address, besides the origin, which each list has. */
export const noFilters: QueryChanges = {
  conversation: null,
  text: null,
  type: null,
  tag: null,
  active: null,
  expired: null,
};

/** What is shown apart: what somebody wanted to keep, and what was said in conversations. */
export const originNames = { kept: "Kept", conversation: "From conversations", all: "All memories" } as const;
export type ShownOrigin = keyof typeof originNames;

export interface MemoryQuery {
  readonly origin: ShownOrigin;
  /** Id of a conversation; "": of any. */
  readonly conversation: string;
  readonly text: string;
  readonly type: MemoryType | "";
  readonly tags: readonly string[];
  readonly active: "" | "true" | "false";
  readonly expired: "" | "true" | "false";
  readonly sort: Sort;
}

/** What the address does not say, or says in a way that nobody knows, is not asked for. */
export function readQuery(query: Query): MemoryQuery {
  const order = orders.find((each) => each === query.get("sort")) ?? "created_at";
  const origin = query.get("origin");
  return {
    origin: origin === "conversation" || origin === "all" ? origin : "kept",
    conversation: query.get("conversation") ?? "",
    text: query.get("text") ?? "",
    type: isType(query.get("type")) ?? "",
    tags: query.all("tag"),
    active: toFlag(query.get("active")),
    expired: toFlag(query.get("expired")),
    sort: { column: order, isDescending: query.get("direction") !== "asc" },
  };
}

export function isFiltered({ conversation, text, type, tags, active, expired }: MemoryQuery): boolean {
  return [conversation, text, type, active, expired].some((each) => each !== "") || tags.length > 0;
}

/** The parameters of the list. A text without a letter or a digit has no word to look for. */
export function listQuery(shown: MemoryQuery): MemoryListQuery {
  const { origin, conversation, text, type, tags, active, expired, sort } = shown;
  return {
    origin: origin === "all" ? undefined : origin,
    conversation: conversation === "" ? undefined : conversation,
    text: /[\p{L}\p{N}]/u.test(text) ? text : undefined,
    memory_type: type === "" ? undefined : type,
    tag: tags.length === 0 ? undefined : tags,
    is_active: active === "" ? undefined : active === "true",
    expired: expired === "" ? undefined : expired === "true",
    sort_by: orders.find((each) => each === sort.column),
    sort_dir: sort.isDescending ? "desc" : "asc",
  };
}

function isType(text: string | null): MemoryType | undefined {
  return text === "rule" || text === "fact" || text === "context" ? text : undefined;
}

function toFlag(text: string | null): "" | "true" | "false" {
  return text === "true" || text === "false" ? text : "";
}
