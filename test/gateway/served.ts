// Starts a server whose gateway has the upstream of tests, under both kinds of APIs, and a project with memories. Must never put memory into
// a request itself.

import { memoryTypes } from "../../src/memory/memory.ts";
import { type Dated, dividePrompt } from "../../src/memory/search/prompt.ts";
import { isObject, type JsonObject } from "../../src/platform/json/json.ts";
import { startTestApp, type TestApp } from "../fixture.ts";
import { type FakeUpstream, startFakeUpstream } from "./fake-upstream.ts";

/** What the upstreams are given as their keys. No client, log, record or file of a database may contain them. */
export const upstreamKeys = { openai: "sk-upstream-openai-5f1c", anthropic: "sk-upstream-anthropic-9d2e" };

export const rule = "Answer in one sentence.";
export const fact = "Releases are on Tuesdays.";

export interface ServedGateway extends AsyncDisposable {
  readonly app: TestApp;
  readonly upstream: FakeUpstream;
  /** The sections that are put into requests: the rule and the fact, whatever is asked. */
  readonly sections: { readonly rules: string; readonly reference: string };
}

/** @param more lines of each table of an upstream; a request has time for its memory also on a machine with other work */
export async function startGateway(
  more = "memory-floor = 0\nmemory-deadline-ms = 20000\nask-for-usage = false",
  flags: Readonly<Record<string, string>> = {},
): Promise<ServedGateway> {
  const upstream = await startFakeUpstream();
  const app = await startTestApp(flags, undefined, undefined, upstreamTables(upstream.origin, more));
  const create = async (content: string, memory_type: string) => {
    const { status, text } = await app.call("POST", "/v1/memories", { body: { content, memory_type } });
    if (status !== 201) throw new Error(text);
  };
  await create(rule, "rule");
  await create(fact, "fact");
  const { data } = await app.call("POST", "/v1/memories/inject", {
    body: { query: "When do we release?", min_similarity: 0 },
  });
  return {
    app,
    upstream,
    sections: dividePrompt(datedIn(data)),
    async [Symbol.asyncDispose]() {
      await app.stop();
      await upstream.close();
    },
  };
}

/** The memories of an injection. */
function datedIn({ rules, results }: JsonObject): readonly Dated[] {
  const found = Array.isArray(results) ? results.filter(isObject).map(({ memory }) => memory) : [];
  return [...(Array.isArray(rules) ? rules : []), ...found].filter(isObject).map((memory) => ({
    content: String(memory.content),
    type: memoryTypes.find((type) => type === memory.memory_type) ?? "fact",
    createdAt: Date.parse(String(memory.created_at)),
    updatedAt: Date.parse(String(memory.updated_at)),
    expiresAt: null,
  }));
}

/** Tables of memledger.toml. A model is sent to the upstream of the API in which it was asked for. */
export function upstreamTables(origin: string, more: string): string {
  const table = (kind: "openai" | "anthropic", baseUrl: string) =>
    `[[gateway.upstreams]]\nname = "fake-${kind}"\nkind = "${kind}"\nbase-url = "${baseUrl}"\napi-key = "${upstreamKeys[kind]}"\n${more}\n`;
  return `${table("openai", `${origin}/v1`)}\n${table("anthropic", origin)}`;
}

/** The text of a request without the sections that the gateway has put in: what the client has sent. */
export function withoutMemory(text: string, { rules, reference }: ServedGateway["sections"]): string {
  let left = text;
  for (const section of [rules, reference].filter((each) => each !== "")) {
    const inside = JSON.stringify(section).slice(1, -1);
    const forms = [
      `,{"type":"text","text":"${inside}"}`,
      `,{"type":"input_text","text":"${inside}"}`,
      `{"role":"system","content":"${inside}"},`,
      `{"role":"developer","content":"${inside}"},`,
      `"instructions":"${inside}",`,
      `"system":"${inside}",`,
      `,"instructions":"${inside}"`,
      `,"system":"${inside}"`,
      `\\n\\n${inside}`,
    ];
    const form = forms.find((each) => left.includes(each));
    // A function: the text may contain what `replace` takes for a pattern.
    if (form !== undefined) left = left.replace(form, () => "");
  }
  return left;
}
