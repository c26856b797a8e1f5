// Calls every operation of a real server, with a mark in each text that a caller, a client program, a model or an administrator can choose,
// also in what is refused and in what an upstream answers.

import { acceptRecords } from "../../src/calls/operations/ledger/accept-records.ts";
import { eraseRecords } from "../../src/calls/operations/ledger/erase-records.ts";
import { installationOperations } from "../../src/calls/operations.ts";
import { isObject, type Json, type JsonObject } from "../../src/platform/json/json.ts";
import type { RecordRow } from "../fixture.ts";
import type { TestGateway } from "../gateway/exchanges.ts";
import { eventStream } from "../gateway/fake-upstream.ts";
import { chatEvents } from "../gateway/upstream-shapes.ts";
import { post, rpc, toolCall } from "../transports/mcp/clients.ts";

export const mark = "zqmarkqz";
/** A body that is recorded as its digest. */
export const unreadable = `{"content": "${mark}"`;
/** More of memledger.toml: an upstream with the mark in its name, which nobody can reach. */
export const markedUpstream = `[[gateway.upstreams]]
name = "${mark}"
kind = "openai"
base-url = "http://127.0.0.1:9/v1"
models = ["far-*"]
`;

/** The records of the project, and those of the installation. */
export async function callEverything(gateway: TestGateway): Promise<readonly RecordRow[]> {
  await callProject(gateway);
  await callGateway(gateway);
  await callMcp(gateway);
  await administer(gateway);
  return [gateway.app.projectId, null].flatMap((project) => gateway.app.records(project));
}

/** Each call has its own texts. */
let texts = 0;
const marked = (text = "text") => `${text} ${mark} ${texts++}`;
const dayMs = 86_400_000;
const timeAt = (ms: number) => new Date(Date.now() + ms).toISOString();
const span = { start_time: timeAt(-dayMs), end_time: timeAt(dayMs) };
const headers = () => ({
  "User-Agent": marked("program"),
  "X-Audit-Metadata": JSON.stringify({
    [marked("name")]: marked(),
    messages: [{ [marked("name")]: marked() }],
    id: marked(),
  }),
});

async function sendTo(
  gateway: TestGateway,
  method: string,
  path: string,
  body?: unknown,
): Promise<JsonObject> {
  const sent = { headers: headers(), ...(body === undefined ? {} : { body }) };
  return (await gateway.app.call(method, path, sent)).data;
}

const memory = (more: JsonObject = {}): JsonObject => ({
  content: marked("Releases are on Tuesdays."),
  memory_type: "fact",
  tags: [mark],
  metadata: { [mark]: marked(), count: 1 },
  ...more,
});

