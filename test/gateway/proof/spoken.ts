// Owns what a stream of the proof says: words that name their stream and their number, so that a lost, doubled or mixed one is seen.

import type { PreparedAnswer, ReceivedRequest } from "../fake-upstream.ts";
import { eventStream } from "../fake-upstream.ts";
import { chatEvents, messageEvents, responseEvents } from "../upstream-shapes.ts";

export interface Spoken {
  readonly path: string;
  readonly body: object;
  /** What the upstream says in its answer. */
  readonly text: string;
}

const paths = ["/v1/chat/completions", "/v1/responses", "/v1/messages"] as const;

/** The request of a stream in one of the three APIs. The upstream says so many words. */
export function speak(id: string, words: number, api: number): Spoken {
  const path = paths[api % paths.length] ?? paths[0];
  const asked = `Say ${words} words in stream ${id}. When do we release?`;
  const messages = [{ role: "user", content: asked }];
  const conversation =
    path === "/v1/responses"
      ? { input: asked }
      : path === "/v1/messages"
        ? { messages, max_tokens: 9 }
        : { messages };
  return { path, body: { model: "m", stream: true, ...conversation }, text: textOf(id, words) };
}

function textOf(id: string, words: number): string {
  return Array.from({ length: words }, (_, at) => `${id}:${at} `).join("");
}

/** The answer to such a request. */
export function answerSpoken({ path, body }: ReceivedRequest, pauseMs: number): PreparedAnswer | null {
  const [, words, id] = /Say (\d+) words in stream ([\w-]+)\./.exec(body.toString("utf8")) ?? [];
  if (words === undefined || id === undefined) return null;
  const text = textOf(id, Number(words));
  const events =
    path === "/v1/responses"
      ? responseEvents("m", text)
      : path === "/v1/messages"
        ? messageEvents("m", text)
        : chatEvents("m", text, body.includes('"include_usage":true'));
  return { headers: eventStream, body: events, pauseMs };
}

export interface Heard {
  /** Of the events that were complete. */
  readonly text: string;
  /** Whether the end has arrived: the final event of the API or, as clients of chats accept, the reason why it finished. */
  readonly isComplete: boolean;
}

/** What a client has heard in the bytes of a stream. */
export function hear(stream: string): Heard {
  let text = "";
  let isComplete = false;
  for (const event of stream.split("\n\n").slice(0, -1)) {
    const [, data = ""] = /^data: (.*)$/m.exec(event) ?? [];
    if (data === "[DONE]") isComplete = true;
    if (!data.startsWith("{")) continue;
    const { type, delta, choices } = JSON.parse(data);
    if (type === "message_stop" || type === "response.completed" || choices?.[0]?.finish_reason)
      isComplete = true;
    if (type === "response.output_text.delta") text += delta;
    else if (type === "content_block_delta") text += delta.text;
    else if (choices !== undefined) text += choices[0]?.delta.content ?? "";
  }
  return { text, isComplete };
}
