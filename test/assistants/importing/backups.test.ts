// Tests the backups of other programs, in the form in which each program writes them: texts, owners, dates, expiry, and what is left out.

import { expect, test } from "bun:test";
import type { Entry } from "../../../src/assistants/importing/entry.ts";
import { detectFormat, type FormatName, formats } from "../../../src/assistants/importing/formats/formats.ts";
import { openStream } from "../../../src/assistants/importing/source.ts";

async function* chunksOf(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const open = (text: string, size = 1_000_000) => openStream(chunksOf(text, size), "backup");
const read = async (format: FormatName, text: string, size?: number): Promise<Entry[]> =>
  Array.fromAsync(formats[format].read(await open(text, size)));
const lines = (...values: readonly object[]) => values.map((value) => `${JSON.stringify(value)}\n`).join("");
const pretty = (value: object) => JSON.stringify(value, null, 2);
const saidAt = (said_at: string) => [{ said_at }];

const serviceMemory = {
  content: "Releases go out on Tuesdays.",
  content_hash: "5f0c6d2a",
  tags: ["release", "team"],
  created_at: 1714128000.25,
  updated_at: 1714128000.25,
  memory_type: "decision",
  metadata: { source: "cli" },
  export_source: "laptop",
};
const serviceEntry = {
  memory: {
    content: "Releases go out on Tuesdays.",
    tags: ["release", "team", "decision"],
    source_id: "mcp-memory-service:5f0c6d2a",
    metadata: { source: "cli" },
    origins: saidAt("2024-04-26T10:40:00.250Z"),
  },
};
const openMemoryExport = {
  user: { id: "6b1d", user_id: "ada", name: "Ada", email: null, metadata: {}, created_at: null },
  apps: [{ id: "a1", owner_id: "6b1d", name: "cursor", metadata: {}, is_active: true }],
  categories: [{ id: "c1", name: "work", description: null }],
  memories: [
    {
      id: "m1",
      user_id: "6b1d",
      app_id: "a1",
      content: "Ada works in Porto.",
      metadata: {},
      state: "active",
      created_at: "2025-05-01T08:00:00+00:00",
      category_ids: ["c1"],
    },
    {
      id: "m2",
      app_id: null,
      content: "Ada paused this.",
      metadata: null,
      state: "paused",
      category_ids: [],
    },
    { id: "m3", app_id: "a1", content: "Ada deleted this.", state: "deleted", category_ids: [] },
  ],
  memory_categories: [{ memory_id: "m1", category_id: "c1" }],
  status_history: [{ id: "h1", memory_id: "m3", old_state: "active", new_state: "deleted" }],
  access_controls: [],
  export_meta: { version: "1" },
};
const agentFile = {
  agents: [
    { id: "agent-0", name: "Sam", messages: [{ role: "user", content: "hi" }], block_ids: ["block-0"] },
  ],
  groups: [],
  blocks: [
    { id: "block-0", label: "human", value: "Name: Ada\n\n## Habits\n- Drinks tea", limit: 5000 },
    { id: "block-1", label: "notes", value: " ", limit: 5000 },
  ],
  files: [],
  sources: [],
  tools: [{ id: "tool-0", name: "send_message", source_code: "x" }],
  mcp_servers: [],
  metadata: { revision_id: "1" },
};
const passage = {
  id: "passage-17",
  text: "Ada prefers trains.",
  archive_id: "archive-1",
  agent_id: "agent-9",
  tags: ["travel"],
  metadata: {},
  embedding: [0.1, 0.2],
  embedding_config: { embedding_model: "m" },
  created_at: "2025-02-03T04:05:06Z",
  is_deleted: false,
};
const edge = {
  uuid: "e1",
  name: "WORKS_AT",
  fact: "Ada works at Acme.",
  source_node_uuid: "n1",
  target_node_uuid: "n2",
  group_id: "team-1",
  created_at: "2025-01-02T00:00:00Z",
  valid_at: "2024-12-01T00:00:00Z",
  invalid_at: null,
  expired_at: null,
  episodes: ["p1"],
};
const episode = {
  uuid: "p1",
  content: "I work at Acme now.",
  role: "Ada",
  role_type: "user",
  source: "message",
  thread_id: "t1",
  user_id: "ada",
  created_at: "2025-01-02T00:00:00Z",
};
const item = {
  namespace: ["ada", "preferences"],
  key: "tea/1",
  value: { text: "Ada likes tea", score: 3, nested: { a: 1 } },
  created_at: "2025-06-01T10:00:00+02:00",
  updated_at: "2025-06-01T10:00:00+02:00",
};

const samples: Readonly<Record<string, readonly [FormatName, string, readonly object[]]>> = {
  "the export of mcp-memory-service": [
    "mcp-memory-service",
    pretty({ export_metadata: { source_machine: "laptop", filter_tags: ["a"] }, memories: [serviceMemory] }),
    [{ line: 9, ...serviceEntry }],
  ],
  "rows of the database of mcp-memory-service": [
    "mcp-memory-service",
    `[${JSON.stringify({ ...serviceMemory, id: 1, tags: "release,team", metadata: '{"source":"cli"}', deleted_at: null })},\n${JSON.stringify({ ...serviceMemory, deleted_at: 1714128001 })}]\n`,
    [
      { line: 1, ...serviceEntry },
      { line: 2, skipped: "is a memory that was deleted at its source" },
    ],
  ],
  "memories.json of OpenMemory": [
    "openmemory",
    pretty(openMemoryExport),
    [
      {
        memory: {
          content: "Ada works in Porto.",
          subject: "user:ada",
          tags: ["work", "app:cursor"],
          source_id: "openmemory:m1",
          origins: saidAt("2025-05-01T08:00:00.000Z"),
        },
      },
      { memory: { content: "Ada paused this.", subject: "user:ada", is_active: false } },
      { skipped: "is a memory that was deleted at its source" },
    ],
  ],
  "memories.jsonl of OpenMemory": [
    "openmemory",
    lines({
      id: "m1",
      content: "Ada works in Porto.",
      metadata: { a: 1 },
      created_at: "2025-05-01T08:00:00+00:00",
      state: "archived",
      app: "cursor",
      categories: ["work"],
    }),
    [{ line: 1, memory: { tags: ["work", "app:cursor"], is_active: false, metadata: { a: 1 } } }],
  ],
  "a page of the API of OpenMemory": [
    "openmemory",
    pretty({
      items: [
        {
          id: "m1",
          content: "A.",
          created_at: 1746086400,
          state: "active",
          app_name: "cursor",
          categories: [],
        },
      ],
      total: 1,
    }),
    [{ memory: { content: "A.", tags: ["app:cursor"], origins: saidAt("2025-05-01T08:00:00.000Z") } }],
  ],
  "blocks of Letta": [
    "letta",
    pretty([{ id: "block-1", label: "human", value: "Name: Ada", limit: 5000 }]),
    [{ memory: { content: "Name: Ada", lead: "human" } }],
  ],
  "an agent file of Letta": [
    "letta",
    pretty(agentFile),
    [
      { line: 3, skipped: 'begins "agents", which are no memories' },
      { memory: { content: "Name: Ada", lead: "human" } },
      { memory: { content: "Drinks tea", lead: "human / Habits" } },
      { skipped: 'is the block "notes" without a value' },
      { skipped: 'begins "tools", which are no memories' },
    ],
  ],
  "an agent file of Letta on one line": [
    "letta",
    JSON.stringify(agentFile),
    [{ skipped: /agents/ }, { memory: {} }, { memory: {} }, { skipped: /notes/ }, { skipped: /tools/ }],
  ],
  "an agent file of Letta in its first version": [
    "letta",
    pretty({
      agent_type: "memgpt_agent",
      core_memory: [{ created_at: "2025-02-03T04:05:06", label: "persona", value: "I am Sam.", limit: 2000 }],
      in_context_message_indices: [0, 1],
      messages: [{ role: "user", content: [{ type: "text", text: "hi" }] }],
    }),
    [
      {
        memory: { content: "I am Sam.", lead: "persona", origins: saidAt("2025-02-03T04:05:06.000Z") },
      },
      { skipped: 'begins "in_context_message_indices", which are no memories' },
      { skipped: 'begins "messages", which are no memories' },
    ],
  ],
  "passages of Letta": [
    "letta",
    pretty([passage, { ...passage, id: "passage-18", is_deleted: true }]),
    [
      {
        memory: {
          content: "Ada prefers trains.",
          tags: ["travel"],
          subject: "agent:agent-9",
          source_id: "letta:passage-17",
          origins: saidAt("2025-02-03T04:05:06.000Z"),
        },
      },
      { skipped: "is a passage that was deleted at its source" },
    ],
  ],
  "a graph of Zep": [
    "zep",
    pretty({
      edges: [
        edge,
        { ...edge, uuid: "e2", fact: "Ada works at Globex.", invalid_at: "2099-01-01T00:00:00Z" },
        { ...edge, uuid: "e3", fact: "Ada is a baker.", expired_at: "2025-03-01T00:00:00Z" },
      ],
      nodes: [
        { uuid: "n1", name: "Ada", summary: "Lives in Porto.", group_id: "", created_at: "2025-01-02" },
        { uuid: "n2", name: "Acme", summary: "" },
        { uuid: "n3" },
      ],
      episodes: [episode],
    }),
    [
      {
        memory: {
          content: "Ada works at Acme.",
          subject: "group:team-1",
          source_id: "zep:e1",
          origins: saidAt("2025-01-02T00:00:00.000Z"),
        },
      },
      { memory: { memory_type: "context", expires_at: "2099-01-01T00:00:00.000Z" } },
      { memory: { content: "Ada is a baker.", is_active: false } },
      { memory: { content: "Ada: Lives in Porto.", source_id: "zep:n1" } },
      { skipped: "is a node without a summary" },
      { fault: 'has no field "fact", "content" or "name"' },
      {
        memory: {
          content: "I work at Acme now.",
          memory_type: "context",
          subject: "user:ada",
          origins: [
            {
              conversation: "t1",
              message: "p1",
              role: "user",
              name: "Ada",
              said_at: "2025-01-02T00:00:00.000Z",
            },
          ],
        },
      },
    ],
  ],
  "items of a LangGraph store": [
    "langgraph",
    lines(item, { ...item, key: 7 }),
    [
      {
        line: 1,
        memory: {
          content: JSON.stringify(item.value),
          subject: "ada",
          metadata: { text: "Ada likes tea", score: 3, langgraph: "/preferences/tea%2F1" },
          source_id: "/preferences/tea%2F1",
          origins: saidAt("2025-06-01T08:00:00.000Z"),
        },
      },
      { line: 2, fault: 'is no item with a namespace, a "key" and an object as "value"' },
    ],
  ],
  "rows of the table of a LangGraph store": [
    "langgraph",
    lines({
      prefix: "ada.preferences",
      key: "k",
      value: JSON.stringify(item.value),
      created_at: "2025-06-01 08:00:00",
      expires_at: "2099-06-01 08:00:00.5+00",
      ttl_minutes: 5,
    }),
    [
      {
        memory: {
          subject: "ada",
          source_id: "/preferences/k",
          memory_type: "context",
          expires_at: "2099-06-01T08:00:00.500Z",
          origins: saidAt("2025-06-01T08:00:00.000Z"),
        },
      },
    ],
  ],
};

test.each(Object.entries(samples))("%s is detected and read, in chunks of any size", async (_, sample) => {
  const [format, text, entries] = sample;
  expect((await detectFormat(await open(text)))?.name).toBe(format);
  const found = await read(format, text);
  expect(found).toHaveLength(entries.length);
  for (const [at, wanted] of entries.entries()) {
    const { skipped, ...rest } = wanted as { skipped?: string | RegExp };
    const expected = skipped === undefined ? {} : { skipped: expect.stringMatching(skipped) };
    expect(found[at]).toMatchObject({ ...rest, ...expected });
  }
  for (const size of [1, 7]) expect(await read(format, text, size)).toEqual(found);
});

test.each(Object.entries(samples))(
  "%s that is cut off says so, and loses nothing in front of the cut",
  async (_, sample) => {
    const [format, text] = sample;
    const whole = await read(format, text);
    const found = await read(format, text.slice(0, Math.floor(text.length * 0.7)));
    const memories = (entries: readonly Entry[]) => entries.filter((each) => "memory" in each);
    const isEnded = found.some(
      (each) => "fault" in each && /does not end|not complete|not valid JSON/.test(each.fault),
    );
    expect(isEnded).toBe(true);
    expect(memories(whole).slice(0, memories(found).length)).toEqual(memories(found));
  },
);

test("a name of a member is that of its own array, however its strings are written", async () => {
  const text =
    '{\n"a\\"[": "memories", "x": {"memories": [{"n": 1}]}, "blocks" :\n [ {"label": "l", "value": "v]}"} ]\n}';
  expect(await read("letta", text)).toMatchObject([{ line: 3, memory: { content: "v]}", lead: "l" } }]);
});
