// Records the operations that are called by requests of HTTP: over the network with a key, over the local socket, and in the console.

import { type CallOptions, type Reply, startTestApp, type TestApp } from "../fixture.ts";
import { newAdministrationKey } from "../transports/http/administration-key.ts";
import { signIn } from "../transports/http/console/signed-in.ts";
import { type Ledger, printReply, readReply, watchLedger } from "./observation.ts";
import {
  type ApiRoute,
  apiRoutes,
  callerHeader,
  consoleOperations,
  exchangeOf,
  installationOperations,
  isObject,
  type Json,
  type JsonObject,
  keyHeader,
  locate,
  pathParameters,
  permissions,
  printCaller,
  takesBody,
} from "./product.ts";
import { createRecording, printJson, type Recording } from "./recording.ts";
import { projects, type Sender, steps } from "./steps.ts";

type Headers = Readonly<Record<string, string>>;

/** A way in which requests arrive. */
interface Transport {
  readonly app: TestApp;
  readonly recording: Recording;
  readonly ledger: Ledger;
  /** The routes of the operations that it offers. */
  readonly routes: readonly ApiRoute[];
  send(method: string, path: string, options: CallOptions): Promise<Reply>;
  /** Says who sends a request. */
  headersOf(route: ApiRoute, sender: Sender): Headers;
  /** Senders who are refused, by what is wrong with them. */
  refusedSenders(route: ApiRoute): readonly (readonly [title: string, headers: Headers])[];
}

/** The ids of the projects that send steps. */
type Projects = Readonly<Record<Sender, { readonly id: string; readonly key: string }>>;

async function openApp(): Promise<{ app: TestApp; recording: Recording; ledger: Ledger; senders: Projects }> {
  const quiet = { "checkpoint-minutes": "1440", "checkpoint-records": "1000000" };
  const app = await startTestApp({ ...quiet, "extraction-credits": "1" });
  const recording = createRecording();
  recording.know(app.config.dataDir, "data directory");
  recording.know(app.url, "address of the server");
  recording.know(app.projectId, "first project");
  const senders: Record<string, { id: string; key: string }> = {};
  for (const [name, { plan, ...fields }] of Object.entries(projects)) {
    const project = await app.createProject(plan, { ...fields, name: `the project ${name}` });
    recording.know(project.id, `project of ${name}`);
    senders[name] = project;
  }
  const chains = Object.values(senders).map(({ id }) => id);
  return { app, recording, ledger: watchLedger(app, [null, ...chains]), senders: senders as Projects };
}

const json = { "Content-Type": "application/json" };

/** @param unix the path of a socket, instead of the network */
function sendTo(url: string, unix?: string): Transport["send"] {
  return async (method, path, { body, headers = {} }) => {
    const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
    const init = {
      method,
      headers: { "User-Agent": "test/1", ...(text === undefined ? {} : json), ...headers },
      ...(text === undefined ? {} : { body: text }),
      ...(unix === undefined ? {} : { unix }),
    };
    return readReply(await fetch(`${url}${path}`, init));
  };
}

export async function recordHttp(): Promise<Recording> {
  const { app, recording, ledger, senders } = await openApp();
  const administration = await newAdministrationKey(app);
  const bearer = (key: string): Headers => ({ Authorization: `Bearer ${key}` });
  const lacking = new Map<string, string>();
  for (const permission of permissions) {
    const others = permissions.filter((each) => each !== permission);
    lacking.set(permission, (await app.createKey(senders.main.id, others)).key);
  }
  const transport: Transport = {
    app,
    recording,
    ledger,
    routes: apiRoutes,
    send: sendTo(app.url),
    headersOf: ({ operation }, sender) =>
      bearer(operation.scope === "project" ? senders[sender].key : administration.key),
    refusedSenders: ({ operation }) => [
      ["no key", {}],
      ["an unknown key", bearer(`ml_${"A".repeat(43)}`)],
      operation.scope === "project"
        ? ["a key without the permission", bearer(lacking.get(operation.permission) ?? "")]
        : ["the key of a project", bearer(senders.main.key)],
    ],
  };
  await recordLimits(transport, bearer(senders.busy.key), bearer(senders.main.key));
  await record(transport, senders);
  return recording;
}

