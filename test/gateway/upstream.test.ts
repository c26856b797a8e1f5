// Proves which upstream gets a request, at which address, with which headers, and which settings are refused.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { chooseTarget } from "../../src/calls/operations/gateway/choose-target.ts";
import { chooseUpstream, explainChoice } from "../../src/gateway/choose-upstream.ts";
import { headersToClient, headersToUpstream, isRedirect } from "../../src/gateway/headers.ts";
import { matches } from "../../src/gateway/model-pattern.ts";
import { toTargetUrl } from "../../src/gateway/target-url.ts";
import { findKeyFault, findUpstreamFault, type Upstream } from "../../src/gateway/upstream.ts";

const local: Upstream = {
  name: "local",
  kind: "openai",
  baseUrl: "http://127.0.0.1:11434/v1",
  apiKey: null,
  models: ["qwen3:8b", "llama*"],
  timeoutSeconds: 600,
  allowsPlainHttp: false,
  asksForUsage: true,
  subjectFromUser: false,
  prices: [],
  memory: {
    isOn: true,
    maxCharacters: null,
    minSimilarity: null,
    tags: null,
    failure: "fail_open",
    deadlineMs: 50,
  },
};
const remote: Upstream = {
  ...local,
  name: "remote",
  baseUrl: "https://api.example.com/v1",
  apiKey: "sk-1",
  models: ["*"],
};
const other: Upstream = {
  ...remote,
  name: "other",
  kind: "anthropic",
  baseUrl: "https://b.example.com",
  models: ["claude-*"],
};

