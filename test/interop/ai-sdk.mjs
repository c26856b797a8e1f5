// Uses the middleware for the AI SDK against a server, with a model that answers as the test says, and prints one line for each claim that
// holds: `ai-sdk.mjs URL`, with the key in MEMLEDGER_API_KEY. Ends with an error at the first claim that does not hold.

import { deepStrictEqual as equal } from "node:assert/strict";
import { generateText, jsonSchema, stepCountIs, streamText, tool, wrapLanguageModel } from "ai";
import { MockLanguageModelV4, simulateReadableStream } from "ai/test";
import { Memledger } from "memledger";
import { memoryMiddleware } from "memledger/ai-sdk";

const client = new Memledger({ baseUrl: process.argv[2] });
const unreachable = new Memledger({ baseUrl: "http://127.0.0.1:9", maxRetries: 0 });
const claim = (text) => process.stdout.write(`ok: ${text}\n`);

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};
const stop = { unified: "stop", raw: "stop" };
const says = (text) => ({ content: [{ type: "text", text }], finishReason: stop, usage, warnings: [] });
const calls = (toolName) => ({
  content: [{ type: "tool-call", toolCallId: "1", toolName, input: "{}" }],
  finishReason: { unified: "tool-calls", raw: "tool_calls" },
  usage,
  warnings: [],
});
const streams = (text) => ({
  stream: simulateReadableStream({
    chunks: [
      { type: "stream-start", warnings: [] },
      { type: "text-start", id: "1" },
      { type: "text-delta", id: "1", delta: text },
      { type: "text-end", id: "1" },
      { type: "finish", finishReason: stop, usage },
    ],
  }),
});

function modelFor(subject, { answers = [says("Good.")], memledger = client, ...more } = {}) {
  const errors = [];
  const next = () => answers.shift();
  const model = new MockLanguageModelV4({ doGenerate: async () => next(), doStream: async () => next() });
  const middleware = memoryMiddleware(memledger, {
    subject,
    onError: (error) => errors.push(error),
    ...more,
  });
  const promptsOf = (kind) => model[kind].map(({ prompt }) => prompt);
  return { model: wrapLanguageModel({ model, middleware }), errors, promptsOf };
}

const remember = (content, subject, memory_type = "fact") =>
  client.memories.create({ content, memory_type, ...(subject === undefined ? {} : { subject }) });
const storedOf = async (subject) =>
  (await client.memories.list({ subject })).memories.map(({ content }) => content).toSorted();
const textOf = ({ content }) =>
  typeof content === "string" ? content : content.map(({ text }) => text).join("");

await remember("Releases go out on Tuesdays.");
await remember("Ada works in Bergen.", "ada");
await remember("Bo works in Turku.", "bo");
{
  const { model, errors, promptsOf } = modelFor("ada");
  const messages = [
    { role: "system", content: "Be brief." },
    { role: "user", content: "Hello." },
    { role: "assistant", content: "Hello. How can I help?" },
    { role: "user", content: "In which city does Ada work, and when do we release?" },
  ];
  const { text } = await generateText({ model, messages, allowSystemInMessages: true });
  const [prompt] = promptsOf("doGenerateCalls");
  equal([text, errors], ["Good.", []]);
  equal(prompt.slice(0, 3).map(textOf), ["Be brief.", "Hello.", "Hello. How can I help?"]);
  equal(prompt[3].content.length, 2);
  equal(prompt[3].content[0].text, messages[3].content);
  equal(
    /Ada works in Bergen\.[\s\S]*Releases go out|Releases go out[\s\S]*Ada works/.test(textOf(prompt[3])),
    true,
  );
  equal(textOf(prompt[3]).includes("Turku"), false);
  claim(
    "the last message of the user gets the memories of the subject and the project, nothing else changes",
  );
  equal(await storedOf("ada"), ["Ada works in Bergen."]);
  claim("what is injected is not extracted again");
}
{
  const answers = [calls("look"), says("Noted.")];
  const { model, errors, promptsOf } = modelFor("cy", { answers });
  const look = tool({ inputSchema: jsonSchema({ type: "object" }), execute: () => "forty-two" });
  const prompt = "I am allergic to peanuts. My sister lives in Oslo.";
  const before = (await storedOf("cy")).length;
  const extractions = async () =>
    (await client.audit.list({ action: "memory.extract" })).logs.filter(({ is_success }) => is_success)
      .length;
  const start = await extractions();
  const { text } = await generateText({ model, prompt, tools: { look }, stopWhen: stepCountIs(3) });
  equal([text, errors, promptsOf("doGenerateCalls").length, before], ["Noted.", [], 2, 0]);
  equal((await storedOf("cy")).length, 2);
  equal((await extractions()) - start, 1);
  claim("what the user says is extracted once, however many steps an answer takes");
}
{
  const { model, errors, promptsOf } = modelFor("ada", { answers: [streams("Splendid, she is in Bergen.")] });
  const result = streamText({ model, prompt: "Where does Ada work? I prefer answers in French." });
  let text = "";
  for await (const part of result.textStream) text += part;
  equal([text, errors], ["Splendid, she is in Bergen.", []]);
  equal(textOf(promptsOf("doStreamCalls")[0].at(-1)).includes("Ada works in Bergen."), true);
  equal((await storedOf("ada")).length, 2);
  claim("a stream has the memories, and ends after the extraction");
}
{
  const { model, errors } = modelFor("dan", { extract: false });
  await generateText({ model, prompt: "I am allergic to nuts." });
  equal([await storedOf("dan"), errors], [[], []]);
  claim("without extraction nothing is stored");
}
{
  const { model, errors, promptsOf } = modelFor("ada");
  const image = { type: "file", mediaType: "image/png", data: new Uint8Array([137, 80, 78, 71]) };
  await remember("Answer in Danish.", "ada", "rule");
  await generateText({ model, messages: [{ role: "user", content: [image] }] });
  equal([promptsOf("doGenerateCalls")[0][0].content.length, errors], [2, []]);
  claim("a message without text gets memories, too, and no file is sent to memledger");
}
{
  const answers = [says("Good."), streams("Good.")];
  const { model, errors, promptsOf } = modelFor("ada", { answers, memledger: unreachable });
  equal((await generateText({ model, prompt: "Hello." })).text, "Good.");
  equal(await streamText({ model, prompt: "Hello." }).text, "Good.");
  equal(
    promptsOf("doGenerateCalls")[0][0].content.map(({ text }) => text),
    ["Hello."],
  );
  equal(
    errors.map(({ name }) => name),
    Array(4).fill("ConnectionFailedError"),
  );
  claim("the model answers without memledger, and each failure is reported");
}