/** What is refused before an operation is known, and calls over the rate of a plan. */
async function recordLimits({ recording, send }: Transport, busy: Headers, headers: Headers): Promise<void> {
  const many = Array.from({ length: 60 }, () => send("GET", "/v1/audit/statistics", { headers: busy }));
  const limited = (await Promise.all(many)).find(({ status }) => status === 429);
  if (limited === undefined) throw new Error("no call was over the rate of the plan free");
  recording.observe("limits", "calls a second", ...printReply(limited));
  const text = { ...headers, "Content-Type": "text/plain" };
  const others: readonly (readonly [title: string, method: string, path: string, options: CallOptions])[] = [
    ["no route", "GET", "/v1/nothing", { headers }],
    ["another method", "PUT", "/v1/memories", { headers, body: {} }],
    ["a slash at the end", "DELETE", "/v1/memories/", { headers }],
    ["a body that is no JSON by its type", "POST", "/v1/memories", { headers: text, body: "text" }],
    [
      "a body that is too large",
      "POST",
      "/v1/memories",
      { headers, body: { content: "x".repeat(9_000_000) } },
    ],
    ["another host", "GET", "/v1/memories", { headers: { ...headers, Host: "elsewhere.example" } }],
    ["an unknown parameter", "GET", "/v1/memories?unknown=1", { headers }],
    ["malformed authorization", "GET", "/v1/memories", { headers: { Authorization: "Basic YTpi" } }],
  ];
  for (const [title, method, path, options] of others)
    recording.observe(
      "limits",
      title,
      `> ${method} ${path}`,
      ...printReply(await send(method, path, options)),
    );
}

export async function recordLocalSocket(): Promise<Recording> {
  const { app, recording, ledger, senders } = await openApp();
  const { socket: unix } = locate(app.config.dataDir);
  const caller = printCaller({
    administrator: { osUid: 1000, osUser: "ana", sudoUser: null },
    client: "test/1",
  });
  const send = sendTo("http://localhost", unix);
  const keys: Record<string, string> = {};
  for (const [name, { id }] of Object.entries(senders)) {
    const { data } = await send("POST", "/key.local", {
      body: { project: id },
      headers: { [callerHeader]: caller },
    });
    recording.know(String(data.key_id), `local key of ${name}`);
    keys[name] = String(data.key_id);
  }
  const routes = [
    ...apiRoutes.filter(({ operation }) => operation.scope === "project"),
    ...installationOperations.map(
      (operation) => ({ method: "POST", path: `/${operation.name}`, operation }) as const,
    ),
  ];
  const transport: Transport = {
    app,
    recording,
    ledger,
    routes,
    send,
    headersOf: ({ operation }, sender) => ({
      [callerHeader]: caller,
      ...(operation.scope === "project" ? { [keyHeader]: keys[sender] ?? "" } : {}),
    }),
    refusedSenders: ({ operation }) => [
      ["a malformed caller", { [callerHeader]: "%" }],
      ...(operation.scope === "project" ? [["no local key", { [callerHeader]: caller }] as const] : []),
    ],
  };
  await record(transport, senders);
  return recording;
}

