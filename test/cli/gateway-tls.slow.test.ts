// An upstream with TLS as operators see it: its certificate is checked, and one of a private authority is accepted when the server knows
// that authority.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:https";
import { join } from "node:path";
import { createAuthority, issue, issueEnding, type TestCertificate } from "../certificates.ts";
import { cleanUp, createFolder, serve, type Variables } from "./command.ts";

const servers: Server[] = [];
let authority: TestCertificate;
let issued: TestCertificate;
beforeAll(() => {
  const folder = createFolder();
  authority = createAuthority(folder);
  issued = issue(folder, authority, "upstream");
});
afterAll(async () => {
  for (const server of servers) server.close();
  await cleanUp();
});

async function startUpstream({ certificate, key }: TestCertificate): Promise<number> {
  const server = createServer(
    { cert: readFileSync(certificate), key: readFileSync(key) },
    (request, response) => {
      request.resume();
      request.on("end", () =>
        response.setHeader("content-type", "application/json").end('{"answer":"kept"}'),
      );
    },
  );
  servers.push(server);
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("no port");
  return address.port;
}

async function ask(upstream: TestCertificate, variables: Variables = {}) {
  const dataDir = join(createFolder(), "data");
  const port = await startUpstream(upstream);
  mkdirSync(dataDir, { mode: 0o700 });
  const table = `[[gateway.upstreams]]\nname = "private"\nbase-url = "https://127.0.0.1:${port}/v1"\napi-key = "sk-private"\n`;
  writeFileSync(join(dataDir, "memledger.toml"), table, { mode: 0o600 });
  const server = await serve(dataDir, [], variables);
  const response = await fetch(`${server.url}/v1/chat/completions`, {
    method: "POST",
    headers: { Authorization: `Bearer ${String(server.ready.api_key)}`, "Content-Type": "application/json" },
    body: JSON.stringify({ model: "any", messages: [{ role: "user", content: "Hello." }] }),
  });
  const answer = { status: response.status, text: await response.text() };
  await server.end("SIGTERM");
  return answer;
}

test("an authority that the server does not know is not trusted, and the message says how it gets to know it", async () => {
  const { status, text } = await ask(issued);
  expect(status).toBe(502);
  expect(text).toContain("certificate");
  expect(text).toContain("NODE_EXTRA_CA_CERTS");
  expect(text).not.toContain("sk-private");
});

test("an authority that the server knows is trusted", async () => {
  expect(await ask(issued, { NODE_EXTRA_CA_CERTS: authority.certificate })).toEqual({
    status: 200,
    text: '{"answer":"kept"}',
  });
});

test("a certificate that has ended is not trusted", async () => {
  const ended = issueEnding(createFolder(), "ended", -1);
  const { status, text } = await ask(ended, { NODE_EXTRA_CA_CERTS: ended.certificate });
  expect(status).toBe(502);
  expect(text).toContain("certificate");
});
