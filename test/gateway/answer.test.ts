// Proves what is recorded of answers: from streams and from complete answers, of each API, also when they are broken off or hostile.

import { describe, expect, test } from "bun:test";
import type { AssembledAnswer } from "../../src/gateway/answer/assembled.ts";
import { SseReader } from "../../src/gateway/answer/sse-reader.ts";
import type { DialectName } from "../../src/gateway/dialects/dialect.ts";
import { dialects } from "../../src/gateway/dialects/dialects.ts";
import { readBody } from "../../src/gateway/dialects/request-body.ts";
import { answerMaxCharacters } from "../../src/gateway/limits.ts";
import {
  chatOutput,
  chatStream,
  chatUsage,
  completedResponse,
  event,
  messagesOutput,
  messagesStream,
  responsesOutput,
  responsesStream,
} from "./streams.ts";

function streamed(name: DialectName, parts: readonly string[]): AssembledAnswer {
  const assembler = dialects[name].assemble({ choices: 1 });
  const reader = new SseReader();
  for (const each of reader.push(new TextEncoder().encode(parts.join("")))) assembler.take(each);
  return assembler.answer();
}

function whole(name: DialectName, body: unknown): AssembledAnswer {
  const assembler = dialects[name].assemble({ choices: 1 });
  assembler.takeWhole(typeof body === "string" ? body : JSON.stringify(body));
  return assembler.answer();
}

const unhurt = { error: null, isComplete: true, isTruncated: false, skippedEvents: 0 };

describe("Chat Completions", () => {
  test("a stream", () => {
    expect(streamed("chat", chatStream)).toEqual({
      model: "gpt-x-2026",
      id: "chatcmpl-1",
      text: chatOutput.text,
      output: chatOutput,
      finishReason: "tool_calls",
      tokens: { prompt_tokens: 12, completion_tokens: 7, total_tokens: 19 },
      usage: chatUsage,
      ...unhurt,
    });
  });

  test("a complete answer is assembled like its stream", () => {
    const tool_calls = [
      { id: "call_1", type: "function", function: { name: "look", arguments: '{"day":"Tue"}' } },
      { id: "call_2", type: "custom", custom: { name: "shell", input: "ls" } },
    ];
    const message = {
      role: "assistant",
      content: chatOutput.text,
      reasoning_content: "Hm, Tuesday?",
      tool_calls,
    };
    const choices = [{ index: 0, finish_reason: "tool_calls", message }];
    const body = { id: "chatcmpl-1", model: "gpt-x-2026", choices, usage: chatUsage };
    expect(whole("chat", body)).toEqual(streamed("chat", chatStream));
  });

  test("several choices, a refusal, and a stream without [DONE]", () => {
    const choice = (index: number, delta: object, finish_reason: string | null = null) =>
      event({ choices: [{ index, delta, finish_reason }] });
    const parts = [choice(1, { content: "b" }), choice(0, { refusal: "No." }), choice(0, {}, "stop")];
    expect(streamed("chat", parts).isComplete).toBe(false);
    expect(streamed("chat", [...parts, choice(1, {}, "length")])).toMatchObject({
      isComplete: true,
      finishReason: "stop",
      tokens: null,
      output: {
        choices: [
          { text: "", refusal: "No.", finish_reason: "stop" },
          { text: "b", finish_reason: "length" },
        ],
      },
    });
  });

  test("of two choices that were asked for, the end of one is not the end", () => {
    const end = (index: number) => ({
      type: null,
      data: JSON.stringify({ choices: [{ index, delta: {}, finish_reason: "stop" }] }),
      start: 0,
      end: 1,
    });
    const body = { model: "m", n: 2, messages: [{ role: "user", content: "x" }] };
    const assembler = dialects.chat.assemble(dialects.chat.read(readBody(JSON.stringify(body))));
    expect([assembler.take(end(0)), assembler.take(end(1))]).toEqual(["part", "final"]);
  });

  test("broken off: what was received", () => {
    expect(streamed("chat", chatStream.slice(0, 6))).toMatchObject({
      text: chatOutput.text,
      finishReason: null,
      isComplete: false,
      tokens: null,
    });
    expect(streamed("chat", [])).toMatchObject({ output: null, isComplete: false, text: "" });
  });

  test("an error in the stream, and instead of an answer", () => {
    const error = { message: "overloaded", type: "server_error", code: null };
    expect(streamed("chat", [event({ error })])).toMatchObject({ error, isComplete: false, output: null });
    expect(whole("chat", { error })).toMatchObject({ error, isComplete: false, output: null });
  });
});

