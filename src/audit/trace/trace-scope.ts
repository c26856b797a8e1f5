// Owns what a trace within one conversation looks for in a record, besides ids and words. Pure.

import type { Json } from "../../platform/json/json.ts";
import type { ProvableRecord } from "../record.ts";
import { parseObject } from "../record-view.ts";
import type { Trace } from "./traced.ts";

/** Whose words a record has, for a trace within one conversation. */
export interface RecordScope {
  /** Whether the call was for the owner of the conversation. */
  readonly isOwn: boolean;
  /** Whether the call named another conversation. */
  readonly isOther: boolean;
}

export function scopeOf({ entry }: ProvableRecord, within: Trace["within"]): RecordScope {
  if (within === undefined) return { isOwn: true, isOther: false };
  const { subject = null, conversation = null }: { readonly [name: string]: Json } = parseObject(entry) ?? {};
  return {
    isOwn: subject === within.subject,
    isOther: conversation !== null && conversation !== within.conversation,
  };
}

/** @returns a function: whether a text shows an origin in the conversation */
export function createOriginCheck(
  within: Trace["within"],
): (text: string, scope: Pick<RecordScope, "isOwn">) => boolean {
  if (within === undefined) return () => false;
  const mark = `"conversation":${JSON.stringify(within.name)}`;
  // Another owner can have a conversation with the same name.
  return (text, { isOwn }) => text.includes(mark) && (isOwn || within.shared.some((id) => text.includes(id)));
}
