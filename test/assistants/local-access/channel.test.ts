// Tests the channel of programs of the user: what it sends over the local socket and over the network, and what it says when that fails.

import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Channel } from "../../../src/assistants/local-access/channel.ts";
import {
  AccessRefused,
  OutcomeUnknown,
  ServerUnreachable,
} from "../../../src/assistants/local-access/channel-failure.ts";
import { openChannel } from "../../../src/assistants/local-access/open-channel.ts";
import { revokeKey } from "../../../src/calls/operations/access/key-operations.ts";
import { useLocalKey } from "../../../src/calls/operations/access/local-key.ts";
import { startTestApp } from "../../fixture.ts";

const app = await startTestApp();
const { dataDir } = app.config;
const folder = mkdtempSync(join(tmpdir(), "memledger-test-"));
afterAll(async () => {
  await app.stop();
  rmSync(folder, { recursive: true });
});

const save = (channel: Channel, content: string, signal?: AbortSignal) =>
  channel.fetch("/v1/memories", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ content, memory_type: "fact" }),
    ...(signal === undefined ? {} : { signal }),
  });

/** What the channel throws, or the status of the response. */
const outcomeOf = (sent: Promise<Response>) =>
  sent.then(
    ({ status }) => status,
    (error: unknown) => error,
  );

test("a local channel uses the project that it names, and asks for its key once", async () => {
  const channel = openChannel({ dataDir, project: "notes", start: false });
  const statuses = await Promise.all(["one", "two"].map(async (text) => (await save(channel, text)).status));
  expect(statuses).toEqual([201, 201]);
  const asked = app.records(null).filter(({ action }) => action === "key.local");
  expect(asked).toHaveLength(1);
  const uid = process.getuid?.() ?? null;
  expect(asked[0]?.payload).toMatchObject({
    transport: "cli",
    os_uid: uid,
    request_body: { project: "notes" },
  });
});

test("a local channel uses a new local key after the previous one was revoked", async () => {
  const channel = openChannel({ dataDir, project: "renewed", start: false });
  expect((await save(channel, "before")).status).toBe(201);
  const { project_id, key_id } = await app.administer(useLocalKey, { project: "renewed" });
  await app.administer(revokeKey, { key: String(key_id) });
  const refused = await outcomeOf(save(channel, "between"));
  expect(refused).toBeInstanceOf(AccessRefused);
  expect(String(refused)).toContain("Ask the person who manages its keys");
  await app.createKey(String(project_id), ["memory.write"], { name: "local" });
  expect((await save(channel, "after")).status).toBe(201);
});

test("a channel that is aborted says so, and sends later requests", async () => {
  const channel = openChannel({ dataDir, project: "notes", start: false });
  const reason = new Error("the user cancelled");
  expect(await outcomeOf(save(channel, "never", AbortSignal.abort(reason)))).toBe(reason);
  expect((await save(channel, "later")).status).toBe(201);
});

test("without a server nothing is sent, and the message says how to start one", async () => {
  const channel = openChannel({ dataDir: join(folder, "none"), project: "default", start: false });
  const failure = await outcomeOf(save(channel, "x"));
  expect(failure).toBeInstanceOf(ServerUnreachable);
  expect(String(failure)).toContain("memledger serve --data-dir");
});

test("a data directory that is a file is named, and what to do about it", async () => {
  const file = join(folder, "file");
  writeFileSync(file, "");
  const failure = await outcomeOf(save(openChannel({ dataDir: file, project: "default", start: true }), "x"));
  expect(String(failure)).toContain(`The data directory ${file} cannot be used: it is a file`);
});

test("the socket of a server that was killed counts as none", async () => {
  writeFileSync(join(folder, "memledger.sock"), "");
  const channel = openChannel({ dataDir: folder, project: "default", start: false });
  expect(await outcomeOf(save(channel, "x"))).toBeInstanceOf(ServerUnreachable);
});

