// Owns what can be changed of a memory, alone and as an item of a batch: the schema, and the memory that follows. Reads and stores nothing.

import { type Static, Type } from "@sinclair/typebox";
import { content, type Memory, memoryId, memoryType } from "../../../memory/memory.ts";
import { Tags, toTags } from "../../../memory/tags.ts";
import { importanceField, readValues, valueFields } from "../../../memory/values.ts";
import { fieldRefusal, Refusal } from "../../../platform/errors.ts";
import { isObject } from "../../../platform/json/json.ts";
import { tagsMax } from "../../../platform/limits.ts";
import { atLeastOne, createParser, Fields, Flag, notTogether } from "../../../platform/schema/schema.ts";
import { activity, ifUpdatedAt, readOnlyFields, wording } from "./change.ts";

/** Of one memory. */
export const changes = {
  content: Type.Optional(content),
  memory_type: Type.Optional(memoryType),
  importance: importanceField,
  is_active: Flag("If false, search and injection ignore the memory."),
  ...valueFields({
    tags: "Replaces all tags of the memory; [] removes them.",
    metadata: "Replaces the metadata of the memory; null removes it.",
  }),
};

const { metadata, ...changesBesides } = changes;
const itemChanges = {
  ...changesBesides,
  tags: Type.Optional(
    Tags(
      "Replaces all tags of the memory; [] removes them. Cannot be combined with add_tags and remove_tags.",
    ),
  ),
  add_tags: Type.Optional(Tags("Tags that the memory gets besides those that it has.")),
  remove_tags: Type.Optional(Tags("Tags that the memory loses, if it has them.")),
  metadata,
};

export const updateItem = Fields(
  { memory_id: memoryId, ...itemChanges, ...readOnlyFields, if_updated_at: ifUpdatedAt },
  {
    title: "UpdateItem",
    description: "A change of a memory; at least one field besides memory_id and if_updated_at.",
    ...atLeastOne(Object.keys(itemChanges)),
    allOf: [notTogether("tags", "add_tags"), notTogether("tags", "remove_tags")],
  },
);
export type UpdateItem = Static<typeof updateItem>;

const parse = createParser(updateItem);

/** @throws Refusal 1400 that names the field */
export function readUpdateItem(value: unknown): UpdateItem {
  if (!isObject(value)) {
    const reason = "must be a JSON object";
    throw new Refusal(1400, "The item must be a JSON object.", { field: "", reason });
  }
  const item: UpdateItem = parse(value);
  requireChange("item", item, itemChanges);
  if (item.tags !== undefined && (item.add_tags !== undefined || item.remove_tags !== undefined)) {
    const reason = "cannot be combined with add_tags and remove_tags";
    throw new Refusal(1400, 'Send either "tags" or "add_tags" and "remove_tags", not both.', {
      field: "tags",
      reason,
    });
  }
  return item;
}

/** @throws Refusal 1400 when none of the fields is given */
export function requireChange(what: "request" | "item", given: object, fields: object): void {
  if (Object.keys(given).some((name) => Object.hasOwn(fields, name))) return;
  const names = Object.keys(fields).join(", ");
  throw new Refusal(1400, `The ${what} changes nothing. Send at least one of ${names}.`, {
    reason: "at least one field is required",
  });
}

/** The memory after the change, without a new `updatedAt`. @throws Refusal 1400 when its tags or its metadata would exceed a limit */
export function changed(before: Memory, item: UpdateItem): Memory {
  return {
    ...before,
    ...wording(before, item),
    ...readValues(item, before),
    ...activity(before, item.is_active),
    tags: changedTags(before, item),
  };
}

/** Tags are removed first, so that a full set can exchange one. */
function changedTags(
  { tags: previous }: Memory,
  { tags, add_tags, remove_tags }: UpdateItem,
): readonly string[] {
  if (tags !== undefined) return toTags(tags);
  if (add_tags === undefined && remove_tags === undefined) return previous;
  const removed = new Set(toTags(remove_tags ?? []));
  const joined = toTags([...previous.filter((tag) => !removed.has(tag)), ...(add_tags ?? [])]);
  if (joined.length <= tagsMax) return joined;
  const reason = `would give the memory ${joined.length} tags; it can have ${tagsMax}`;
  throw fieldRefusal("add_tags", reason, "Remove tags in the same item");
}