async function callProject(gateway: TestGateway): Promise<void> {
  const send = (method: string, path: string, body?: unknown) => sendTo(gateway, method, path, body);
  const { id } = await send("POST", "/v1/memories", memory());
  await send("POST", "/v1/memories", memory({ memory_type: "rule" }));
  await send("POST", "/v1/memories/batch", {
    memories: [memory({ source_id: mark }), marked(), { [mark]: mark }],
  });
  const { results } = await send("POST", "/v1/memories/batch", {
    memories: Array.from({ length: 1000 }, () => memory()),
  });
  const ids = Array.isArray(results) ? results.filter(isObject).map((result) => result.id ?? null) : [];
  await send("PUT", `/v1/memories/${id}`, { content: marked(), tags: [], metadata: { [mark]: [mark] } });
  for (const content of [marked(), marked("Releases are on Mondays.")])
    await send("PUT", `/v1/memories/by-source/${encodeURIComponent(mark)}`, memory({ content }));
  await send("PUT", "/v1/memories/batch", {
    memories: [
      { memory_id: ids[0] ?? "", content: marked() },
      { memory_id: mark, [mark]: mark },
    ],
  });
  await send("DELETE", "/v1/memories/batch", { memory_ids: [ids[1] ?? "", mark] });
  await send("DELETE", `/v1/memories/${ids[2]}`);
  await send("GET", `/v1/memories?page_size=100&tag=${mark}`);
  await send("GET", `/v1/memories?page_size=2&text=${mark}`);
  await send("GET", "/v1/memories/export?page_size=100");
  for (const path of [
    "/v1/memories/tags",
    "/v1/memories/statistics",
    `/v1/memories/${id}`,
    `/v1/memories/${mark}`,
  ])
    await send("GET", path);
  await send("GET", `/v1/memories/${id}/history`);
  const query = marked("When do we release?");
  await send("POST", "/v1/memories/search", { query, top_k: 10, mode: "hybrid", explain: true });
  await send("POST", "/v1/memories/inject", { query, min_similarity: 0, tags: [mark], explain: true });
  await send("POST", "/v1/memories/inject", {
    messages: [
      { role: "user", content: query },
      { role: "assistant", content: marked(), [mark]: mark },
    ],
    min_similarity: 0,
  });
  await send("POST", "/v1/memories/extract", { text: `Remember that ${marked("Ana lives in Porto.")}` });
  await send("POST", "/v1/memories/extract", {
    messages: [{ role: "user", content: `Remember that ${marked("Bo lives in Oslo.")}` }],
  });
  await callConversation(send);
  await callSuggestions(send, String(id));
  const check = await send("POST", "/v1/checks", { query, expected_memory_id: id, tags: [mark] });
  await send("GET", "/v1/checks");
  await send("POST", "/v1/checks/run");
  await send("DELETE", `/v1/checks/${check.id}`);
  await send("POST", "/v1/keys", { subject: mark });
  await send("POST", "/v1/keys", { subject: mark, permissions: [mark] });
  await send("DELETE", "/v1/keys");
  await send("GET", "/v1/subjects");
  await send("GET", `/v1/subjects/${mark}/export`);
  await send("POST", `/v1/subjects/${mark}/erase`, { dry_run: true });
  const { logs } = await send("GET", "/v1/audit/logs");
  const [log] = Array.isArray(logs) ? logs.filter(isObject) : [];
  await send("GET", `/v1/audit/logs/${log?.id}`);
  await send("GET", `/v1/audit/logs/${mark}`);
  for (const statement of ["proof", "receipt"]) await send("GET", `/v1/audit/logs/${log?.id}/${statement}`);
  const begun = await send("POST", "/v1/audit/logs/export", { ...span, format: "json" });
  const exported = `/v1/audit/logs/export/${begun.export_id}`;
  while ((await send("GET", exported)).status === "processing") await Bun.sleep(10);
  for (const path of ["/v1/audit/logs/export", `/v1/audit/logs/export/${mark}`]) await send("GET", path);
  for (const file of ["download", "manifest"]) {
    const authorization = `Bearer ${gateway.app.apiKey}`;
    await (
      await fetch(`${gateway.app.url}${exported}/${file}`, { headers: { authorization, ...headers() } })
    ).text();
  }
  for (const path of ["statistics", "checkpoint", "checkpoints", "consistency?from=1&to=1", "verify"])
    await send("GET", `/v1/audit/${path}`);
  // Refused.
  await send("POST", "/v1/memories", { [mark]: mark, content: marked(), messages: [{ [mark]: marked() }] });
  await send("POST", "/v1/memories", unreadable);
  await send("GET", `/v1/memories?${mark}=${mark}`);
  await send("GET", `/v1/memories?cursor=${mark}`);
  await send("GET", `/v1/memories?metadata=${encodeURIComponent(JSON.stringify({ [mark]: mark }))}`);
  await send("POST", "/v1/memories/search", { query, tags: [mark], memory_type: mark });
  await send("POST", "/v1/audit/logs", {
    action: `audit.${mark}`,
    http_status: 200,
    metadata: { [mark]: mark },
  });
  await gateway.app.call("GET", "/v1/memories", { key: mark, headers: headers() });
}