test("a server that stops before it answers leaves the outcome unknown", async () => {
  const channel = openChannel({ dataDir: listenAndClose(), project: "default", start: false });
  const failure = await outcomeOf(save(channel, "x"));
  expect(failure).toBeInstanceOf(OutcomeUnknown);
  expect(String(failure)).toContain("Check whether the change was made");
});

/** A server that answers key.local and closes every other connection without an answer. */
function listenAndClose(): string {
  const root = mkdtempSync(join(folder, "closes-"));
  const data = '{"project_id":"p","key_id":"k","created_project":false,"created_key":false}';
  const reply = `{"success":true,"code":1000,"message":"success","data":${data}}`;
  const text = `HTTP/1.1 200 OK\r\nContent-Length: ${reply.length}\r\nConnection: close\r\n\r\n${reply}`;
  const listening = Bun.listen({
    unix: join(root, "memledger.sock"),
    socket: {
      data(socket, bytes) {
        if (bytes.toString().startsWith("POST /key.local")) socket.write(text);
        socket.end();
      },
    },
  });
  listening.unref();
  return root;
}

test("a remote channel sends its key and the path behind the URL", async () => {
  const plain = openChannel({ url: `${app.url}/`, apiKey: app.apiKey });
  expect((await save(plain, "over the network")).status).toBe(201);
  expect(app.records(app.projectId).at(-1)?.payload).toMatchObject({ ip_address: "127.0.0.1" });
  const wrong = openChannel({ url: app.url, apiKey: "ml_wrong" });
  expect((await save(wrong, "x")).status).toBe(401);
});

test("a remote channel follows no redirect, and uses no proxy", async () => {
  const seen: string[] = [];
  const other = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request) {
      seen.push(request.headers.get("authorization") ?? "");
      return Response.redirect(`${app.url}/v1/memories`, 307);
    },
  });
  process.env.HTTP_PROXY = other.url.href;
  try {
    const direct = openChannel({ url: app.url, apiKey: app.apiKey });
    expect((await save(direct, "without a proxy")).status).toBe(201);
    expect(seen).toEqual([]);
    const redirected = openChannel({ url: other.url.href, apiKey: app.apiKey });
    const failure = await outcomeOf(save(redirected, "x"));
    expect(failure).toBeInstanceOf(AccessRefused);
    expect(String(failure)).not.toContain(app.apiKey);
    expect(seen).toHaveLength(1);
  } finally {
    delete process.env.HTTP_PROXY;
    await other.stop(true);
  }
});

test("a remote server that cannot be reached, or ends the connection, is told apart", async () => {
  const listening = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: { data: (socket) => void socket.end() },
  });
  const url = `http://127.0.0.1:${listening.port}`;
  expect(await outcomeOf(save(openChannel({ url, apiKey: "k" }), "x"))).toBeInstanceOf(OutcomeUnknown);
  listening.stop(true);
  const failure = await outcomeOf(save(openChannel({ url, apiKey: "k" }), "x"));
  expect(failure).toBeInstanceOf(ServerUnreachable);
  expect(String(failure)).toContain(url);
  // The server speaks no TLS: the request was not sent.
  const encrypted = openChannel({ url: app.url.replace("http:", "https:"), apiKey: "k" });
  expect(await outcomeOf(save(encrypted, "x"))).toBeInstanceOf(ServerUnreachable);
});

test("a server that ends while it is asked for the key is one that got nothing", async () => {
  const ending = mkdtempSync(join(folder, "ending-"));
  const server = createServer((socket) => socket.once("data", () => socket.destroy()));
  await new Promise<void>((resolve) => server.listen(join(ending, "memledger.sock"), resolve));
  try {
    const outcome = await outcomeOf(
      save(openChannel({ dataDir: ending, project: "default", start: false }), "x"),
    );
    expect(outcome).toBeInstanceOf(ServerUnreachable);
  } finally {
    server.close();
  }
});
