// Proves that a complete answer is forwarded as it is, that its end is held back, and that no more than the limit is kept.

import { expect, test } from "bun:test";
import { AnswerBody } from "../../src/gateway/answer/answer-body.ts";
import { dialects } from "../../src/gateway/dialects/dialects.ts";
import { completedResponse, responsesOutput } from "./streams.ts";

const encode = (text: string) => new TextEncoder().encode(text);
const decode = (parts: readonly Uint8Array[]) => new TextDecoder().decode(Buffer.concat(parts));

function relay(chunks: readonly Uint8Array[], maxBytes?: number) {
  const assembler = dialects.responses.assemble({ choices: 1 });
  const body = new AnswerBody(maxBytes === undefined ? { assembler } : { assembler, maxBytes });
  const sent = chunks.flatMap((chunk) => body.push(chunk));
  const held = body.end();
  return { sent: decode(sent), held: decode(held), answer: assembler.answer() };
}

test.each(["", "\n", " \r\n\t"])("cut at every byte, with %j at the end", (end) => {
  const text = JSON.stringify(completedResponse) + end;
  const bytes = encode(text);
  for (let at = 0; at <= bytes.length; at++) {
    const { sent, held, answer } = relay([bytes.subarray(0, at), bytes.subarray(at)]);
    expect([sent + held, held]).toEqual([text, `}${end}`]);
    expect(answer.output).toEqual(responsesOutput);
  }
  const single = relay([...bytes].map((byte) => Uint8Array.of(byte)));
  expect([single.sent + single.held, single.held]).toEqual([text, `}${end}`]);
});

test("nothing, white space without end, and an answer that is no JSON", () => {
  expect(relay([])).toMatchObject({ sent: "", held: "", answer: { output: null, skippedEvents: 1 } });
  const space = encode(" ".repeat(100_000));
  const { sent, held } = relay([encode("{}"), space, space, space, space]);
  expect(sent + held).toBe(`{}${" ".repeat(400_000)}`);
  expect(held.length).toBeLessThanOrEqual(256 * 1024);
  expect(relay([encode("<html>")])).toMatchObject({
    sent: "<html",
    held: ">",
    answer: { isComplete: false },
  });
});

test("an answer that is too long is forwarded, and not read", () => {
  const text = JSON.stringify(completedResponse);
  expect(relay([encode(text)], 100)).toMatchObject({
    sent: text.slice(0, -1),
    held: "}",
    answer: { output: null, skippedEvents: 1, isComplete: false },
  });
});