export async function recordConsole(): Promise<Recording> {
  const { app, recording, ledger, senders } = await openApp();
  const administrator = await signIn(app);
  const person = await signIn(app, { key: (await app.createKey(senders.main.id, ["memory.write"])).key });
  const headersOf = ({ cookie, session }: typeof administrator): Headers => ({
    Cookie: cookie,
    "Memledger-Request-Token": session.request_token,
    "Sec-Fetch-Site": "same-origin",
  });
  const { "Memledger-Request-Token": _, ...withoutToken } = headersOf(administrator);
  const send = sendTo(app.url);
  const routes = [
    ...apiRoutes.filter(({ operation }) => operation.scope === "project"),
    ...installationOperations
      .filter(({ name }) => consoleOperations.has(name))
      .map(
        (operation) =>
          ({ method: "POST", path: `/console/api/administration/${operation.name}`, operation }) as const,
      ),
  ];
  const transport: Transport = {
    app,
    recording,
    ledger,
    routes,
    send,
    headersOf: ({ operation }, sender) => ({
      ...headersOf(administrator),
      ...(operation.scope === "project" ? { "Memledger-Project": senders[sender].id } : {}),
    }),
    refusedSenders: () => [
      ["nobody is signed in", {}],
      ["a session without the token of its page", withoutToken],
      ["a session of a key that may only write memories", headersOf(person)],
    ],
  };
  await recordConsoleRoutes(transport, headersOf(administrator), headersOf(person), senders.main.id);
  await record(transport, senders);
  return recording;
}

/** What only the console has. The stream of events is not ended by the server, so its head is recorded. */
async function recordConsoleRoutes(
  transport: Transport,
  administrator: Headers,
  person: Headers,
  project: string,
): Promise<void> {
  const { app, recording, send } = transport;
  for (const [name, headers] of Object.entries({
    "an administrator": administrator,
    "a key": person,
    nobody: {},
  })) {
    for (const path of [
      "session",
      "settings",
      "connections",
      `costs?project=${project}`,
      "costs",
      "key-changes",
    ]) {
      const reply = await send("GET", `/console/api/${path}`, { headers });
      recording.observe(
        `GET /console/api/${path.replace(project, "<project of main>")}`,
        name,
        ...printReply(reply),
      );
    }
    const leaving = new AbortController();
    const stream = await fetch(`${app.url}/console/api/events`, { headers, signal: leaving.signal });
    recording.observe(
      "GET /console/api/events",
      name,
      `${stream.status} ${stream.headers.get("content-type")}`,
    );
    leaving.abort();
  }
  const leaving = await signIn(app);
  for (const title of ["performed", "again"]) {
    await observe(transport, "DELETE /console/api/session", title, "DELETE", "/console/api/session", {
      headers: { Cookie: leaving.cookie, "Memledger-Request-Token": leaving.session.request_token },
    });
  }
  for (const body of [{ link: `mlk_${"A".repeat(43)}` }, { key: "ml_x" }, {}, "{"]) {
    const title = JSON.stringify(body);
    await observe(transport, "POST /console/api/session", title, "POST", "/console/api/session", { body });
  }
}

/** Sends all steps, and to each route what it must refuse. @throws Error that names an operation for which there is no step */
async function record(transport: Transport, senders: Projects): Promise<void> {
  const { app, recording } = transport;
  const routes = transport.routes.filter(({ operation }) => exchangeOf(operation) === undefined);
  const missing = routes.filter(({ operation }) => !steps.some((step) => step.operation === operation.name));
  if (missing.length > 0) {
    const names = missing.map(({ operation }) => operation.name).join(", ");
    throw new Error(`there is no step for ${names}; add one to test/behaviour/steps.ts`);
  }
  const kept = new Map(Object.entries(senders).map(([name, { id }]) => [`project of ${name}`, id]));
  for (const step of steps) {
    const route = routes.find(({ operation }) => operation.name === step.operation);
    if (route === undefined) continue;
    const headers = transport.headersOf(route, step.by ?? "main");
    const [path, body] = toRequest(route, fill(step.input, kept));
    const title = step.by === undefined ? step.title : `${step.title} (${step.by})`;
    const reply = await observe(transport, step.operation, title, route.method, path, { headers, body });
    for (const [name, place] of Object.entries(step.keep ?? {})) {
      const value = place.split(".").reduce<unknown>((found, part) => Object(found)[part], reply.data);
      if (typeof value !== "string") {
        if (reply.status < 300) throw new Error(`${step.operation} answered no ${place}: ${reply.text}`);
        continue;
      }
      kept.set(name, value);
      recording.know(value, name);
    }
    if (step.operation === "audit.export") await exported(transport, senders.main.key, reply);
  }
  for (const route of routes) await recordRefusals(transport, route);
  await app.stop();
}