type Send = (method: string, path: string, body?: unknown) => Promise<JsonObject>;

async function callConversation(send: Send): Promise<void> {
  const messages = [{ role: "user", id: mark, name: mark, content: marked("Ana lives in Porto.") }];
  await send("POST", "/v1/memories/extract", { messages, conversation: mark, detail: "verbatim" });
  await send("GET", "/v1/memories/conversations");
  await send("GET", `/v1/memories/conversations/${mark}`);
  await send("POST", `/v1/memories/conversations/${mark}/erase`, {});
}

async function callSuggestions(send: Send, memory: string): Promise<void> {
  const propose = async (fields: JsonObject) => {
    const said = { reason: marked(), quotes: [marked()] };
    return String((await send("POST", "/v1/suggestions", { ...said, ...fields })).id);
  };
  const created = { kind: "create", memory_type: "fact", tags: [mark] };
  const [accepted, refused, batched] = [
    await propose({ ...created, content: marked() }),
    await propose({ ...created, content: marked() }),
    await propose({ ...created, content: marked() }),
  ];
  const merged = await propose({ kind: "replace", memory_id: memory, content: marked() });
  await propose({ kind: mark, content: marked() });
  await send("GET", "/v1/suggestions");
  await send("GET", `/v1/suggestions/${accepted}`);
  await send("POST", `/v1/suggestions/${accepted}/accept`, { content: marked() });
  await send("POST", `/v1/suggestions/${merged}/merge`, { content: marked() });
  await send("POST", `/v1/suggestions/${refused}/refuse`);
  await send("POST", "/v1/suggestions/accept", { suggestion_ids: [batched, mark] });
  await send("POST", "/v1/suggestions/refuse", { suggestion_ids: [batched, mark] });
}

async function callGateway(gateway: TestGateway): Promise<void> {
  const send = (method: string, path: string, body?: unknown) => sendTo(gateway, method, path, body);
  const ask = async (path: string, body: unknown, more: Record<string, string> = {}) => {
    const response = await gateway.post(path, body, { ...headers(), ...more });
    await response.text();
  };
  const content = marked("When do we release?");
  const messages = [
    { role: "user", content },
    { role: "assistant", content: marked() },
    { role: "user", content },
  ];
  const body = {
    messages,
    [mark]: [{ [mark]: mark }],
    tools: [{ type: "function", function: { name: mark } }],
  };
  const name = `fake-${mark}`;
  await ask("/v1/chat/completions", { model: name, ...body });
  await ask("/v1/chat/completions", { model: name, ...body, stream: true });
  await ask("/v1/responses", { model: name, input: messages, instructions: marked() });
  await ask("/v1/messages", { model: `claude-${mark}`, max_tokens: 9, system: marked(), messages });
  await ask("/v1/messages/count_tokens", { model: `claude-${mark}`, messages });
  await ask("/v1/embeddings", { model: name, input: [marked(), marked()] });
  await ask(`/v1/moderations?${mark}=${mark}`, { model: name, input: marked() });
  await ask("/v1/chat/completions", { model: mark, ...body });
  await ask("/v1/chat/completions", `{"model": "${mark}", "model": "${mark}"}`);
  await ask("/v1/chat/completions", { model: name, ...body }, { "Memledger-Memory": mark });
  await ask("/v1/chat/completions", { model: `far-${mark}`, ...body });
  await send("GET", "/v1/models");
  // What an upstream chooses.
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2, [mark]: mark };
  const choice = {
    index: 0,
    finish_reason: mark,
    message: { role: "assistant", content: marked(), [mark]: mark },
  };
  const answered = { id: mark, model: mark, choices: [choice], usage, [mark]: mark };
  const error = {
    message: marked(),
    type: mark,
    success: true,
    data: { [mark]: mark, messages: [{ [mark]: mark }] },
  };
  const envelope = { ...error, code: 1000, error };
  const answers = [
    { body: JSON.stringify(answered) },
    { status: 400, body: JSON.stringify({ error }) },
    { status: 500, body: JSON.stringify(envelope) },
    { headers: eventStream, body: chatEvents(mark, mark, false).slice(0, 2) },
    { body: mark },
  ];
  for (const answer of answers) {
    gateway.openai.answerWith(() => answer);
    await ask("/v1/chat/completions", { model: name, ...body, stream: "headers" in answer });
    await ask("/v1/moderations", { model: name, input: marked() });
  }
  gateway.openai.answerWith(null);
}

