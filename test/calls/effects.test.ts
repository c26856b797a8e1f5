// Holds every operation to what it says about its effects, by the tables of the database before and after.

import { afterAll, describe, expect, test } from "bun:test";
import { permissions } from "../../src/access/key.ts";
import type { Operation } from "../../src/calls/contract/operation.ts";
import { createExport } from "../../src/calls/operations/exports/create.ts";
import { readExport } from "../../src/calls/operations/exports/read.ts";
import { extractMemories } from "../../src/calls/operations/extraction/extract.ts";
import { createMemory } from "../../src/calls/operations/memories/create.ts";
import { createCheck } from "../../src/calls/operations/search/check-operations.ts";
import { proposeSuggestion } from "../../src/calls/operations/suggestions/propose.ts";
import { installationOperations, projectOperations } from "../../src/calls/operations.ts";
import { unknownOrigin } from "../../src/memory/origin.ts";
import { isObject, type JsonObject } from "../../src/platform/json/json.ts";
import { openDatabase } from "../../src/platform/native/sqlite.ts";
import { newSecret, openCalls, openClient, recordsOf } from "./in-process.ts";
import { neverAborted, openSeam, runtime } from "./storage/seam.ts";

const item = { content: "Ana moved to Porto.", evidence: "Ana moved to Porto.", type: "fact" as const };
const seam = await openSeam();
const perform = openCalls(seam, {
  extractors: {
    builtIn: {
      name: "built-in",
      extract: async ({ conversation }) => ({
        items: [{ ...item, importance: 0.5, expiresAt: null, origin: { ...unknownOrigin, conversation } }],
        model: null,
        usage: null,
      }),
    },
    languageModel: null,
    passagesLastMs: null,
  },
});
seam.store.exports.start();
afterAll(() => seam.close());

const operations: readonly Operation[] = [...projectOperations, ...installationOperations];

/** What a call can name: a project with a memory, two keys, an administration key, an export that is completed, and records. */
interface World {
  readonly project: string;
  readonly key: string;
  readonly administration_key: string;
  readonly memory_id: string;
  readonly export_id: string;
  readonly audit_id: string;
  readonly check_id: string;
  readonly suggestion_id: string;
  perform(operation: Operation, fields: JsonObject): Promise<number>;
}

const span = { start_time: "2020-01-01", end_time: "2099-01-01" };

async function openWorld(): Promise<World> {
  const member = await seam.project();
  const send = openClient(perform, await newSecret(seam, member, permissions));
  const idOf = (data: unknown, name: string) => (isObject(data) ? String(data[name]) : "");
  const memory = await send(createMemory, { content: `A fact about ${member.id}.`, memory_type: "fact" });
  const begun = await send(createExport, span);
  const export_id = idOf(begun.data, "export_id");
  while (idOf((await send(readExport, { export_id })).data, "status") === "processing") await Bun.sleep(10);
  const memory_id = idOf(memory.data, "id");
  await send(extractMemories, { text: "We meet at the mill.", conversation: "chat-1", detail: "verbatim" });
  const saved = await send(createCheck, { query: "fact", expected_memory_id: memory_id });
  const proposed = await send(proposeSuggestion, { kind: "replace", memory_id, content: "Another fact." });
  const [record] = await recordsOf(seam, member);
  const administration = await seam.administer("administration_key.create", { name: "server" });
  const other = await seam.administer("key.create", { project: member.id, permissions: ["memory.read"] });
  return {
    project: member.id,
    key: String(other.data.id),
    administration_key: String(administration.data.id),
    memory_id,
    check_id: idOf(saved.data, "id"),
    suggestion_id: idOf(proposed.data, "id"),
    export_id,
    audit_id: String(record?.entry.id),
    async perform(operation, fields) {
      if (operation.scope === "project") return (await send(operation, fields)).code;
      const { answer } = await perform(operation, {
        credentials: { kind: "administration", administrator: { osUid: null, osUser: null, sudoUser: null } },
        input: { kind: "object", fields },
        origin: { transport: "cli", ip: null, userAgent: null, client: null, metadata: null },
        signal: neverAborted,
      });
      return answer.code;
    },
  };
}

