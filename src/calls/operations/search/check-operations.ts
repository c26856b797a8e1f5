// Owns creating, listing and deleting checks.

import { Type } from "@sinclair/typebox";
import { checksMax } from "../../../memory/limits.ts";
import {
  checkFields,
  checkId,
  checkView,
  exampleCheck,
  toCheckView,
  withinDefault,
} from "../../../memory/search/check.ts";
import { toTagFilter } from "../../../memory/tags.ts";
import { Refusal } from "../../../platform/errors.ts";
import { toId } from "../../../platform/ids.ts";
import { Fields } from "../../../platform/schema/schema.ts";
import { projectOperation } from "../../contract/operation.ts";
import { requireMemory } from "../memories/read.ts";

const { id: exampleId, created_at: _, memory: __, ...exampleInput } = exampleCheck;

export const createCheck = projectOperation({
  name: "check.create",
  summary: "Save a search as a check",
  description: `Saves a search with the memory that must be among its first results. check.run performs all checks of the project. A project can have ${checksMax} checks.`,
  effects: { readOnly: false, destructive: false, idempotent: false },
  permission: "memory.write",
  forSubjects: true,
  feature: "memory",
  refusals: [2100, 2107],
  success: 201,
  input: Fields(checkFields),
  output: checkView,
  example: { input: exampleInput, data: exampleCheck },

  async apply(transaction, input, _prepared, { caller: { owner }, now }) {
    const memory = await requireMemory(transaction, owner, input.expected_memory_id);
    if ((await transaction.checks.count(owner)) >= checksMax) {
      const message = `The project has ${checksMax} checks already. Delete one that is not needed any more.`;
      throw new Refusal(2107, message, { check_limit: checksMax });
    }
    const check = await transaction.checks.insert(owner, {
      search: {
        query: input.query,
        mode: input.mode ?? "hybrid",
        type: input.memory_type ?? null,
        tags: toTagFilter(input.tags, input.tags_match),
        minSimilarity: input.min_similarity ?? 0,
      },
      memoryId: memory.id,
      within: input.within ?? withinDefault,
      createdAt: now,
    });
    return { data: toCheckView(check, memory) };
  },
});

export const listChecks = projectOperation({
  name: "check.list",
  summary: "List checks",
  description: "Returns all checks of the project, oldest first, each with the memory that it expects.",
  effects: { readOnly: true, destructive: false, idempotent: true },
  permission: "memory.read",
  forSubjects: true,
  feature: "memory",
  input: Fields({}),
  output: Fields({ checks: Type.Array(checkView) }, { title: "CheckList" }),
  example: { input: {}, data: { checks: [exampleCheck] } },

  async prepare(_input, { store, caller }) {
    const checks = await store.checks.list(caller.owner);
    const views = checks.map(async (check) => {
      const found = await store.memories.find(caller.owner, check.memoryId);
      return toCheckView(check, found?.memory ?? null);
    });
    return { precomputed: { data: { checks: await Promise.all(views) } }, prepared: null };
  },
});

export const deleteCheck = projectOperation({
  name: "check.delete",
  summary: "Delete a check",
  description: "Permanently deletes one check of the project. Memories stay as they are.",
  effects: { readOnly: false, destructive: true, idempotent: true },
  permission: "memory.write",
  forSubjects: true,
  feature: "memory",
  refusals: [2105],
  success: 204,
  input: Fields({ check_id: checkId }),
  output: null,
  example: { input: { check_id: exampleId }, data: null },

  async apply(transaction, { check_id }, _prepared, { caller: { owner } }) {
    const id = toId(check_id);
    if (id !== null && (await transaction.checks.remove(owner, id))) return { data: null };
    throw new Refusal(2105, "The check does not exist in this project. List checks to find its id.");
  },
});
