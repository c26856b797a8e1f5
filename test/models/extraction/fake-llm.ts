// Stands in for a language model's server in tests: really listens on 127.0.0.1, speaks Chat Completions without streaming, and
// does what it is told, request by request. Must never know anything about the product but the two lines around a text.

import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { text as readText } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { isObject, type JsonObject } from "../../../src/platform/json/json.ts";

export interface FakeLlm {
  /** Base URL, ending in /v1. */
  readonly url: string;
  /** Oldest first, counted when their body has arrived. */
  readonly requests: readonly FakeRequest[];
  /** What the next requests get, one each, in order of arrival. */
  next(...replies: Reply[]): void;
  /** What requests get when nothing else is left; at first `items()`. */
  otherwise(reply: Reply): void;
  /** Resolves when `count` requests have arrived since the start. */
  arrived(count: number): Promise<void>;
  stop(): Promise<void>;
}

export interface FakeRequest {
  readonly method: string;
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: JsonObject;
  readonly system: string;
  readonly user: string;
  /** What stands between the lines BEGIN TEXT and END TEXT, word joiners taken out. */
  readonly text: string;
  /** `json_schema`, `json_object` or `text`. */
  readonly format: string;
  /** Resolves when the connection is closed: true, the client left before the whole answer was sent. */
  readonly abandoned: Promise<boolean>;
}

/** Answers one request, or leaves it hanging. */
export type Reply = (request: FakeRequest, response: ServerResponse) => void | Promise<void>;

export interface FakeItem {
  readonly content: string;
  readonly evidence: string;
  readonly memory_type?: unknown;
  readonly importance?: unknown;
  readonly expires_at?: unknown;
  readonly operation?: unknown;
  readonly memory?: unknown;
  readonly memory_quote?: unknown;
}

/** What a question shows of what is known: the content below each line MEMORY, by its number. */
export function memoriesIn({ user }: FakeRequest): Map<number, string> {
  const before = user.slice(0, user.search(/^BEGIN TEXT (\w+)\n[\s\S]*\nEND TEXT \1$/m));
  const mark = /^MEMORY (\w{8}) 1, /.exec(before)?.[1] ?? "none";
  const parts = before.split(new RegExp(`^MEMORY ${mark} (\\d+), .*\n`, "m")).slice(1);
  const shown = new Map<number, string>();
  for (let at = 0; at + 1 < parts.length; at += 2)
    shown.set(Number(parts[at]), (parts[at + 1] ?? "").replace(/\n$/, "").replaceAll("\u2060", ""));
  return shown;
}

