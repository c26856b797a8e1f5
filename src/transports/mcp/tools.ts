// Owns the table of tools, in the order in which clients see them. Each is one operation under the names that assistants are used to.
// There is no tool that deletes all memories, and none for the ledger or administration. Each connection pays for the list with its context, so
// only those of keys with memory.propose see the tools for suggestions.

import { Type } from "@sinclair/typebox";
import { extractMemories } from "../../calls/operations/extraction/extract.ts";
import { createMemory } from "../../calls/operations/memories/create.ts";
import { deleteMemory } from "../../calls/operations/memories/delete.ts";
import { listMemories } from "../../calls/operations/memories/list.ts";
import { updateMemory } from "../../calls/operations/memories/update.ts";
import { injectMemories } from "../../calls/operations/search/inject.ts";
import { searchMemories } from "../../calls/operations/search/search.ts";
import { acceptSuggestion, refuseSuggestion } from "../../calls/operations/suggestions/decisions.ts";
import { listSuggestions } from "../../calls/operations/suggestions/list.ts";
import { proposeSuggestion } from "../../calls/operations/suggestions/propose.ts";
import { objectsIn } from "../../platform/json/json.ts";
import { Fields } from "../../platform/schema/schema.ts";
import { counted } from "../../platform/text/plural.ts";
import {
  describeItem,
  describeMemory,
  extractedItem,
  foundMemory,
  listedMemory,
  showFound,
  showItem,
  showListed,
} from "./memory-view.ts";
import { describeSuggestion, listedSuggestion, showSuggestion } from "./suggestion-view.ts";
import { namingSubject, type Tool, type ToolArgument } from "./tool.ts";

const id = { field: "memory_id" };
const suggestion = { field: "suggestion_id" };
const content = { field: "content" };
const type: ToolArgument = { field: "memory_type" };
const importance = { field: "importance" };
const expiresAt = { field: "expires_at" };
const tags = { field: "tags" };

/** What tools that change one memory answer. */
const changed = Fields({ status: Type.String(), id: Type.String() });
const describeChanged: Tool["describe"] = ({ status, id }) => `${status}, id ${id}`;

