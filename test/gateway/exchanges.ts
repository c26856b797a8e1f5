// Starts a server with an upstream for tests of the gateway, and sends requests to it.

import type { Call } from "../../src/calls/contract/call.ts";
import { type RecordRow, startTestApp, type TestApp } from "../fixture.ts";
import { type FakeUpstream, startFakeUpstream } from "./fake-upstream.ts";

export interface TestGateway extends AsyncDisposable {
  readonly app: TestApp;
  /** Has the models `fake` and `fake-*` over the APIs of OpenAI. */
  readonly openai: FakeUpstream;
  /** Has the models `claude` and `claude-*` over the API of Anthropic. */
  readonly anthropic: FakeUpstream;
  post(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Response>;
  remember(content: string, type?: string, fields?: object): Promise<string>;
  /** Waits for this before each commit; null: for nothing. */
  beforeCommit(wait: ((call: Call) => Promise<void>) | null): void;
  /** The last record of a call of the gateway. */
  lastRecord(): RecordRow;
}

export const upstreamKey = "sk-of-the-operator-0123456789";

/**
 * @param toml more of memledger.toml, behind its upstreams
 * @param head in front of them
 */
export async function startTestGateway(toml = "", head = ""): Promise<TestGateway> {
  const openai = await startFakeUpstream();
  const anthropic = await startFakeUpstream();
  const config = `${head}
[[gateway.upstreams]]
name = "quick"
kind = "openai"
base-url = "${openai.origin}/v1"
models = ["fake-quick"]
memory-deadline-ms = 20

[[gateway.upstreams]]
name = "local"
kind = "openai"
base-url = "${openai.origin}/v1"
api-key = "${upstreamKey}"
models = ["fake", "fake-*"]
memory-deadline-ms = 60000
timeout-seconds = 2
prices = [{ model = "fake", input-usd = 1.0, output-usd = 2.0 }]

[[gateway.upstreams]]
name = "claude"
kind = "anthropic"
base-url = "${anthropic.origin}"
api-key = "${upstreamKey}"
models = ["claude", "claude-*"]
memory-deadline-ms = 60000
${toml}
`;
  let wait: ((call: Call) => Promise<void>) | null = null;
  const app = await startTestApp(
    {},
    undefined,
    async (call, commit) => {
      await wait?.(call);
      return commit(call);
    },
    config,
  );
  return {
    app,
    openai,
    anthropic,
    post: (path, body, headers = {}) =>
      fetch(`${app.url}${path}`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${app.apiKey}`,
          "content-type": "application/json",
          ...headers,
        },
        body:
          typeof body === "string" || body instanceof Uint8Array ? new Blob([body]) : JSON.stringify(body),
      }),
    async remember(content, type = "fact", fields = {}) {
      const body = { content, memory_type: type, ...fields };
      const { data, status, message } = await app.call("POST", "/v1/memories", { body });
      if (status !== 201) throw new Error(message);
      return String(data.id);
    },
    beforeCommit(next) {
      wait = next;
    },
    lastRecord() {
      const record = app.records(app.projectId).findLast(({ action }) => action.startsWith("gateway."));
      if (record === undefined) throw new Error("no record");
      return record;
    },
    async [Symbol.asyncDispose]() {
      await app.stop();
      await openai.close();
      await anthropic.close();
    },
  };
}