export async function startFakeLlm(): Promise<FakeLlm> {
  const requests: FakeRequest[] = [];
  const script: Reply[] = [];
  const arrivals = new EventTarget();
  let otherwise: Reply = items();
  const server = createServer(async (message, response) => {
    const request = await readRequest(message, response);
    requests.push(request);
    arrivals.dispatchEvent(new Event("request"));
    await (script.shift() ?? otherwise)(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the fake does not listen");
  return {
    url: `http://127.0.0.1:${address.port}/v1`,
    requests,
    next: (...replies) => void script.push(...replies),
    otherwise: (reply) => {
      otherwise = reply;
    },
    async arrived(count) {
      while (requests.length < count) {
        await new Promise((resolve) => arrivals.addEventListener("request", resolve, { once: true }));
      }
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function readRequest(message: IncomingMessage, response: ServerResponse): Promise<FakeRequest> {
  const closed = Promise.withResolvers<boolean>();
  response.on("close", () => closed.resolve(!response.writableFinished));
  const body: unknown = JSON.parse((await readText(message)) || "{}");
  if (!isObject(body)) throw new Error("the fake was sent no object");
  const said = (role: string) => {
    const messages = Array.isArray(body.messages) ? body.messages.filter(isObject) : [];
    return String(messages.find((one) => one.role === role)?.content ?? "");
  };
  const user = said("user");
  const [, , text = ""] = /^BEGIN TEXT (\w+)\n([\s\S]*)\nEND TEXT \1$/m.exec(user) ?? [];
  const format = isObject(body.response_format) ? String(body.response_format.type) : "text";
  return {
    method: message.method ?? "",
    path: message.url ?? "",
    headers: message.headers,
    body,
    system: said("system"),
    user,
    text: text.replaceAll("\u2060", ""),
    format,
    abandoned: closed.promise,
  };
}

/** A good answer that replaces the memory with this content, if the question shows it. */
export function replaces(content: string, item: FakeItem): Reply {
  return (request, response) => {
    const memory = [...memoriesIn(request)].find(([, shown]) => shown === content)?.[0] ?? null;
    return items({ operation: "replace", memory, memory_quote: content, ...item })(request, response);
  };
}

/** A good answer. Fields that are left out: fact, 0.5, null. */
export function items(...list: readonly FakeItem[]): Reply {
  return says(itemsText(list));
}

/** A good answer that depends on the text in the request. */
export function itemsFrom(read: (text: string) => readonly FakeItem[]): Reply {
  return (request, response) => says(itemsText(read(request.text)))(request, response);
}

export function itemsText(list: readonly FakeItem[]): string {
  const defaults = { memory_type: "fact", importance: 0.5, expires_at: null };
  return JSON.stringify({ items: list.map((item) => ({ ...defaults, ...item })) });
}

interface Completion {
  readonly model?: string | null;
  readonly usage?: JsonObject | null;
  readonly finishReason?: string;
  /** Of the message, beside or instead of its content. */
  readonly message?: JsonObject;
}

/** Status 200 with this as the model's words. */
export function says(content: string | null, completion: Completion = {}): Reply {
  const { model = "fake-model", usage = defaultUsage, finishReason = "stop", message = {} } = completion;
  return sends(200, {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1_700_000_000,
    ...(model === null ? {} : { model }),
    choices: [{ index: 0, finish_reason: finishReason, message: { role: "assistant", content, ...message } }],
    ...(usage === null ? {} : { usage }),
  });
}

export const defaultUsage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };

/** Any status and body; an error of OpenAI's form when there is no body. */
export function sends(
  status: number,
  body: JsonObject | string = { error: { message: `failed with ${status}`, type: "error" } },
  headers: Readonly<Record<string, string>> = {},
): Reply {
  return (_, response) => {
    const isText = typeof body === "string";
    response.writeHead(status, { "Content-Type": isText ? "text/html" : "application/json", ...headers });
    response.end(isText ? body : JSON.stringify(body));
  };
}

/** Refuses every request whose response format is none of `formats`, and leaves the others to `then`. */
export function accepts(formats: readonly string[], refusal: Reply, then: Reply): Reply {
  return (request, response) => (formats.includes(request.format) ? then : refusal)(request, response);
}

/** How servers say no to a response format. */
export const formatRefusals: Readonly<Record<string, Reply>> = {
  vllm: sends(400, {
    object: "error",
    message: "The provided JSON schema contains features not supported by xgrammar.",
    type: "BadRequestError",
    param: null,
    code: 400,
  }),
  "vllm validation": sends(422, {
    detail: [
      { type: "literal_error", loc: ["body", "response_format", "type"], msg: "Input should be 'text'" },
    ],
  }),
  "llama.cpp": sends(400, {
    error: {
      code: 400,
      message: 'response_format type must be one of "text" or "json_object", but got: json_schema',
      type: "invalid_request_error",
    },
  }),
  "llama.cpp grammar": sends(400, {
    error: { code: 400, message: "Failed to parse grammar", type: "invalid_request_error" },
  }),
  ollama: sends(400, {
    error: {
      message:
        "json: cannot unmarshal object into Go struct field ChatCompletionRequest.response_format of type string",
      type: "invalid_request_error",
      param: null,
      code: null,
    },
  }),
  "ollama schema": sends(500, { error: "invalid JSON schema in format" }),
  "LM Studio": sends(400, { error: "'response_format.type' must be 'text'" }),
  "by parameter": sends(400, {
    error: { message: "Not supported with this model.", param: "response_format", code: null },
  }),
  "not implemented": sends(501, { error: { message: "structured outputs are not implemented" } }),
};

/** Closes the connection in the middle of an answer. */
export const cutsOff: Reply = async (_, response) => {
  response.writeHead(200, { "Content-Type": "application/json", "Content-Length": "1000" });
  await new Promise<void>((resolve) =>
    response.write('{"choices": [{"message": {"content": "', () => resolve()),
  );
  response.destroy();
};

/** Never answers. */
export const hangs: Reply = () => {};

/** Begins to answer and never ends. */
export const stalls: Reply = (_, response) => {
  response.writeHead(200, { "Content-Type": "application/json" });
  response.write(" ");
};

/** Sends white space until the client leaves. */
export const neverEnds: Reply = async (_, response) => {
  response.writeHead(200, { "Content-Type": "application/json" });
  const megabyte = Buffer.alloc(1024 * 1024, " ");
  const endless = (function* () {
    for (;;) yield megabyte;
  })();
  await pipeline(Readable.from(endless), response).catch(() => {});
};

export function redirects(location: string, status = 307): Reply {
  return sends(status, {}, { Location: location });
}