describe("the choice", () => {
  const choose = (model: string, kind: Upstream["kind"] = "openai") => {
    const choice = chooseUpstream([other, local, remote], model, kind);
    return "upstream" in choice ? choice.upstream.name : choice.fault;
  };

  test("is the first that names the model and has the API", () => {
    expect(choose("qwen3:8b")).toBe("local");
    expect(choose("llama3")).toBe("local");
    expect(choose("gpt-5")).toBe("remote");
    expect(choose("claude-x", "anthropic")).toBe("other");
    expect(choose("claude-x")).toBe("remote");
    expect(choose("gpt-5", "anthropic")).toBe("other kind");
    expect(chooseUpstream([local], "gpt-5", "openai")).toEqual({ fault: "no match" });
    expect(explainChoice("other kind", "anthropic")).toContain('kind = "anthropic"');
  });

  test.each([
    ["gpt-*", "gpt-5", true],
    ["gpt-*", "gpt-", true],
    ["gpt-*", "GPT-5", false],
    ["*", "", true],
    ["*-mini", "gpt-5-mini", true],
    ["*-mini", "gpt-5-mini-2", false],
    ["a*b*c", "aXbYbZc", true],
    ["a*b*c", "abcb", false],
    ["a.c", "abc", false],
    ["a?c", "abc", false],
    ["", "a", false],
    ["gpt", "gpt-5", false],
    ["gpt-5", "gpt", false],
  ])("%s for %s: %p", (pattern, model, expected) => {
    expect(matches(pattern, model)).toBe(expected);
  });

  test("a pattern matches what the same regular expression matches", () => {
    const letters = fc.string({ unit: fc.constantFrom("a", "b", "*"), maxLength: 8 });
    fc.assert(
      fc.property(
        letters,
        fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 10 }),
        (pattern, model) => {
          expect(matches(pattern, model)).toBe(new RegExp(`^${pattern.replaceAll("*", ".*")}$`).test(model));
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test("no pattern takes exponential time", () => {
    expect(matches("a*".repeat(128), `${"a".repeat(255)}b`)).toBe(true);
    expect(matches(`${"a*".repeat(127)}c`, `${"a".repeat(255)}b`)).toBe(false);
  });
});

describe("refused settings", () => {
  test.each<[Partial<Upstream>, string | null]>([
    [{}, null],
    [{ baseUrl: "https://api.example.com", apiKey: "k" }, null],
    [{ apiKey: "k" }, null],
    [{ baseUrl: "http://[::1]:80/v1", apiKey: "k" }, null],
    [{ baseUrl: "http://10.0.0.7/v1" }, null],
    [{ baseUrl: "http://10.0.0.7/v1", apiKey: "k" }, "over plain HTTP"],
    [{ baseUrl: "http://127.0.0.1.example.com/v1", apiKey: "k" }, "over plain HTTP"],
    [{ baseUrl: "http://localhost.example.com/v1", apiKey: "k" }, "over plain HTTP"],
    [{ baseUrl: "http://10.0.0.7/v1", apiKey: "k", allowsPlainHttp: true }, null],
    [{ baseUrl: "https://user:secret@example.com/v1" }, "user name or a password"],
    [{ baseUrl: "https://secret@example.com/v1" }, "user name or a password"],
    [{ baseUrl: "https://example.com/v1?key=secret" }, "a query or a fragment"],
    [{ baseUrl: "https://example.com/v1#" }, "a query or a fragment"],
    [{ baseUrl: "file:///etc/passwd" }, "not an http or https URL"],
    [{ baseUrl: "api.example.com/v1" }, "not an http or https URL"],
    [{ models: [] }, "models is empty"],
    [{ models: ["a", ""] }, "models contains a name"],
    [{ name: "" }, "name must have"],
    [{ name: "a\nb" }, "name must have"],
    [{ apiKey: "key\r\nX-Other: 1" }, "characters that a header cannot contain"],
    [{ apiKey: "" }, "characters that a header cannot contain"],
  ])("%j", (settings, expected) => {
    const fault = findUpstreamFault({ ...local, ...settings });
    if (expected === null) expect(fault).toBeNull();
    else expect(fault).toContain(expected);
    expect(fault ?? "").not.toContain("secret@");
  });

  test("a credential of a client passes only where a key would", () => {
    const passes = (settings: Partial<Upstream>) =>
      chooseTarget([{ ...local, models: ["*"], ...settings }], "m", "openai", new Headers())
        .passesCredentials;
    expect(passes({})).toBe(true);
    expect(passes({ baseUrl: "https://api.example.com/v1" })).toBe(true);
    expect(passes({ baseUrl: "http://10.0.0.7/v1" })).toBe(false);
    expect(passes({ baseUrl: "http://10.0.0.7/v1", allowsPlainHttp: true })).toBe(true);
  });

  test("a key of a client is under the same rule", () => {
    expect(findKeyFault("http://10.0.0.7/v1", "client-key", false)).toContain("over plain HTTP");
    expect(findKeyFault("https://example.com", "client-key", false)).toBeNull();
  });
});

test.each([
  [
    "openai",
    "https://api.openai.com/v1",
    "/chat/completions",
    "",
    "https://api.openai.com/v1/chat/completions",
  ],
  ["openai", "https://api.openai.com/v1/", "/responses", "?a=b", "https://api.openai.com/v1/responses?a=b"],
  ["openai", "http://localhost:1234/api/v3", "/models", "", "http://localhost:1234/api/v3/models"],
  [
    "anthropic",
    "https://api.anthropic.com",
    "/messages",
    "?beta=true",
    "https://api.anthropic.com/v1/messages?beta=true",
  ],
  [
    "anthropic",
    "https://api.anthropic.com/v1/",
    "/messages/count_tokens",
    "",
    "https://api.anthropic.com/v1/messages/count_tokens",
  ],
] as const)("the address: %s %s%s", (kind, baseUrl, path, search, expected) => {
  expect(toTargetUrl({ kind, baseUrl }, path, search)).toBe(expected);
});

describe("headers", () => {
  test("to the upstream: everything but credentials, the connection and the network of the client", () => {
    const received = new Headers({
      Authorization: "Bearer ml_secret",
      "X-Api-Key": "ml_secret",
      Cookie: "memledger_session=secret",
      "Memledger-Upstream-Key": "sk-client",
      "Memledger-Memory": "off",
      Connection: "keep-alive, X-Hop",
      "X-Hop": "1",
      "Keep-Alive": "timeout=5",
      "Transfer-Encoding": "chunked",
      Host: "memledger.example",
      "Content-Length": "7",
      "Accept-Encoding": "gzip, br",
      "X-Forwarded-For": "10.0.0.1",
      Origin: "http://localhost",
      "Content-Type": "application/json",
      "OpenAI-Organization": "org",
      "anthropic-version": "2023-06-01",
      "anthropic-beta": "a,b",
      "X-Stainless-Lang": "js",
      "User-Agent": "client/1",
      Accept: "text/event-stream",
    });
    const kept = {
      accept: "text/event-stream",
      "accept-encoding": "identity",
      "anthropic-beta": "a,b",
      "anthropic-version": "2023-06-01",
      "content-type": "application/json",
      "openai-organization": "org",
      "user-agent": "client/1",
      "x-stainless-lang": "js",
    };
    const sent = (kind: Upstream["kind"], key: string | null) =>
      Object.fromEntries(headersToUpstream(received, { kind, key }));
    expect(sent("openai", null)).toEqual(kept);
    expect(sent("openai", "sk-1")).toEqual({ ...kept, authorization: "Bearer sk-1" });
    expect(sent("anthropic", "sk-1")).toEqual({ ...kept, "x-api-key": "sk-1" });
  });

  test("to the client: everything but the connection, statements about the other host, and our own names", () => {
    const received = new Headers({
      Connection: "close, X-Hop",
      "X-Hop": "1",
      "Content-Length": "7",
      "Set-Cookie": "__cf_bm=1",
      "Alt-Svc": 'h3=":443"',
      "Strict-Transport-Security": "max-age=1",
      "Access-Control-Allow-Origin": "*",
      "Memledger-Memory": "injected=99",
      "Content-Security-Policy": "default-src *",
      "Content-Security-Policy-Report-Only": "default-src *; report-uri https://example.com",
      "X-Frame-Options": "ALLOWALL",
      "X-Content-Type-Options": "none",
      "Cross-Origin-Resource-Policy": "cross-origin",
      "Referrer-Policy": "unsafe-url",
      "Permissions-Policy": "camera=*",
      "Reporting-Endpoints": 'a="https://example.com"',
      "Service-Worker-Allowed": "/",
      Refresh: "0;url=https://example.com",
      "Content-Type": "text/event-stream",
      "x-ratelimit-remaining-tokens": "5",
      "retry-after": "3",
      "request-id": "req_1",
      "openai-processing-ms": "9",
      "Content-Encoding": "gzip",
    });
    expect(Object.fromEntries(headersToClient(received))).toEqual({
      "content-encoding": "gzip",
      "content-type": "text/event-stream",
      "openai-processing-ms": "9",
      "request-id": "req_1",
      "retry-after": "3",
      "x-ratelimit-remaining-tokens": "5",
    });
  });

  test("redirects", () => {
    expect([200, 301, 304, 307, 308, 400].map(isRedirect)).toEqual([false, true, false, true, true, false]);
  });
});
