// Owns what a reader of CONTRIBUTING.md types: a field of a memory and an operation, as texts that go into files of src/ behind a place in
// them. Files that an edit does not find are new.

export interface Edit {
  /** Below src/. */
  readonly file: string;
  /** Null: the file is new. */
  readonly after: string | null;
  readonly text: string;
}

const memory = "memory/memory.ts";
const values = "memory/values.ts";
const row = "engines/sqlite/memories/memory-row.ts";

/** A whole number of a memory that callers give, change and remove. */
export const field: readonly Edit[] = [
  {
    file: memory,
    after: "  readonly metadata: JsonObject | null;\n",
    text: "  /** Null: it has none. */\n  readonly weight: number | null;\n",
  },
  {
    file: memory,
    after: "export type MemoryOrigin = (typeof memoryOrigins)[number];\n",
    text: 'export const weight = Type.Integer({ minimum: 0, description: "How much the memory weighs." });\n',
  },
  {
    file: memory,
    after: "    metadata: Type.Optional(metadata),\n",
    text: "    weight: Type.Optional(weight),\n",
  },
  {
    file: memory,
    after: "{ metadata: memory.metadata }),\n",
    text: "    ...(memory.weight === null ? {} : { weight: memory.weight }),\n",
  },
  { file: values, after: "importance, type Memory", text: ", weight" },
  { file: values, after: '"tags" | "metadata"', text: ' | "weight"' },
  { file: values, after: "  metadata: null,\n", text: "  weight: null,\n" },
  {
    file: values,
    after: "    metadata: NewMetadata(says.metadata),\n",
    text: "    weight: Type.Optional(Type.Union([weight, Type.Null()])),\n",
  },
  {
    file: values,
    after: "before.metadata : toMetadata(given.metadata),\n",
    text: "    weight: given.weight === undefined ? before.weight : given.weight,\n",
  },
  { file: values, after: "  tags,\n  metadata,\n", text: "  weight,\n" },
  { file: values, after: "tags: [...tags], metadata", text: ", weight" },
  { file: row, after: "JSON.stringify(metadata)),\n", text: "  weight: ({ weight }) => weight,\n" },
  { file: row, after: "JSON.parse(row.metadata) as JsonObject),\n", text: "    weight: row.weight,\n" },
  {
    file: "engines/sqlite/schema/migrations/0009-subjects.sql",
    after: "ALTER TABLE memory ADD COLUMN lead TEXT;\n",
    text: "-- weight: a whole number; NULL: none.\nALTER TABLE memory ADD COLUMN weight INTEGER;\n",
  },
];

const operations = "calls/operations.ts";
const store = "calls/storage/memory-store.ts";
const worker = "engines/sqlite/threads/reader-worker.ts";

/** A read of a project, with a query of its own. */
export const operation: readonly Edit[] = [
  {
    file: "calls/operations/memories/count-by-day.ts",
    after: null,
    text: `// Owns the number of memories of each day.

import { Type } from "@sinclair/typebox";
import { Count, Fields } from "../../../platform/schema/schema.ts";
import { projectOperation } from "../../contract/operation.ts";

export const countByDay = projectOperation({
  name: "memory.count_by_day",
  summary: "Count memories by day",
  description: "Returns how many memories were created on each day, in UTC.",
  effects: { readOnly: true, destructive: false, idempotent: true },
  permission: "memory.read",
  feature: "memory",
  input: Fields({}),
  output: Fields(
    {
      days: Type.Array(
        Fields({ day: Type.String({ description: "The date." }), count: Count("Memories.") }, { title: "DayCount" }),
      ),
    },
    { title: "DayCounts" },
  ),
  example: { input: {}, data: { days: [{ day: "2026-11-21", count: 3 }] } },

  async prepare(_input, { store, caller, signal }) {
    const days = await store.memories.countByDay(caller.owner, signal);
    return { precomputed: { data: { days: [...days] } }, prepared: null };
  },
});
`,
  },
  {
    file: operations,
    after: 'import { createMemories } from "./operations/memories/create-batch.ts";\n',
    text: 'import { countByDay } from "./operations/memories/count-by-day.ts";\n',
  },
  { file: operations, after: "  readMemoryStatistics,\n", text: "  countByDay,\n" },
  {
    file: "transports/http/routes.ts",
    after: '  ["GET", "/v1/memories/statistics", "memory.statistics"],\n',
    text: '  ["GET", "/v1/memories/days", "memory.count_by_day"],\n',
  },
  {
    file: store,
    after: "  statistics(owner: Owner, now: number, signal: AbortSignal): Promise<MemoryStatistics>;\n",
    text: "  countByDay(owner: Owner, signal: AbortSignal): Promise<readonly DayCount[]>;\n",
  },
  {
    file: store,
    after: "  readonly contentKey: Uint8Array;\n}\n",
    text: "\nexport interface DayCount {\n  readonly day: string;\n  readonly count: number;\n}\n",
  },
  {
    file: "engines/sqlite/memories/count-by-day.ts",
    after: null,
    text: `// Owns the SQL that counts memories by the day of their creation.

import type { DayCount } from "../../../calls/storage/memory-store.ts";
import type { Owner } from "../../../memory/owner.ts";
import type { Database } from "../../../platform/native/sqlite.ts";
import { ownerSerialsOf } from "../project-serials.ts";
import { aliveJoin } from "./memory-row.ts";

export function createDayCounts(database: Database): (owner: Owner) => readonly DayCount[] {
  const serialOf = ownerSerialsOf(database);
  const count = database.prepare<[number], DayCount>(
    \`SELECT date(m.created_at / 1000, 'unixepoch') AS day, COUNT(*) AS count
     FROM memory m \${aliveJoin} WHERE m.project = ? GROUP BY 1 ORDER BY 1\`,
  );
  return (owner) => count.all(serialOf(owner));
}
`,
  },
  {
    file: worker,
    after: 'import { createRecordsAbout } from "../ledger/records-about.ts";\n',
    text: 'import { createDayCounts } from "../memories/count-by-day.ts";\n',
  },
  {
    file: worker,
    after: "  countMemoriesOf: createMemoryStatistics(database),\n",
    text: "  countMemoriesByDay: createDayCounts(database),\n",
  },
  {
    file: "engines/sqlite/threads/reader.ts",
    after:
      '      listTags: (owner, query, signal) => ask(ofOwner(owner, signal), "listTags", owner, query),\n',
    text: '      countByDay: (owner, signal) => ask(ofOwner(owner, signal), "countMemoriesByDay", owner),\n',
  },
];
