// Tests exchanges over a real listening server. Only the first half of the operation is replaced, because it would need an upstream.

import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { Refusal } from "../../src/platform/errors.ts";
import type { JsonObject } from "../../src/platform/json/json.ts";
import { startTestApp, type TestApp } from "../fixture.ts";
import {
  encode,
  events,
  exchangeBy,
  isComplete,
  openExchange,
  receiveAll,
  restoreExchange,
  sendExchange,
} from "./exchanging.ts";

let app: TestApp;
let beforeCommit: (operation: string) => Promise<void> = async () => {};

beforeAll(async () => {
  app = await startTestApp({}, undefined, async (call, commit) => {
    await beforeCommit(call.operation);
    return commit(call);
  });
});
afterAll(() => app.stop());

afterEach(() => {
  restoreExchange();
  beforeCommit = async () => {};
});

function lastRecord() {
  const record = app.records(app.projectId).at(-1);
  if (record === undefined) throw new Error("no record");
  return record;
}

describe("an exchange", () => {
  test("passes an answer on, and ends it after its record is committed", async () => {
    const committed = Promise.withResolvers<void>();
    beforeCommit = async () => committed.promise;
    exchangeBy(async (exchange) => {
      exchange.begin({ status: 201, headers: events });
      await exchange.write(encode("data: 1\n\n"));
      await exchange.write(encode("data: 2\n\n"));
      exchange.hold([encode("data: "), encode("[DONE]\n\n")]);
      return {
        details: { model_id: "m", request_body: { model: "m" }, output_content: "12" },
        entry: {
          status: 201,
          code: 1000,
          numbers: {
            tokens: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
            is_cache_hit: true,
          },
        },
      };
    });
    const response = await sendExchange(app);
    expect(response.status).toBe(201);
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    expect(response.headers.get("x-request-id")).toBe("req-1");
    const reader = response.body?.getReader();
    const pieces: string[] = [];
    const read = async () => {
      const piece = await reader?.read();
      if (piece?.value !== undefined) pieces.push(new TextDecoder().decode(piece.value));
      return piece?.done ?? true;
    };
    while (!pieces.join("").includes("data: 2\n\n")) await read();
    const before = app.countRecords(app.projectId);
    expect(pieces.join("")).toBe("data: 1\n\ndata: 2\n\n");
    committed.resolve();
    while (!(await read()));
    expect(pieces.join("")).toBe("data: 1\n\ndata: 2\n\ndata: [DONE]\n\n");
    expect(app.countRecords(app.projectId)).toBe(before + 1);
    const { action, status, entry, payload } = lastRecord();
    expect({ action, status, code: entry.code, performed: entry.performed }).toEqual({
      action: "gateway.chat",
      status: 201,
      code: 1000,
      performed: true,
    });
    expect(entry.numbers).toMatchObject({ tokens: { total_tokens: 3 }, is_cache_hit: true });
    expect(entry.id).toBe(response.headers.get("memledger-record"));
    expect(payload).toMatchObject({ transport: "gateway", model_id: "m", output_content: "12" });
  });

  test("that holds its whole answer sends it with its length", async () => {
    exchangeBy(async (exchange) => {
      exchange.begin({ status: 200, headers: new Headers({ "content-type": "application/json" }) });
      exchange.hold([exchange.body]);
      return {};
    });
    const response = await sendExchange(app, { body: '{"model":"ä"}' });
    expect(response.headers.get("content-length")).toBe("14");
    expect(await response.text()).toBe('{"model":"ä"}');
  });

  test("is refused in the form of the API, with its record", async () => {
    exchangeBy(async () => {
      throw new Refusal(1429, "Too much.", { field: "model" }, 7, { model_id: "m" });
    });
    const response = await sendExchange(app);
    expect(response.status).toBe(429);
    expect(response.headers.get("retry-after")).toBe("7");
    const { error } = (await response.json()) as { error: JsonObject };
    expect(error).toMatchObject({ message: "Too much.", param: "model", code: "rate_limit_exceeded" });
    const { entry, payload } = lastRecord();
    expect(entry).toMatchObject({ action: "gateway.chat", status: 429, code: 1429, performed: true });
    expect(entry.id).toBe(response.headers.get("memledger-record"));
    expect(payload.model_id).toBe("m");
  });

  test("without its permission is refused before the body is read", async () => {
    const { key } = await app.createKey(app.projectId, ["memory.read"]);
    const response = await sendExchange(app, {
      body: "{",
      headers: { authorization: "Bearer none", "x-api-key": key },
    });
    expect(response.status).toBe(403);
    const { error } = (await response.json()) as { error: JsonObject };
    expect(error.message).toContain("gateway.use");
    expect(lastRecord().entry).toMatchObject({ code: 1403, performed: true });
  });

  test("cannot be recorded: the client gets no end", async () => {
    exchangeBy(async (exchange) => {
      exchange.begin({ status: 200, headers: events });
      await exchange.write(encode("data: 1\n\n"));
      exchange.hold([encode("data: [DONE]\n\n")]);
      return {};
    });
    beforeCommit = async () => {
      throw new Refusal(1503, "The disk is full.");
    };
    const received = await receiveAll(openExchange(app));
    expect(received).toContain("data: 1\n\n");
    expect(received).not.toContain("[DONE]");
    expect(isComplete(received)).toBeFalse();
  });
});
