// Proves which bodies are refused, and how requests are recorded.

import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { chooseUpstream } from "../../src/gateway/choose-upstream.ts";
import type { DialectName } from "../../src/gateway/dialects/dialect.ts";
import { dialects } from "../../src/gateway/dialects/dialects.ts";
import { decodeBody, readBody } from "../../src/gateway/dialects/request-body.ts";
import { Refusal } from "../../src/platform/errors.ts";

function refusalOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof Refusal) return `${error.code}: ${error.message}`;
    throw error;
  }
  return "accepted";
}

describe("a body that is no chat", () => {
  test.each([
    ["", "1400: The body is not valid JSON"],
    ["[]", "1400: The body is not a JSON object"],
    ["{}", '1400: Field "model" must be the name'],
    ['{"model":""}', '1400: Field "model" must be the name'],
    ['{"model":7}', '1400: Field "model" must be the name'],
    ['{"model":"m","model":"n"}', '1400: Field "model" is sent more than once'],
    ['{"model":"m","a":{"b":1,"\\u0062":2}}', '1400: Field "a/b" is sent more than once'],
    ['{"model":"m", /* hidden */ "messages":[]}', "1400: The body is not valid JSON"],
    ['{"model":"m","messages":[],}', "1400: The body is not valid JSON"],
    ['\ufeff{"model":"m"}', "1400: The body is not valid JSON"],
    [`{"model":"m","a":${"[".repeat(200)}${"]".repeat(200)}}`, "1400: The body has more than 128 levels"],
    [`{"model":"m","a":${"[".repeat(1_000_000)}`, "1400: The body has more than 128 levels"],
    [`{"model":"m","a":[${"1,".repeat(200_000)}1]}`, "1400: The body has more than 200000 JSON values"],
    [`{"model":"${"m".repeat(257)}"}`, '1400: Field "model" must be the name'],
  ])("%p", (text, expected) => {
    expect(refusalOf(() => readBody(text.length > 0 ? text : ""))).toStartWith(expected);
  });

  test.each<[DialectName, object, string]>([
    ["chat", {}, "messages"],
    ["chat", { messages: [] }, "messages"],
    ["chat", { messages: ["hello"] }, "messages"],
    ["chat", { messages: { role: "user" } }, "messages"],
    ["responses", {}, "input"],
    ["responses", { input: [7] }, "input"],
    ["messages", { messages: null }, "messages"],
  ])("%s %j", (name, body, field) => {
    const text = JSON.stringify({ model: "m", ...body });
    expect(refusalOf(() => dialects[name].read(readBody(text)))).toStartWith(
      `1400: Field "${field}" must be an array`,
    );
  });

  test("bytes that are not UTF-8", () => {
    expect(refusalOf(() => decodeBody(Uint8Array.of(0x7b, 0xff)))).toStartWith("1415:");
  });
});

describe("the record of a request", () => {
  const bytes = Buffer.from("image".repeat(1_000));
  const data = bytes.toString("base64");
  const digest = {
    media_type: "image/png",
    bytes: bytes.length,
    sha256: createHash("sha256").update(bytes).digest("hex"),
  };
  const record = (name: DialectName, text: string) => dialects[name].record(readBody(text));

  test("large images are replaced by media type, length and digest, in each API", () => {
    const image_url = `data:image/png;base64,${data}`;
    const chat = JSON.stringify({
      model: "m",
      messages: [{ role: "user", content: [{ type: "image_url", image_url: { url: image_url } }] }],
    });
    expect(record("chat", chat).input).toEqual([
      { role: "user", content: [{ type: "image_url", image_url: { url: digest } }] },
    ]);
    const responses = JSON.stringify({
      model: "m",
      input: [{ role: "user", content: [{ type: "input_image", image_url }] }],
    });
    expect(record("responses", responses).input).toEqual({
      input: [{ role: "user", content: [{ type: "input_image", image_url: digest }] }],
    });
    const source = { type: "base64", media_type: "image/png", data };
    const messages = JSON.stringify({
      model: "m",
      system: "s",
      messages: [{ role: "user", content: [{ type: "image", source }] }],
    });
    expect(record("messages", messages).input).toEqual({
      system: "s",
      messages: [{ role: "user", content: [{ type: "image", source: { ...source, data: digest } }] }],
    });
    for (const text of [chat, responses, messages])
      expect(JSON.stringify(record("chat", text).body)).not.toContain(data);
  });

  test("small data, other texts and addresses stay", () => {
    const content = [
      { type: "text", text: data },
      { type: "image_url", image_url: { url: `https://example.com/${"a/".repeat(900)}?b=c d` } },
      { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
    ];
    const body = { model: "m", messages: [{ role: "user", content }] };
    expect(record("chat", JSON.stringify(body)).body).toEqual(body);
  });

  test("what a record cannot contain is text", () => {
    const text =
      '{"model":"m","seed":12345678901234567890,"n":1e999,"__proto__":{"x":"\\ud800"},"messages":[{"role":"user"}]}';
    expect(JSON.stringify(record("chat", text).body)).toBe(
      '{"model":"m","seed":"12345678901234567890","n":"1e999","__proto__":{"x":"\ufffd"},"messages":[{"role":"user"}]}',
    );
  });
});

describe("errors in the form of the provider", () => {
  const message = "No upstream of the gateway has this model.";
  const form = (name: DialectName, status: number) =>
    dialects[name].toError({ status, message, field: null });

  test.each([
    [400, "invalid_request_error", null],
    [401, "invalid_request_error", "invalid_api_key"],
    [402, "insufficient_quota", "insufficient_quota"],
    [403, "invalid_request_error", "permission_denied"],
    [404, "invalid_request_error", "model_not_found"],
    [413, "invalid_request_error", "request_too_large"],
    [429, "requests", "rate_limit_exceeded"],
    [500, "server_error", null],
    [502, "server_error", "upstream_error"],
    [504, "server_error", "upstream_timeout"],
    [418, "invalid_request_error", null],
  ])("OpenAI %d", (status, type, code) => {
    const expected = { error: { message, type, param: null, code } };
    expect(form("chat", status)).toEqual(expected);
    expect(form("responses", status)).toEqual(expected);
  });

  test.each([
    [400, "invalid_request_error"],
    [401, "authentication_error"],
    [402, "billing_error"],
    [403, "permission_error"],
    [404, "not_found_error"],
    [413, "request_too_large"],
    [429, "rate_limit_error"],
    [500, "api_error"],
    [502, "api_error"],
    [503, "overloaded_error"],
    [504, "timeout_error"],
  ])("Anthropic %d", (status, type) => {
    expect(form("messages", status)).toEqual({ type: "error", error: { type, message } });
  });
});

test("each API needs upstreams of its kind", () => {
  expect(Object.values(dialects).map(({ name, kind, path }) => [name, kind, path])).toEqual([
    ["chat", "openai", "/chat/completions"],
    ["responses", "openai", "/responses"],
    ["messages", "anthropic", "/messages"],
  ]);
  expect(chooseUpstream([], "m", "openai")).toEqual({ fault: "no upstreams" });
});
