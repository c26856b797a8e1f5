// Owns streams as the three APIs send them, written by hand after their published types.

export const event = (data: unknown, type?: string) =>
  `${type === undefined ? "" : `event: ${type}\n`}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;

const chunk = (choices: object[], more: object = {}) =>
  event({
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1,
    model: "gpt-x-2026",
    choices,
    ...more,
  });
const delta = (content: object, finish_reason: string | null = null, index = 0) => ({
  index,
  delta: content,
  logprobs: null,
  finish_reason,
});
export const chatUsage = {
  prompt_tokens: 12,
  completion_tokens: 7,
  total_tokens: 19,
  prompt_tokens_details: { cached_tokens: 4 },
};
export const chatUsageEvent = chunk([], { usage: chatUsage });

export const chatStream = [
  ": connected\n\n",
  chunk([delta({ role: "assistant", content: "", refusal: null })], { usage: null }),
  chunk([delta({ reasoning_content: "Hm, " })]),
  chunk([delta({ reasoning_content: "Tuesday?" })]),
  chunk([delta({ content: "Auf " })]),
  chunk([delta({ content: "Dienstag – 🚀 日本" })]),
  chunk([
    delta({
      tool_calls: [{ index: 0, id: "call_1", type: "function", function: { name: "look", arguments: "" } }],
    }),
  ]),
  chunk([delta({ tool_calls: [{ index: 0, function: { arguments: '{"day":' } }] })]),
  chunk([
    delta({
      tool_calls: [{ index: 1, id: "call_2", type: "custom", custom: { name: "shell", input: "ls" } }],
    }),
  ]),
  chunk([delta({ tool_calls: [{ index: 0, function: { arguments: '"Tue"}' } }] })]),
  chunk([delta({}, "tool_calls")]),
  chatUsageEvent,
  event("[DONE]"),
];
export const chatOutput = {
  text: "Auf Dienstag – 🚀 日本",
  reasoning: "Hm, Tuesday?",
  tool_calls: [
    { id: "call_1", type: "function", name: "look", arguments: '{"day":"Tue"}' },
    { id: "call_2", type: "custom", name: "shell", arguments: "ls" },
  ],
  finish_reason: "tool_calls",
};

const named = (data: { type: string; [name: string]: unknown }) => event(data, data.type);
export const messagesStream = [
  named({
    type: "message_start",
    message: {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "claude-x",
      content: [],
      stop_reason: null,
      usage: {
        input_tokens: 10,
        cache_read_input_tokens: 100,
        cache_creation_input_tokens: 5,
        output_tokens: 1,
      },
    },
  }),
  named({
    type: "content_block_start",
    index: 0,
    content_block: { type: "thinking", thinking: "", signature: "" },
  }),
  named({ type: "ping" }),
  named({
    type: "content_block_delta",
    index: 0,
    delta: { type: "thinking_delta", thinking: "Let me see." },
  }),
  named({ type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "c2ln" } }),
  named({ type: "content_block_stop", index: 0 }),
  named({ type: "content_block_start", index: 1, content_block: { type: "text", text: "" } }),
  named({ type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "Auf Dienstag – " } }),
  named({ type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "🚀 日本" } }),
  named({ type: "content_block_stop", index: 1 }),
  named({
    type: "content_block_start",
    index: 2,
    content_block: { type: "tool_use", id: "toolu_1", name: "look", input: {} },
  }),
  named({
    type: "content_block_delta",
    index: 2,
    delta: { type: "input_json_delta", partial_json: '{"day":' },
  }),
  named({
    type: "content_block_delta",
    index: 2,
    delta: { type: "input_json_delta", partial_json: '"Tue"}' },
  }),
  named({ type: "content_block_stop", index: 2 }),
  named({
    type: "message_delta",
    delta: { stop_reason: "tool_use", stop_sequence: null },
    usage: { output_tokens: 42, input_tokens: null },
  }),
  named({ type: "message_stop" }),
];
export const messagesOutput = {
  text: "Auf Dienstag – 🚀 日本",
  reasoning: "Let me see.",
  tool_calls: [{ id: "toolu_1", type: "tool_use", name: "look", arguments: '{"day":"Tue"}' }],
  finish_reason: "tool_use",
};

const message = {
  id: "item_1",
  type: "message",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text: "Auf Dienstag – 🚀 日本", annotations: [] }],
};
const call = {
  id: "item_2",
  type: "function_call",
  call_id: "call_1",
  name: "look",
  arguments: '{"day":"Tue"}',
};
const reasoning = {
  id: "item_0",
  type: "reasoning",
  summary: [{ type: "summary_text", text: "Let me see." }],
};
const response = {
  id: "resp_1",
  object: "response",
  model: "gpt-x-2026",
  status: "in_progress",
  output: [],
  usage: null,
};
export const completedResponse = {
  ...response,
  status: "completed",
  output: [reasoning, message, call],
  usage: { input_tokens: 12, output_tokens: 7, total_tokens: 19, input_tokens_details: { cached_tokens: 4 } },
};
let sequence = 0;
const step = (type: string, more: object) => named({ type, sequence_number: sequence++, ...more });
export const responsesStream = [
  step("response.created", { response }),
  step("response.output_item.added", { output_index: 0, item: { ...reasoning, summary: [] } }),
  step("response.reasoning_summary_part.added", {
    output_index: 0,
    summary_index: 0,
    item_id: "item_0",
    part: { type: "summary_text", text: "" },
  }),
  step("response.reasoning_summary_text.delta", {
    output_index: 0,
    summary_index: 0,
    item_id: "item_0",
    delta: "Let me see.",
  }),
  step("response.output_item.done", { output_index: 0, item: reasoning }),
  step("response.output_item.added", { output_index: 1, item: { ...message, content: [] } }),
  step("response.content_part.added", {
    output_index: 1,
    content_index: 0,
    item_id: "item_1",
    part: { type: "output_text", text: "", annotations: [] },
  }),
  step("response.output_text.delta", {
    output_index: 1,
    content_index: 0,
    item_id: "item_1",
    delta: "Auf Dienstag – ",
  }),
  step("response.output_text.delta", {
    output_index: 1,
    content_index: 0,
    item_id: "item_1",
    delta: "🚀 日本",
  }),
  step("response.output_text.done", {
    output_index: 1,
    content_index: 0,
    item_id: "item_1",
    text: "Auf Dienstag – 🚀 日本",
  }),
  step("response.output_item.added", { output_index: 2, item: { ...call, arguments: "" } }),
  step("response.function_call_arguments.delta", {
    output_index: 2,
    item_id: "item_2",
    delta: '{"day":"Tue"}',
  }),
  step("response.completed", { response: completedResponse }),
];
export const responsesOutput = {
  text: "Auf Dienstag – 🚀 日本",
  reasoning: "Let me see.",
  tool_calls: [{ id: "call_1", type: "function_call", name: "look", arguments: '{"day":"Tue"}' }],
  finish_reason: "completed",
};
