// Owns what accepting a suggestion changes, for people who decide and for the call that does it. Pure.

import { type Static, Type } from "@sinclair/typebox";
import { wordsInRow } from "../../../memory/extraction/content-similarity.ts";
import { content, type Memory, memoryType } from "../../../memory/memory.ts";
import type { Suggestion } from "../../../memory/suggestions/suggestion.ts";
import { importanceField, readValues, type Values, valueFields } from "../../../memory/values.ts";
import { fieldRefusal, Refusal } from "../../../platform/errors.ts";
import type { JsonObject } from "../../../platform/json/json.ts";
import { createParser, Fields, Flag } from "../../../platform/schema/schema.ts";
import { previousValues } from "../memories/change.ts";
import { changed } from "../memories/update-item.ts";

/** Values that a suggestion proposes, or that whoever accepts it gives instead. */
export const proposedFields = {
  content: Type.Optional(content),
  memory_type: Type.Optional(memoryType),
  importance: importanceField,
  ...valueFields({
    tags: "Tags of the memory; [] removes them.",
    metadata: "Metadata of the memory; null removes it.",
  }),
};
export const isActiveField = Flag("If false, search and injection ignore the memory.");

const proposedValues = Fields({ ...proposedFields, is_active: isActiveField });
export type ProposedValues = Static<typeof proposedValues>;
const parse = createParser(proposedValues);

export type NewValues = Pick<Memory, "content" | "type"> & Values;

export type PlannedChange =
  | { readonly change: "created"; readonly after: NewValues }
  /** `isReplaced`: by the memory that is created, if there is no other. */
  | {
      readonly change: "changed";
      readonly before: Memory;
      readonly after: Memory;
      readonly isReplaced?: true;
    }
  | { readonly change: "deleted"; readonly before: Memory };

export interface Acceptance {
  /** Given instead of the proposed values. */
  readonly values: ProposedValues;
  /** Whether the memory that stays says what both say. */
  readonly isMerged: boolean;
}

export const asProposed: Acceptance = { values: {}, isMerged: false };

/**
 * @param memories those that the suggestion concerns, as they are now
 * @throws Refusal 1400 when what was given means nothing for the suggestion
 */
export function plannedChanges(
  { kind, fields }: Pick<Suggestion, "kind" | "fields">,
  memories: readonly Memory[],
  { values, isMerged }: Acceptance,
): readonly PlannedChange[] {
  const proposed = { ...parse(fields ?? {}), ...values };
  const [first, newer] = memories;
  if (isMerged && (kind === "create" || kind === "change" || kind === "delete")) throw notMerged(kind);
  if (kind === "create") return [{ change: "created", after: newValues(proposed, null) }];
  if (first === undefined) throw new Error("a suggestion concerns no memory");
  switch (kind) {
    case "change":
      return [{ change: "changed", before: first, after: changedTo(first, proposed) }];
    case "delete": {
      const [given] = Object.keys(values);
      if (given !== undefined) throw fieldRefusal(given, "cannot be given for a deletion");
      return [{ change: "deleted", before: first }];
    }
    default: {
      const merged = isMerged && values.content === undefined;
      const text = merged ? { content: joined(first.content, newer?.content ?? proposed.content ?? "") } : {};
      return newer === undefined
        ? replacedByNew(first, { ...proposed, ...text })
        : replacedBy(first, newer, { ...values, ...text });
    }
  }
}

function replacedByNew(older: Memory, values: ProposedValues): readonly PlannedChange[] {
  return [
    { change: "created", after: newValues(values, older) },
    { change: "changed", before: older, after: { ...older, active: false }, isReplaced: true },
  ];
}

/** The older one is inactive first, so that the newer one can have its text. */
function replacedBy(older: Memory, newer: Memory, values: ProposedValues): readonly PlannedChange[] {
  const inactive = { ...older, active: false, supersededBy: newer.id };
  const after = changedTo(newer, values);
  const isChanged = Object.keys(previousValues(newer, after)).length > 0;
  return [
    { change: "changed", before: older, after: inactive, isReplaced: true },
    ...(isChanged ? [{ change: "changed", before: newer, after } as const] : []),
  ];
}

function changedTo(before: Memory, values: ProposedValues): Memory {
  return changed(before, { memory_id: before.id, ...values });
}

/** @param like the memory whose other values it has; null: it has the defaults */
function newValues(values: ProposedValues, like: Memory | null): NewValues {
  const { content, memory_type: type = like?.type } = values;
  if (content === undefined || type === undefined) {
    const field = content === undefined ? "content" : "memory_type";
    throw fieldRefusal(field, "is required");
  }
  return { content, type, ...readValues(values, like ?? undefined) };
}

/** What both texts say: the one that has the words of the other, or one after the other. */
function joined(one: string, other: string): string {
  if (wordsInRow(other).includes(wordsInRow(one))) return other;
  return wordsInRow(one).includes(wordsInRow(other)) ? one : `${one}\n${other}`;
}

/** The text that must be embedded; null: none. */
export function newContent(plan: readonly PlannedChange[]): string | null {
  for (const each of plan) {
    if (each.change === "created") return each.after.content;
    if (each.change === "changed" && each.before.content !== each.after.content) return each.after.content;
  }
  return null;
}

/** The values that a call proposes, as they are stored. @throws Refusal 1400 as the call that would change the memory */
export function toProposedFields(values: ProposedValues): JsonObject {
  readValues(values);
  return JSON.parse(JSON.stringify(values));
}

function notMerged(kind: string): Refusal {
  return new Refusal(
    1400,
    `A suggestion of the kind ${kind} has only one text, so there is nothing to merge. Accept it instead.`,
  );
}
