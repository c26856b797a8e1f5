// Owns how the address of the lab says what is asked for, and how a check is opened: by the address that asks what the check asks.

import type { Check, CheckResult } from "../../../../clients/typescript/src/index.ts";
import { type Draft, useDraft } from "../../drafts.ts";
import { shownSubject } from "../../location.ts";
import { useProject } from "../../project.ts";

/** Numbers of hits that the lab offers. */
export const counts = {
  "3": "First 3",
  "5": "First 5",
  "10": "First 10",
  "20": "First 20",
  "50": "First 50",
};
export const countDefault = 10;
/** Longer queries are kept in this tab, not in the address. */
const addressMaxCharacters = 500;

/** The query in the address; `long` says that it is a draft of this tab. */
export function toAddress(query: string) {
  return query.length > addressMaxCharacters ? { q: null, long: "1" } : { q: query, long: null };
}

/** The long query of a project or a subject. */
export function useLongQuery(): Draft<string> {
  const { owner } = useProject();
  return useDraft<string>(`search.${owner}`, "", (value) => typeof value === "string");
}

/** @param result of the last run; null: it was not performed. So many hits are asked for that the memory is among them, if it is found */
export function addressOf(check: Check, result: CheckResult | null): URLSearchParams {
  const needed = Math.max(check.within ?? 0, result?.position ?? 0, countDefault);
  const count = Object.keys(counts).find((each) => Number(each) >= needed) ?? "50";
  const { query, memory_type = "", tags = [], tags_match = "", min_similarity = "" } = check;
  const { q, long } = toAddress(query);
  const address = new URLSearchParams({ expects: check.expected_memory_id });
  for (const tag of tags) address.append("tag", tag);
  const rest = {
    subject: shownSubject() ?? "",
    q: q ?? "",
    long: long ?? "",
    type: memory_type,
    match: tags_match === "any" ? tags_match : "",
    floor: String(min_similarity),
    count: count === String(countDefault) ? "" : count,
  };
  for (const [name, value] of Object.entries(rest)) if (value !== "") address.set(name, value);
  return address;
}
