// Holds the key of cached answers to its promise: identical requests of a key share an answer, and no others do.

import { describe, expect, test } from "bun:test";
import type { Caller } from "../../src/access/caller.ts";
import { permissions } from "../../src/access/key.ts";
import {
  type IdenticalRequest,
  keepHeaders,
  mayBeRepeated,
  toAnswerKey,
} from "../../src/calls/operations/gateway/answer-key.ts";

const callerOf = (project: string, key: string): Caller => ({
  subject: null,
  conversation: null,
  owner: { project, subject: null },
  ownsProject: false,
  isProjectDeleted: false,
  key: {
    id: key,
    name: "key",
    permissions,
    createdAt: 0,
    expiresAt: null,
    revokedAt: null,
    lastUsedAt: null,
    tokenEpoch: 0,
    subject: null,
    gateway: null,
  },
  project: {
    id: project,
    name: project,
    plan: "custom",
    subscription: "active",
    credits: null,
    memoryLimit: null,
    passageLimit: null,
    retentionDays: null,
    createdAt: 0,
  },
});

const request: IdenticalRequest = {
  caller: callerOf("p", "k"),
  erasures: "0 3",
  url: "https://api.example.com/v1/chat/completions",
  headers: new Headers({ authorization: "Bearer secret", "content-type": "application/json" }),
  body: new TextEncoder().encode('{"model":"m"}'),
};
const { digest } = toAnswerKey(request);

describe("two requests are identical", () => {
  test("although their programs name themselves, their attempt and their trace", () => {
    const headers = new Headers(request.headers);
    headers.set("user-agent", "program/2");
    headers.set("x-stainless-retry-count", "1");
    headers.set("traceparent", "00-1-2-3");
    expect(toAnswerKey({ ...request, headers })).toEqual({ digest, project: "p", keyId: "k" });
  });

  test.each<[string, Partial<IdenticalRequest>]>([
    ["project", { caller: callerOf("other", "k") }],
    ["key", { caller: callerOf("p", "other") }],
    ["number of erasures", { erasures: "0 4" }],
    ["upstream", { url: "https://other.example.com/v1/chat/completions" }],
    ["query", { url: `${request.url}?beta=true` }],
    ["key of the upstream", { headers: new Headers({ authorization: "Bearer another" }) }],
    ["unknown header", { headers: new Headers([...request.headers, ["anthropic-beta", "x"]]) }],
    ["body", { body: new TextEncoder().encode('{"model":"n"}') }],
  ])("but not with another %s", (_, changed) => {
    expect(toAnswerKey({ ...request, ...changed }).digest).not.toBe(digest);
  });
});

test("only complete answers are repeated, and no stream with tools", () => {
  const ended = { isStream: true, hasTools: false, status: 200, isComplete: true };
  expect(mayBeRepeated(ended)).toBe(true);
  expect(mayBeRepeated({ ...ended, hasTools: true })).toBe(false);
  expect(mayBeRepeated({ ...ended, hasTools: true, isStream: false })).toBe(true);
  expect(mayBeRepeated({ ...ended, isComplete: false })).toBe(false);
  expect(mayBeRepeated({ ...ended, status: 429 })).toBe(false);
  expect(mayBeRepeated({ ...ended, status: 202 })).toBe(false);
});

test("headers that were true for the first request only are not repeated", () => {
  const headers = new Headers({
    "content-type": "application/json",
    "x-ratelimit-remaining-tokens": "5",
    "x-request-id": "req_1",
  });
  expect(keepHeaders(headers)).toEqual([["content-type", "application/json"]]);
});