async function callMcp(gateway: TestGateway): Promise<void> {
  const { app } = gateway;
  const clientInfo = { name: mark, version: mark };
  const ask = (message: JsonObject) => post(app.url, app.apiKey, message, headers());
  await ask(rpc("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo }));
  await ask(toolCall("memory_save", { content: marked(), memory_type: "fact" }));
  await ask(toolCall("memory_search", { query: marked() }));
  await ask(toolCall("memory_context", { query: marked() }));
  await ask(toolCall("memory_search", { [mark]: mark }));
  await ask(toolCall(mark, { query: marked() }));
}

/** What happens to the project itself is last. */
async function administer(gateway: TestGateway): Promise<void> {
  const send = (method: string, path: string, body?: unknown) => sendTo(gateway, method, path, body);
  const { app } = gateway;
  const byName = new Map(installationOperations.map((operation) => [operation.name, operation]));
  const ask = async (name: string, input: JsonObject = {}): Promise<Json> => {
    const operation = byName.get(name);
    if (operation === undefined) throw new Error(name);
    return app.administer(operation, input).catch(() => ({}));
  };
  const idOf = (value: Json) => (isObject(value) ? String(value.id) : "");
  const project = idOf(await ask("project.create", { name: mark, plan: "business" }));
  const key = idOf(await ask("key.create", { project, name: mark, permissions: ["memory.read"] }));
  const administrationKey = idOf(await ask("administration_key.create", { name: mark }));
  const { id } = await send("POST", "/v1/memories", memory());
  const record = String(app.records(app.projectId)[0]?.entry.id);
  const calls: readonly [string, JsonObject?][] = [
    ["project.list"],
    ["project.show", { project }],
    ["project.show", { project: mark }],
    ["project.update", { project, credits: 7 }],
    ["project.preview_retention", { project, plan: "free" }],
    ["project.export", { project, ...span }],
    ["key.list", { project }],
    ["key.update", { key, gateway: { memory_tags: [mark] } }],
    ["key.revoke", { key }],
    ["plan.list"],
    ["administration_key.list"],
    ["administration_key.revoke", { key: administrationKey }],
    ["key.local", { project }],
    ["key.console", { project }],
    ["session.link"],
    ["session.list"],
    ["session.revoke", { all: true }],
    ["audit.attest"],
    ["audit.list_chain", { project }],
    ["audit.show_record", { record }],
    ["audit.show_receipt", { record }],
    ["audit.trace", { record }],
    ["audit.redact", { memory: id ?? "", delete_memory: true }],
    ["audit.report", { project, subject: mark, reason: mark, ...span }],
    ["audit.report", { reason: mark, ...span }],
    ["audit.prune"],
    ["project.erase_conversation", { project, conversation: mark }],
    ["subject.repeat_erasure", { project, subject: record, record }],
    ["subject.repeat_erasure", { project: mark, subject: mark, record: mark }],
    ["backup.create", { file: `/${mark}`, includes_signing_key: false }],
    ["doctor.fix", { orphan_vectors: 1, missing_vectors: 1, wrong_words: 1 }],
    [acceptRecords.name],
    [eraseRecords.name, { record: mark }],
    ["project.delete", { project }],
  ];
  for (const [name, input] of calls) await ask(name, input);
  await send("DELETE", "/v1/memories", { tags: [mark] });
}