/** An input with which the operation succeeds. */
const inputs: Readonly<Record<string, (world: World) => JsonObject>> = {
  "memory.create": () => ({ content: "Something new.", memory_type: "fact" }),
  "memory.create_batch": () => ({
    memories: [{ content: "Something new in a batch.", memory_type: "fact", source_id: crypto.randomUUID() }],
  }),
  "memory.list": () => ({}),
  "memory.tags": () => ({}),
  "memory.statistics": () => ({}),
  "memory.history": ({ memory_id }) => ({ memory_id, include: "uses" }),
  "memory.export": () => ({ include_vectors: true }),
  "memory.read": ({ memory_id }) => ({ memory_id }),
  "memory.put": () => ({
    source_id: "wiki:new",
    content: "Something new at its source.",
    memory_type: "fact",
  }),
  "memory.update": ({ memory_id }) => ({ memory_id, content: "Something else.", importance: 1 }),
  "memory.update_batch": ({ memory_id }) => ({ memories: [{ memory_id, importance: 1 }] }),
  "memory.delete_batch": ({ memory_id }) => ({ memory_ids: [memory_id] }),
  "memory.delete": ({ memory_id }) => ({ memory_id }),
  "memory.delete_all": () => ({}),
  "memory.search": () => ({ query: "fact", mode: "hybrid" }),
  "memory.inject": () => ({ query: "fact" }),
  "memory.extract": () => ({ text: item.content }),
  "conversation.list": () => ({}),
  "conversation.read": () => ({ conversation: "chat-1" }),
  "conversation.erase": () => ({ conversation: "chat-1" }),
  "subject.list": () => ({}),
  "subject.export": () => ({ subject: "user:1" }),
  "subject.erase": () => ({ subject: "user:1" }),
  "check.create": ({ memory_id }) => ({ query: "fact", expected_memory_id: memory_id }),
  "check.list": () => ({}),
  "check.delete": ({ check_id }) => ({ check_id }),
  "check.run": () => ({}),
  "suggestion.create": ({ memory_id }) => ({ kind: "delete", memory_id }),
  "suggestion.list": () => ({}),
  "suggestion.read": ({ suggestion_id }) => ({ suggestion_id }),
  "suggestion.accept": ({ suggestion_id }) => ({ suggestion_id }),
  "suggestion.merge": ({ suggestion_id }) => ({ suggestion_id }),
  "suggestion.refuse": ({ suggestion_id }) => ({ suggestion_id }),
  "suggestion.accept_batch": ({ suggestion_id }) => ({ suggestion_ids: [suggestion_id] }),
  "suggestion.refuse_batch": ({ suggestion_id }) => ({ suggestion_ids: [suggestion_id] }),
  "audit.list": () => ({}),
  "audit.read": ({ audit_id }) => ({ audit_id }),
  "audit.append": () => ({ action: "gateway.chat", http_status: 200 }),
  "audit.statistics": () => ({}),
  "audit.checkpoint": () => ({}),
  "audit.checkpoint_list": () => ({}),
  "audit.proof": ({ audit_id }) => ({ audit_id }),
  "audit.receipt": ({ audit_id }) => ({ audit_id }),
  "audit.consistency": () => ({ from: 1, to: 2 }),
  "audit.verify": () => ({}),
  "audit.export": () => span,
  "audit.export_list": () => ({}),
  "audit.export_status": ({ export_id }) => ({ export_id }),
  "audit.export_download": ({ export_id }) => ({ export_id }),
  "audit.export_manifest": ({ export_id }) => ({ export_id }),
  "key.issue": () => ({ subject: "user:1" }),
  "key.revoke_issued": () => ({}),
  "project.create": () => ({ name: crypto.randomUUID() }),
  "project.list": () => ({}),
  "project.show": ({ project }) => ({ project }),
  "project.update": ({ project }) => ({ project, credits: 7 }),
  "project.preview_retention": ({ project }) => ({ project, plan: "free" }),
  "project.delete": ({ project }) => ({ project }),
  "project.export": ({ project }) => ({ project, ...span }),
  "project.erase_conversation": ({ project }) => ({ project, conversation: "chat-1" }),
  "key.create": ({ project }) => ({ project, permissions: ["memory.read"] }),
  "key.list": ({ project }) => ({ project }),
  "key.update": ({ key }) => ({ key, gateway: { memory: false } }),
  "key.revoke": ({ key }) => ({ key }),
  "administration_key.create": () => ({ name: "server" }),
  "administration_key.list": () => ({}),
  "administration_key.revoke": ({ administration_key }) => ({ key: administration_key }),
  "plan.list": () => ({}),
  "key.local": ({ project }) => ({ project }),
  "key.console": ({ project }) => ({ project }),
  "session.link": () => ({}),
  "session.list": () => ({}),
  "session.revoke": () => ({ all: true }),
  "audit.attest": () => ({}),
  "audit.list_chain": ({ project }) => ({ project }),
  "audit.show_record": ({ audit_id }) => ({ record: audit_id }),
  "audit.show_receipt": ({ audit_id }) => ({ record: audit_id }),
  "audit.trace": ({ memory_id }) => ({ memory: memory_id }),
  "audit.redact": ({ memory_id }) => ({ memory: memory_id, delete_memory: true }),
  "audit.report": () => ({ start_time: "2001-01-01", end_time: "2099-01-01" }),
  "audit.prune": () => ({}),
  "audit.accept": () => ({}),
  "subject.repeat_erasure": ({ project, audit_id }) => ({ project, subject: audit_id, record: audit_id }),
  "backup.create": () => ({ file: "/backups/b.tar.zst", includes_signing_key: false }),
};

