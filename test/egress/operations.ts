// Performs every HTTP operation of a server, refusals and pages included, and knows which ones it has performed.
// Must never reach another server.

import { isObject, type Json, type JsonObject, objectsIn } from "../../src/platform/json/json.ts";
import { apiRoutes } from "../../src/transports/http/administration-routes.ts";
import { mcpLines, sendEveryMessage } from "./mcp-messages.ts";

export interface Target {
  readonly url: string;
  readonly key: string;
  /** An administration key. */
  readonly adminKey: string;
}

interface Lap {
  /** As in the table of routes, `GET /v1/memories/:memory_id`, or in `mcpLines`. */
  readonly performed: ReadonlySet<string>;
  readonly calls: number;
  readonly memoryId: string;
  readonly auditId: string;
  /** Calls that were answered with a status that nobody expected. */
  readonly faults: readonly string[];
}

const pages = [
  "/console",
  "/console/",
  "/console/projects/nothing/memories",
  "/console/verifier.html",
  "/docs",
  "/docs/handbook",
  "/docs/handbook/backup",
  "/docs/reference.js",
  "/openapi.json",
  "/health/live",
  "/health/ready",
];
/** From source there are none. */
const embeddedTexts = ["/console/licence.txt", "/console/notices.txt"];
const talk = "Dana: I have moved to Porto. I prefer tea in the morning. The contract ends on 3 March 2027.";