export const tools: readonly Tool[] = [
  {
    name: "memory_search",
    description:
      "Find memories by meaning and keywords, best first. The query can name a time, such as last May.",
    operation: searchMemories,
    arguments: { query: { field: "query" }, type, tags, top_k: { field: "top_k" } },
    fixed: { mode: "hybrid" },
    output: Fields({ results: Type.Array(foundMemory), reranked: Type.Optional(Type.Boolean()) }),
    present: ({ results, reranked }) => ({
      results: objectsIn(results).map(showFound),
      ...(reranked === undefined ? {} : { reranked }),
    }),
    describe: ({ results, reranked }) => {
      const found = objectsIn(results);
      if (found.length === 0) return "No memory was found.";
      const order = reranked === false ? "best first, not reranked" : "best first";
      return lines(`${counted(found.length, "memory", "memories")}, ${order}:`, found.map(describeMemory));
    },
  },
  {
    name: "memory_save",
    description: "Save one memory. One that has the same content already is not saved again.",
    operation: createMemory,
    arguments: {
      content: { ...content, description: "One sentence that can be understood alone." },
      type: {
        ...type,
        description: "rule: how to behave. fact: what is true. context: what is true for a limited time.",
      },
      importance,
      expires_at: expiresAt,
      tags,
    },
    output: changed,
    present: ({ id = null }) => ({ status: "created", id }),
    presentRefusal: ({ code }, { memory_id = null }) =>
      code === 2104 ? { status: "already known", id: memory_id } : null,
    describe: describeChanged,
  },
  {
    name: "memory_update",
    description: "Change the given fields of one memory.",
    operation: updateMemory,
    arguments: {
      id,
      content,
      type,
      importance,
      expires_at: { ...expiresAt, description: "null: never" },
      tags: { ...tags, description: "Replace all tags." },
      is_active: { field: "is_active", description: "false: ignored by searches and prompts" },
    },
    output: changed,
    present: ({ id = null }) => ({ status: "updated", id }),
    describe: describeChanged,
  },
  {
    name: "memory_delete",
    description: "Delete one memory permanently.",
    operation: deleteMemory,
    arguments: { id },
    output: changed,
    present: (_, { id = null }) => ({ status: "deleted", id }),
    describe: describeChanged,
  },
  {
    name: "memory_list",
    description: "List all memories, newest first, 20 on a page.",
    operation: listMemories,
    arguments: { type, tags: { field: "tag" }, page: { field: "page" } },
    output: Fields({
      memories: Type.Array(listedMemory),
      page: Type.Integer(),
      total_pages: Type.Integer(),
      total: Type.Integer(),
    }),
    present: ({ memories, pagination }) => {
      const [{ page = 1, total_pages = 0, total = 0 } = {}] = objectsIn([pagination ?? null]);
      return { memories: objectsIn(memories).map(showListed), page, total_pages, total };
    },
    describe: ({ memories, page, total_pages, total }) =>
      lines(
        `Page ${page} of ${total_pages}, memories in all: ${total}`,
        objectsIn(memories).map(describeMemory),
      ),
  },
  {
    name: "memory_context",
    description:
      "Get the rules and the memories for a task as one text. Without a query: the most important and recent ones.",
    operation: injectMemories,
    arguments: { query: { field: "query" }, tags, max_characters: { field: "max_characters" } },
    output: Fields({ prompt: Type.String(), omitted: Type.Optional(Type.Integer()) }),
    present: ({ prompt = "", omitted }) => ({ prompt, ...(Number(omitted) > 0 ? { omitted } : {}) }),
    describe: ({ prompt, omitted }) => {
      const missing = omitted === undefined ? "No memory was found." : "No memory fits into max_characters.";
      const notes = omitted === undefined ? [] : [`omitted because of max_characters: ${omitted}`];
      return lines(prompt === "" ? missing : String(prompt), notes);
    },
  },
  {
    name: "memory_extract",
    description: "Find what a text or transcript says that should be remembered, and save it.",
    operation: extractMemories,
    arguments: {
      text: { field: "text", isRequired: true },
      tags,
      detail: { field: "detail", description: "full: everything, to answer questions about it later." },
      dry_run: { field: "dry_run", description: "Show what would be saved, and save nothing." },
    },
    output: Fields({ items: Type.Array(extractedItem) }),
    present: ({ extracted, redacted }, { dry_run }) => ({
      items: objectsIn(extracted).map(showItem),
      ...(dry_run === true ? { dry_run } : {}),
      ...(redacted === undefined ? {} : { redacted }),
    }),
    describe: ({ items, dry_run, redacted }) => {
      const found = objectsIn(items);
      return lines(
        `${counted(found.length, "item")}${dry_run === true ? "; dry_run true: nothing was saved" : ""}`,
        [
          ...found.map(describeItem),
          ...(redacted === undefined
            ? []
            : [`redacted, because it looks like a secret: ${JSON.stringify(redacted)}`]),
        ],
      );
    },
  },
  {
    name: "memory_propose",
    description: "Propose a change of memories. A person decides whether it is made.",
    operation: proposeSuggestion,
    arguments: {
      kind: { field: "kind" },
      id,
      content,
      type,
      importance,
      expires_at: expiresAt,
      tags,
      reason: { field: "reason" },
    },
    output: changed,
    present: ({ id = null }) => ({ status: "proposed", id }),
    describe: describeChanged,
  },
  {
    name: "suggestion_list",
    description: "List changes of memories that wait for a decision, newest first.",
    operation: listSuggestions,
    listedWith: proposeSuggestion,
    arguments: { kind: { field: "kind" }, cursor: { field: "cursor" } },
    output: Fields({
      suggestions: Type.Array(listedSuggestion),
      next_cursor: Type.Optional(Type.String()),
    }),
    present: ({ suggestions, next_cursor = null }) => ({
      suggestions: objectsIn(suggestions).map(showSuggestion),
      ...(next_cursor === null ? {} : { next_cursor }),
    }),
    describe: ({ suggestions, next_cursor }) =>
      lines(counted(objectsIn(suggestions).length, "suggestion"), [
        ...objectsIn(suggestions).map(describeSuggestion),
        ...(next_cursor === undefined ? [] : [`next_cursor: ${next_cursor}`]),
      ]),
  },
  {
    name: "suggestion_accept",
    description: "Make a suggested change. Only if the user wants it.",
    operation: acceptSuggestion,
    listedWith: proposeSuggestion,
    arguments: { id: suggestion, content: { ...content, description: "Another text instead." } },
    output: changed,
    present: ({ id = null }) => ({ status: "accepted", id }),
    describe: describeChanged,
  },
  {
    name: "suggestion_refuse",
    description: "Remove a suggestion. Memories stay as they are.",
    operation: refuseSuggestion,
    listedWith: proposeSuggestion,
    arguments: { id: suggestion },
    output: changed,
    present: ({ id = null }) => ({ status: "refused", id }),
    describe: describeChanged,
  },
];

/** The same for a connection whose calls have to name their subject. */
export const toolsNamingSubject = tools.map(namingSubject);

function lines(first: string, rest: readonly string[]): string {
  return [first, ...rest].join("\n");
}