/**
 * Their effects are tested where a server can be stopped and started, test/cli/rotate-key and test/cli/lost-database, where there is a time stamp
 * authority, test/cli/time-stamp, and with a second model, test/storage/conformance/models and test/calls/operations/model-change. Those of the gateway need a client that takes the answer and an upstream:
 * test/calls/exchange and test/gateway.
 */
const elsewhere = [
  "audit.rotate_key",
  "audit.restore",
  "audit.timestamp",
  "doctor.fix",
  "model.begin_change",
  "model.change",
  "model.cancel_change",
  "gateway.chat",
  "gateway.responses",
  "gateway.messages",
  "gateway.count_tokens",
  "gateway.embeddings",
  "gateway.models",
];

/** Records of calls with the pseudonyms that they name, times of last use, and what the server does in the background: signing checkpoints, merging the word index. */
const isLeftOut = (table: string) =>
  /^(audit_(entry|payload|checkpoint|pseudonym)|memory_word.*|sqlite_.*)$/.test(table);
/** Every record has the seal of its chain changed. */
const isNoSeal = ({ name }: Record<string, unknown>) => !String(name).startsWith("head/");
const leftOutColumns = new Set(["last_accessed_at", "last_used_at"]);
/** A change to what is there already has a time and a revision of its own. */
const changeColumns = new Set([...leftOutColumns, "updated_at", "revision", "content_revision"]);

async function readTables(without: ReadonlySet<string> = leftOutColumns): Promise<Record<string, unknown>> {
  const database = openDatabase(seam.path, runtime, { readonly: true });
  try {
    // What was deleted is removed in the background.
    const dead = database.prepare("SELECT COUNT(*) FROM dead_pool").pluck();
    while (Number(dead.get()) > 0) await Bun.sleep(10);
    const names = database
      .prepare<[], string>("SELECT name FROM sqlite_master WHERE type = 'table'")
      .pluck()
      .all();
    const rowsOf = (table: string) =>
      database.prepare<[], Record<string, unknown>>(`SELECT * FROM ${table}`).all();
    return Object.fromEntries(
      names
        .filter((name) => !isLeftOut(name))
        .map((name) => [
          name,
          rowsOf(name)
            .filter(isNoSeal)
            .map((row) => Object.fromEntries(Object.entries(row).filter(([column]) => !without.has(column)))),
        ]),
    );
  } finally {
    database.close();
  }
}

test("every operation has an input here, or is tested elsewhere", () => {
  const names = operations.map(({ name }) => name);
  expect([...Object.keys(inputs), ...elsewhere].toSorted()).toEqual(names.toSorted());
});

test.each(operations)("$name says what it does, without a contradiction", ({ effects }) => {
  const { readOnly, destructive, idempotent } = effects;
  expect([readOnly, destructive, idempotent].map((hint) => typeof hint)).toEqual(Array(3).fill("boolean"));
  if (readOnly) expect({ destructive, idempotent }).toEqual({ destructive: false, idempotent: true });
});

const tested = operations.filter(({ name }) => !elsewhere.includes(name));

describe("operations that are read-only change nothing", async () => {
  const world = await openWorld();

  test.each(tested.filter(({ effects }) => effects.readOnly))("$name", async (operation) => {
    const before = await readTables();
    expect(await world.perform(operation, inputs[operation.name]?.(world) ?? {})).toBe(1000);
    expect(await readTables()).toEqual(before);
  });
});

test.each(tested.filter(({ effects }) => !effects.readOnly && effects.idempotent))(
  "$name is idempotent: again, it changes nothing more",
  async (operation) => {
    const world = await openWorld();
    const fields = inputs[operation.name]?.(world) ?? {};
    expect(await world.perform(operation, fields)).toBe(1000);
    const once = await readTables(changeColumns);
    await world.perform(operation, fields);
    expect(await readTables(changeColumns)).toEqual(once);
  },
);

test.each(tested.filter(({ effects }) => !effects.readOnly && !effects.destructive))(
  "$name is not destructive: every row stays as it is",
  async (operation) => {
    const world = await openWorld();
    const before = await readTables(changeColumns);
    expect(await world.perform(operation, inputs[operation.name]?.(world) ?? {})).toBe(1000);
    const after = await readTables(changeColumns);
    for (const [table, rows] of Object.entries(before)) {
      // Counters of a project's memories.
      if (table !== "pool") expect(after[table]).toEqual(expect.arrayContaining(rows as unknown[]));
    }
  },
);