/** Waits for an export, with calls that nothing records behind it counts. */
async function exported({ app }: Transport, key: string, { data }: Reply): Promise<void> {
  const path = `/v1/audit/logs/export/${data.export_id}`;
  while ((await app.call("GET", path, { key })).data.status === "processing") await Bun.sleep(10);
}

async function recordRefusals(transport: Transport, route: ApiRoute): Promise<void> {
  const { app, recording } = transport;
  const { operation, method } = route;
  const step = steps.find((each) => each.operation === operation.name);
  const unknown = new Map<string, string>();
  const input = fill(step?.input ?? {}, unknown);
  const [path, body] = toRequest(route, input);
  for (const [title, headers] of transport.refusedSenders(route)) {
    // Calls without a valid key are recorded once a second.
    app.passTime(1_000);
    await observe(transport, operation.name, title, method, path, { headers, body });
  }
  const headers = transport.headersOf(route, "main");
  const ids = Object.keys(input).filter((name) => /_id$|^(project|key|record)$/.test(name));
  for (const name of ids) {
    const [path, body] = toRequest(route, { ...input, [name]: "0".repeat(32) });
    await observe(transport, operation.name, `an unknown ${name}`, method, path, { headers, body });
  }
  // What fields say about values that they do not have; only the answer, because there are many.
  const lines: string[] = [];
  const withBody = takesBody(route) || operation.scope === "installation";
  const wrong = [
    ["unknown_field", 1],
    ...Object.keys(operation.input.properties).map((name) => [name, [[]]]),
  ] as const;
  for (const [name, value] of wrong) {
    if (pathParameters(route).includes(String(name))) continue;
    const [path, body] = toRequest(route, { ...input, [String(name)]: value as Json });
    if (!withBody && name !== "unknown_field") continue;
    const reply = await transport.send(method, path, { headers, body });
    lines.push(`${name}: ${reply.status} ${reply.code} ${reply.message}`);
  }
  if (withBody && body !== undefined) {
    for (const text of ["", "{", "[]", "{}"]) {
      const reply = await transport.send(method, path, { headers, body: text });
      lines.push(`the body ${text}: ${reply.status} ${reply.code} ${reply.message}`);
    }
  }
  recording.observe(operation.name, "values that are not valid", ...lines);
}

/** Sends a request and records its answer and what the ledger got. */
async function observe(
  { recording, ledger, send }: Pick<Transport, "recording" | "ledger" | "send">,
  operation: string,
  title: string,
  method: string,
  path: string,
  options: CallOptions,
): Promise<Reply> {
  const mark = ledger.mark();
  const reply = await send(method, path, options);
  const sent = options.body === undefined ? "" : ` ${printJson(options.body as Json)}`;
  const request = `> ${method} ${path}${sent}`;
  recording.observe(operation, title, request, ...printReply(reply), ...ledger.since(mark, reply.text));
  return reply;
}

/** A text such as {fact} becomes the value that was kept under this name, or an id that nothing has. */
function fill(input: JsonObject, kept: ReadonlyMap<string, string>): JsonObject {
  const text = JSON.stringify(input).replaceAll(
    /\{([a-z][a-z ]*)\}/g,
    (_, name) => kept.get(name) ?? "1".repeat(32),
  );
  return JSON.parse(text);
}

/** The path with its parameters and its query, and the body. */
function toRequest(route: ApiRoute, input: JsonObject): [path: string, body: Json | undefined] {
  const left = { ...input };
  const path = route.path.replaceAll(/:(\w+)/g, (_, name) => {
    const { [name]: value } = left;
    delete left[name];
    return encodeURIComponent(String(value ?? "x"));
  });
  if (takesBody(route) || route.path.startsWith("/console/") || route.path === `/${route.operation.name}`)
    return [path, left];
  const pairs = Object.entries(left).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((each): [string, string] => [
      name,
      isObject(each) ? JSON.stringify(each) : String(each),
    ]),
  );
  return [pairs.length === 0 ? path : `${path}?${new URLSearchParams(pairs)}`, undefined];
}
