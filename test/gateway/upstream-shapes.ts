// Owns plain answers in the form of the three APIs, as their references describe them: one text, complete or as the events of a stream.

const created = 1_764_000_000;
const event = (data: object | string, type?: string) =>
  `${type === undefined ? "" : `event: ${type}\n`}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;

/** Some parts, so that a stream has several events. */
function partsOf(text: string): string[] {
  return text.match(/[\s\S]{1,40}/gu) ?? [""];
}

const chatUsage = (text: string) => {
  const completion_tokens = Math.ceil(text.length / 4);
  return { prompt_tokens: 20, completion_tokens, total_tokens: 20 + completion_tokens };
};

export function chatAnswer(model: string, text: string): object {
  return {
    id: "chatcmpl-fake",
    object: "chat.completion",
    created,
    model,
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: text, refusal: null },
        logprobs: null,
        finish_reason: "stop",
      },
    ],
    usage: chatUsage(text),
    system_fingerprint: "fp_fake",
  };
}

export function chatEvents(model: string, text: string, wantsUsage: boolean): string[] {
  const head = { id: "chatcmpl-fake", object: "chat.completion.chunk", created, model };
  const more = wantsUsage ? { usage: null } : {};
  const chunk = (delta: object, finish_reason: string | null) =>
    event({ ...head, choices: [{ index: 0, delta, logprobs: null, finish_reason }], ...more });
  return [
    chunk({ role: "assistant", content: "" }, null),
    ...partsOf(text).map((content) => chunk({ content }, null)),
    chunk({}, "stop"),
    ...(wantsUsage ? [event({ ...head, choices: [], usage: chatUsage(text) })] : []),
    event("[DONE]"),
  ];
}

const messageUsage = (text: string) => ({ input_tokens: 20, output_tokens: Math.ceil(text.length / 4) });

export function messageAnswer(model: string, text: string): object {
  return {
    id: "msg_fake",
    type: "message",
    role: "assistant",
    model,
    content: [{ type: "text", text }],
    stop_reason: "end_turn",
    stop_sequence: null,
    usage: messageUsage(text),
  };
}

export function messageEvents(model: string, text: string): string[] {
  const named = (data: { readonly type: string; readonly [name: string]: unknown }) => event(data, data.type);
  const { input_tokens, output_tokens } = messageUsage(text);
  return [
    named({
      type: "message_start",
      message: {
        ...messageAnswer(model, text),
        content: [],
        stop_reason: null,
        usage: { input_tokens, output_tokens: 1 },
      },
    }),
    named({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
    named({ type: "ping" }),
    ...partsOf(text).map((part) =>
      named({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: part } }),
    ),
    named({ type: "content_block_stop", index: 0 }),
    named({
      type: "message_delta",
      delta: { stop_reason: "end_turn", stop_sequence: null },
      usage: { output_tokens },
    }),
    named({ type: "message_stop" }),
  ];
}

const responseUsage = (text: string) => {
  const output_tokens = Math.ceil(text.length / 4);
  return {
    input_tokens: 20,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 20 + output_tokens,
  };
};

const outputItem = (text: string, status: string) => ({
  id: "msg_fake",
  type: "message",
  status,
  role: "assistant",
  content: status === "in_progress" ? [] : [{ type: "output_text", text, annotations: [], logprobs: [] }],
});

export function responseAnswer(model: string, text: string, status = "completed"): object {
  const isDone = status === "completed";
  return {
    id: "resp_fake",
    object: "response",
    created_at: created,
    status,
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    model,
    output: isDone ? [outputItem(text, status)] : [],
    parallel_tool_calls: true,
    temperature: 1,
    tool_choice: "auto",
    tools: [],
    top_p: 1,
    usage: isDone ? responseUsage(text) : null,
  };
}

export function responseEvents(model: string, text: string): string[] {
  let sequence_number = 0;
  const named = (data: { readonly type: string; readonly [name: string]: unknown }) => {
    const numbered = event({ ...data, sequence_number }, data.type);
    sequence_number += 1;
    return numbered;
  };
  const place = { item_id: "msg_fake", output_index: 0, content_index: 0 };
  return [
    named({ type: "response.created", response: responseAnswer(model, text, "in_progress") }),
    named({ type: "response.in_progress", response: responseAnswer(model, text, "in_progress") }),
    named({ type: "response.output_item.added", output_index: 0, item: outputItem(text, "in_progress") }),
    named({
      type: "response.content_part.added",
      ...place,
      part: { type: "output_text", text: "", annotations: [] },
    }),
    ...partsOf(text).map((part) =>
      named({ type: "response.output_text.delta", ...place, delta: part, logprobs: [] }),
    ),
    named({ type: "response.output_text.done", ...place, text, logprobs: [] }),
    named({
      type: "response.content_part.done",
      ...place,
      part: { type: "output_text", text, annotations: [] },
    }),
    named({ type: "response.output_item.done", output_index: 0, item: outputItem(text, "completed") }),
    named({ type: "response.completed", response: responseAnswer(model, text) }),
  ];
}