/** One call of everything; `lap` makes contents differ, because equal ones are refused. */
export async function callEverything({ url, key, adminKey }: Target, lap: string): Promise<Lap> {
  const performed = new Set<string>();
  const faults: string[] = [];
  let calls = 0;

  const send = async (line: string, expected: number, options: SendOptions = {}): Promise<JsonObject> => {
    const { ids = {}, query = "", body, token = key } = options;
    const [method = "", route = ""] = line.split(" ");
    const path = route.replaceAll(/:(\w+)/g, (_, name: string) => ids[name] ?? "");
    const response = await fetch(url + path + query, {
      method,
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    calls += 1;
    if (response.status === expected) performed.add(line);
    else faults.push(`${line} answered ${response.status} and not ${expected}: ${text.slice(0, 300)}`);
    return dataOf(text);
  };

  await useConsole(url, key, faults);

  const create = "POST /v1/memories";
  const fact = (content: string) => ({ content, memory_type: "fact", importance: 0.7 });
  const memory = await send(create, 201, { body: fact(`The office ${lap} is in Lisbon.`) });
  const ids: Record<string, string> = { memory_id: String(memory.id) };
  const spare = await send(create, 201, {
    body: { content: `Answer briefly, ${lap}.`, memory_type: "rule" },
  });
  const items = [fact(`The warehouse ${lap} is in Porto.`), fact("")];
  await send("POST /v1/memories/batch", 200, { body: { memories: items } });
  const other = await send(create, 201, { body: fact(`The harbour ${lap} is in Setubal.`) });
  const change = { memory_id: String(other.id), is_active: false };
  await send("PUT /v1/memories/batch", 200, { body: { memories: [change, { memory_id: "none" }] } });
  await send("DELETE /v1/memories/batch", 200, { body: { memory_ids: [String(other.id)] } });
  await send("GET /v1/memories", 200, { query: "?page_size=5&memory_type=fact" });
  await send("GET /v1/memories/tags", 200, { query: "?page_size=5" });
  await send("GET /v1/memories/statistics", 200);
  await send("GET /v1/audit/statistics", 200);
  const source = { ids: { source_id: `source-${lap}` }, body: fact(`The lighthouse ${lap} is in Sines.`) };
  await send("PUT /v1/memories/by-source/:source_id", 201, source);
  const subject = `user:${lap}`;
  await send("POST /v1/keys", 201, { body: { subject } });
  await send("DELETE /v1/keys", 204);
  await send(create, 201, { body: { ...fact(`The tower ${lap} is in Braga.`), subject } });
  const conversation = `chat-${lap}`;
  const said = { text: `We meet at the mill ${lap}.`, detail: "verbatim", conversation };
  await send("POST /v1/memories/extract", 200, { body: said });
  await send("GET /v1/memories/conversations", 200);
  await send("GET /v1/memories/conversations/:conversation", 200, { ids: { conversation } });
  await send("POST /v1/memories/conversations/:conversation/erase", 200, { ids: { conversation }, body: {} });
  await send("GET /v1/subjects", 200);
  await send("GET /v1/subjects/:subject/export", 200, { ids: { subject } });
  await send("POST /v1/subjects/:subject/erase", 200, { ids: { subject }, body: {} });
  const changed = await send(create, 201, { body: fact(`The ferry ${lap} leaves at nine.`) });
  await decideSuggestions(send, lap, String(changed.id));
  const saved = { query: `Where is office ${lap}?`, expected_memory_id: String(memory.id) };
  const check = await send("POST /v1/checks", 201, { body: saved });
  await send("GET /v1/checks", 200);
  await send("POST /v1/checks/run", 200);
  // Without an upstream.
  const asked = { model: "m", messages: [{ role: "user", content: talk }], input: talk };
  for (const path of ["chat/completions", "responses", "messages", "messages/count_tokens", "embeddings"])
    await send(`POST /v1/${path}`, 404, { body: asked });
  await send("POST /v1/embeddings", 200, { body: { model: "memledger-embed-v3", input: talk } });
  await send("GET /v1/models", 200);
  await send("DELETE /v1/checks/:check_id", 204, { ids: { check_id: String(check.id) } });
  await send("GET /v1/memories/export", 200, { query: "?include_vectors=true" });
  await send("GET /v1/memories/:memory_id", 200, { ids });
  await send("GET /v1/memories/:memory_id/history", 200, { ids });
  await send("PUT /v1/memories/:memory_id", 200, { ids, body: { importance: 0.9 } });
  for (const mode of ["semantic", "hybrid"])
    await send("POST /v1/memories/search", 200, {
      body: { query: `Where is office ${lap}?`, top_k: 5, mode },
    });
  await send("POST /v1/memories/inject", 200, { body: { query: `Where do we work, ${lap}?` } });
  await send("POST /v1/memories/extract", 200, { body: { text: `${talk} ${lap}`, dry_run: true } });
  await send("POST /v1/memories/extract", 200, { body: { text: `${talk} ${lap}` } });

  const appended = { action: "gateway.chat", http_status: 200, model_id: "some-model", duration: 812.5 };
  const record = await send("POST /v1/audit/logs", 201, { body: appended });
  ids.audit_id = String(record.id);
  await send("GET /v1/audit/logs", 200, { query: "?page_size=5" });
  await send("GET /v1/audit/logs/:audit_id", 200, { ids });
  await send("GET /v1/audit/checkpoint", 200);
  await send("GET /v1/audit/checkpoints", 200, { query: "?page_size=5" });
  await send("GET /v1/audit/logs/:audit_id/proof", 200, { ids });
  await send("GET /v1/audit/logs/:audit_id/receipt", 200, { ids });
  await send("GET /v1/audit/consistency", 200, { query: "?from=1&to=2" });
  await send("GET /v1/audit/verify", 200);
  for (const format of ["csv", "json"]) {
    const span = {
      start_time: new Date(Date.now() - 60_000).toISOString(),
      end_time: "2099-01-01T00:00:00Z",
    };
    const started = await send("POST /v1/audit/logs/export", 200, { body: { ...span, format } });
    ids.export_id = String(started.export_id);
    await finished(() => send("GET /v1/audit/logs/export/:export_id", 200, { ids }));
    await send("GET /v1/audit/logs/export/:export_id/download", 200, { ids });
    await send("GET /v1/audit/logs/export/:export_id/manifest", 200, { ids });
  }
  await send("GET /v1/audit/logs/export", 200);

  await send("DELETE /v1/memories/:memory_id", 204, { ids: { memory_id: String(spare.id) } });
  for (const page of pages) await send(`GET ${page}`, 200);
  for (const page of embeddedTexts) {
    const { status } = await fetch(url + page);
    await send(`GET ${page}`, status === 404 ? 404 : 200);
  }
  await administerEverything(
    (line, expected, options) => send(line, expected, { ...options, token: adminKey }),
    lap,
  );
  await refuseEverything(send, lap);
  const messages = await sendEveryMessage({ url, key }, lap);
  for (const line of messages.performed) performed.add(line);
  faults.push(...messages.faults);
  calls += messages.calls;
  return { performed, calls, memoryId: String(memory.id), auditId: String(ids.audit_id), faults };
}

/** Ends the project's memories; apart, because commands look for the memory of a lap. */
export async function deleteEverything({ url, key }: Pick<Target, "url" | "key">): Promise<string | null> {
  const response = await fetch(`${url}/v1/memories`, {
    method: "DELETE",
    headers: { Authorization: `Bearer ${key}` },
  });
  return response.ok ? null : `DELETE /v1/memories answered ${response.status}`;
}

/** Lines of the table of routes, messages of MCP, and pages that nobody has performed. */
export function notPerformed(performed: ReadonlySet<string>): string[] {
  const all = apiRoutes.map(({ method, path }) => `${method} ${path}`);
  return [...all, ...mcpLines, ...[...pages, ...embeddedTexts].map((page) => `GET ${page}`)].filter(
    (line) => !performed.has(line),
  );
}

interface SendOptions {
  readonly ids?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly body?: JsonObject | string;
  readonly token?: string;
}

type Send = (line: string, expected: number, options?: SendOptions) => Promise<JsonObject>;

async function decideSuggestions(send: Send, lap: string, memory: string): Promise<void> {
  const propose = async (fields: JsonObject) =>
    String((await send("POST /v1/suggestions", 201, { body: fields })).id);
  const created = (text: string) =>
    propose({ kind: "create", content: `${text} ${lap}`, memory_type: "fact" });
  const at = (id: string) => ({ ids: { suggestion_id: id }, body: {} });
  const [one, two, three, four] = [
    await created("The quay is closed"),
    await created("The quay is open"),
    await created("The pier is closed"),
    await created("The pier is open"),
  ];
  const replacing = await propose({ kind: "change", memory_id: memory, importance: 0.6 });
  await send("GET /v1/suggestions", 200);
  await send("GET /v1/suggestions/:suggestion_id", 200, { ids: { suggestion_id: one } });
  await send("POST /v1/suggestions/:suggestion_id/accept", 200, at(one));
  await send("POST /v1/suggestions/:suggestion_id/refuse", 200, { ids: { suggestion_id: two } });
  await send("POST /v1/suggestions/accept", 200, { body: { suggestion_ids: [three] } });
  await send("POST /v1/suggestions/refuse", 200, { body: { suggestion_ids: [four, replacing] } });
  const older = await propose({
    kind: "replace",
    memory_id: memory,
    content: `The ferry ${lap} leaves at ten.`,
  });
  await send("POST /v1/suggestions/:suggestion_id/merge", 200, at(older));
}

async function administerEverything(send: Send, lap: string): Promise<void> {
  const name = `tenant ${lap}`;
  const project = await send("POST /v1/admin/projects", 201, { body: { name, plan: "pro" } });
  const ids = { project: String(project.id) };
  await send("GET /v1/admin/projects", 200, { query: "?page_size=5" });
  await send("GET /v1/admin/projects/:project", 200, { ids });
  await send("PUT /v1/admin/projects/:project", 200, { ids, body: { memory_limit: 5_000 } });
  const body = { project: ids.project, permissions: ["memory.read"] };
  const created = await send("POST /v1/admin/keys", 201, { body });
  const ofKey = { key: String(created.id) };
  await send("GET /v1/admin/keys", 200, { query: `?project=${ids.project}` });
  await send("PUT /v1/admin/keys/:key", 200, { ids: ofKey, body: { gateway: { memory: false } } });
  await send("DELETE /v1/admin/keys/:key", 200, { ids: ofKey });
  await send("GET /v1/admin/plans", 200);
  const { logs } = await send("GET /v1/admin/audit/logs", 200, { query: "?page_size=1" });
  const [record] = objectsIn(logs);
  await send("GET /v1/admin/audit/logs/:record", 200, { ids: { record: String(record?.id) } });
  await send("DELETE /v1/admin/projects/:project", 200, { ids, body: { name } });
}

/** Errors take other paths through the program: they are logged, recorded, and may bring an incident. */
async function refuseEverything(send: Send, lap: string): Promise<void> {
  await send("POST /v1/memories", 400, { body: "{" });
  await send("POST /v1/memories", 400, { body: { content: "", memory_type: "fact" } });
  await send("POST /v1/memories", 409, {
    body: { content: `The office ${lap} is in Lisbon.`, memory_type: "fact" },
  });
  await send("GET /v1/memories", 401, { token: "ml_nobody" });
  await send("GET /v1/nothing", 404);
  await send("PUT /v1/memories", 405, { body: {} });
}

/** Signs in to the console with a key, uses each of its routes, and signs out. */
async function useConsole(url: string, key: string, faults: string[]): Promise<void> {
  const path = `${url}/console/api/session`;
  const headers = { "Content-Type": "application/json" };
  const signedIn = await fetch(path, { method: "POST", headers, body: JSON.stringify({ key }) });
  const session = dataOf(await signedIn.text());
  const cookie = signedIn.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  const own = { Cookie: cookie, "Memledger-Request-Token": String(session.request_token) };
  const expected: readonly (readonly [string, string, number])[] = [
    ["GET", path, 200],
    ["GET", `${url}/v1/memories/tags`, 200],
    ["POST", `${url}/console/api/administration/project.list`, 403],
    ["GET", `${url}/console/api/settings`, 403],
    ["GET", `${url}/console/api/connections`, 200],
    ["GET", `${url}/console/api/key-changes`, 200],
    ["GET", `${url}/console/api/events`, 200],
    ["DELETE", path, 204],
    ["GET", path, 401],
  ];
  for (const [method, address, status] of expected) {
    const answer = await fetch(address, { method, headers: own });
    if (answer.status !== status) faults.push(`${method} ${address} answered ${answer.status}`);
    await readStart(answer);
  }
}

/** The stream of events does not end: its first event is enough. */
async function readStart({ body }: Response): Promise<void> {
  const reader = body?.getReader();
  await reader?.read();
  await reader?.cancel();
}

const exportLimitMs = 60_000;

async function finished(ask: () => Promise<JsonObject>): Promise<void> {
  const deadline = Date.now() + exportLimitMs;
  while (Date.now() < deadline) {
    const { status } = await ask();
    if (status === "completed" || status === "failed") return;
    await Bun.sleep(50);
  }
  throw new Error("an export did not end");
}

function dataOf(text: string): JsonObject {
  if (!text.startsWith("{")) return {};
  const answer: Json = JSON.parse(text);
  return isObject(answer) && isObject(answer.data) ? answer.data : {};
}
