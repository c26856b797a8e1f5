// Owns the table of tools, in the order in which clients see them. Each is one operation under the names that assistants are used to.
// There is no tool that deletes all memories, and none for the ledger or administration.

import { Type } from "@sinclair/typebox";
import type { Json } from "../../json/json.ts";
import { createMemory } from "../../memory/create.ts";
import { searchMemories } from "../../memory/search.ts";
import { Fields } from "../../schema/schema.ts";
import { counted } from "../../text/plural.ts";
import { describeMemory, foundMemory, objectsOf, showMemory } from "./memory-view.ts";
import type { Tool } from "./tool.ts";

const type = { field: "memory_type" };
const saved = Fields({ status: Type.String(), id: Type.String() });

export const tools: readonly Tool[] = [
  {
    name: "memory_search",
    description: "Find memories by meaning and keywords, best first.",
    operation: searchMemories,
    arguments: { query: { field: "query" }, type, top_k: { field: "top_k" } },
    fixed: { mode: "hybrid" },
    output: Fields({ results: Type.Array(foundMemory) }),
    present: ({ results }) => ({
      results: objectsOf(results).map(({ memory, final_score = null }) => ({
        ...showMemory(memory),
        score: rounded(final_score),
      })),
    }),
    describe: ({ results }) => {
      const found = objectsOf(results);
      if (found.length === 0) return "No memory was found.";
      return [
        `${counted(found.length, "memory", "memories")}, best first:`,
        ...found.map(describeMemory),
      ].join("\n");
    },
  },
  {
    name: "memory_save",
    description: "Save one memory. A memory with the same content is not saved twice.",
    operation: createMemory,
    arguments: {
      content: { field: "content" },
      type: { ...type, description: "rule: how to behave; fact: what is true; context: true for a time" },
      importance: { field: "importance" },
      expires_at: { field: "expires_at" },
    },
    output: saved,
    present: ({ id = null }) => ({ status: "created", id }),
    presentRefusal: ({ code }, { memory_id = null }) =>
      code === 2104 ? { status: "already known", id: memory_id } : null,
    describe: ({ status, id }) => `${status}: the memory has the id ${id}.`,
  },
];

const byName = new Map(tools.map((tool) => [tool.name, tool]));

export function findTool(name: string): Tool | undefined {
  return byName.get(name);
}

/** Scores are compared by a reader, not by a program. */
function rounded(score: Json): Json {
  return typeof score === "number" ? Number(score.toFixed(3)) : score;
}