describe("Messages", () => {
  test("a stream: the input is what was read from the cache, written to it, and neither", () => {
    expect(streamed("messages", messagesStream)).toEqual({
      model: "claude-x",
      id: "msg_1",
      text: messagesOutput.text,
      output: messagesOutput,
      finishReason: "tool_use",
      tokens: { prompt_tokens: 115, completion_tokens: 42, total_tokens: 157 },
      usage: {
        input_tokens: 10,
        cache_read_input_tokens: 100,
        cache_creation_input_tokens: 5,
        output_tokens: 42,
      },
      ...unhurt,
    });
  });

  test("a complete answer is assembled like its stream", () => {
    const body = {
      id: "msg_1",
      type: "message",
      model: "claude-x",
      content: [
        { type: "thinking", thinking: "Let me see.", signature: "c2ln" },
        { type: "text", text: messagesOutput.text },
        { type: "tool_use", id: "toolu_1", name: "look", input: { day: "Tue" } },
      ],
      stop_reason: "tool_use",
      usage: {
        input_tokens: 10,
        cache_read_input_tokens: 100,
        cache_creation_input_tokens: 5,
        output_tokens: 42,
      },
    };
    expect(whole("messages", body)).toEqual(streamed("messages", messagesStream));
  });

  test("results of the provider's tools, refusals and errors", () => {
    const result = { type: "web_search_tool_result", tool_use_id: "s", content: [{ url: "https://x" }] };
    const stop_details = { type: "refusal", category: "bio", explanation: null };
    const body = { content: [result], stop_reason: "refusal", stop_details };
    expect(whole("messages", body).output).toEqual({
      text: "",
      items: [result],
      refusal: stop_details,
      finish_reason: "refusal",
    });
    const error = { type: "overloaded_error", message: "Overloaded" };
    expect(whole("messages", { type: "error", error })).toMatchObject({
      error,
      output: null,
      isComplete: false,
    });
    const broken = [...messagesStream.slice(0, 8), event({ type: "error", error }, "error")];
    expect(streamed("messages", broken)).toMatchObject({
      error,
      text: "Auf Dienstag – ",
      // That of the beginning is not the final number.
      tokens: null,
      isComplete: false,
    });
  });
});

describe("Responses", () => {
  const expected = {
    model: "gpt-x-2026",
    id: "resp_1",
    text: responsesOutput.text,
    output: responsesOutput,
    finishReason: "completed",
    tokens: { prompt_tokens: 12, completion_tokens: 7, total_tokens: 19 },
    usage: completedResponse.usage,
    ...unhurt,
  };

  test("a stream, and the complete answer", () => {
    expect(streamed("responses", responsesStream)).toEqual(expected);
    expect(whole("responses", completedResponse)).toEqual(expected);
  });

  test("broken off before the final event: the same words", () => {
    const { output, isComplete, tokens } = streamed("responses", responsesStream.slice(0, -1));
    expect(output).toEqual({ ...responsesOutput, finish_reason: "in_progress" });
    expect([isComplete, tokens]).toEqual([false, null]);
  });

  test("refusals, other items and incomplete answers", () => {
    const search = { type: "web_search_call", id: "ws_1", status: "completed" };
    const image = { type: "image_generation_call", id: "ig_1", result: "A".repeat(4_000) };
    const refused = { type: "message", content: [{ type: "refusal", refusal: "No." }] };
    const body = {
      status: "incomplete",
      incomplete_details: { reason: "max_output_tokens" },
      output: [search, image, refused],
    };
    const { output, finishReason } = whole("responses", body);
    expect(finishReason).toBe("max_output_tokens");
    expect(output).toMatchObject({ refusal: "No.", items: [search, { result: { bytes: 3_000 } }] });
    const error = { code: "server_error", message: "x" };
    const failed = [
      event({ type: "response.failed", response: { status: "failed", error } }, "response.failed"),
    ];
    expect(streamed("responses", failed)).toMatchObject({ error, isComplete: true, finishReason: "failed" });
  });
});

describe.each(["chat", "responses", "messages"] as const)("hostile answers of %s", (name) => {
  test.each([
    [
      '{"choices":[{"index":1e308,"delta":{"content":7,"tool_calls":{"a":1}}},null,{"index":-1}],"usage":{"total_tokens":-5}}',
    ],
    ['{"type":"content_block_delta","index":9007199254740993,"delta":{"type":"text_delta","text":null}}'],
    ['{"type":"response.output_text.delta","output_index":0,"content_index":"__proto__","delta":["x"]}'],
    ['{"type":"response.completed","response":{"output":[null,7,{"type":{}}],"usage":"many"}}'],
    ['{"type":"message_start","message":{"content":"text","usage":[1]}}'],
    ['{"__proto__":{"choices":[]},"error":"text"}'],
  ])("%s", (data) => {
    const assembler = dialects[name].assemble({ choices: 1 });
    assembler.take({ type: null, data, start: 0, end: 1 });
    assembler.takeWhole(data);
    expect(JSON.parse(JSON.stringify(assembler.answer()))).toMatchObject({ text: "" });
  });

  test("no more is kept than the limit", () => {
    const assembler = dialects[name].assemble({ choices: 1 });
    const text = "x".repeat(100_000);
    for (let count = 0; count < 100; count++) {
      for (const each of [
        { choices: [{ index: 0, delta: { content: text } }] },
        { type: "response.output_text.delta", output_index: 0, content_index: 0, delta: text },
        { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } },
      ]) {
        assembler.take({ type: null, data: JSON.stringify(each), start: 0, end: 1 });
      }
    }
    const answer = assembler.answer();
    expect(answer.isTruncated).toBe(true);
    // All texts of the answer count, such as the type of a block.
    expect(answerMaxCharacters - answer.text.length).toBeLessThan(10);
  });
});
