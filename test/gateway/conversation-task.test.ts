// Proves that requests of chat pages about a conversation are recognised by their form, and that what people say is not taken for one.

import { expect, test } from "bun:test";
import { dialects } from "../../src/gateway/dialects/dialects.ts";
import { readBody } from "../../src/gateway/dialects/request-body.ts";

const isTask = (content: string, system?: string) => {
  const messages = [
    ...(system === undefined ? [] : [{ role: "system", content: system }]),
    { role: "user", content },
  ];
  return dialects.chat.read(readBody(JSON.stringify({ model: "m", messages }))).isConversationTask;
};

const history = `<chat_history>
USER: I live in Lisbon and my dog is called Rex.
ASSISTANT: Noted! I will remember it.

I can also suggest a park.
</chat_history>`;
const lines = "User: I live in Lisbon and my dog is called Rex.\nAI: Noted!\n\nI will remember it.";

test.each([
  [
    "a title",
    `### Task:\nGenerate a concise, 3-5 word title with an emoji summarizing the chat history.\n### Guidelines:\n- Use emojis.\n### Output:\nJSON format: { "title": "your concise title here" }\n### Chat History:\n${history}`,
  ],
  [
    "tags",
    `### Task:\nGenerate 1-3 broad tags categorizing the main themes of the chat history.\n### Output:\nJSON format: { "tags": ["tag1", "tag2"] }\n### Chat History:\n${history}`,
  ],
  [
    "follow-ups",
    `### Task:\nSuggest 3-5 relevant follow-up questions that the user might naturally ask next.\n### Chat History:\n${history}`,
  ],
  [
    "search queries",
    `### Task:\nAnalyze the chat history to determine the necessity of generating search queries, in the given language.\n${history}\nReturn: { "queries": ["query1"] }`,
  ],
  [
    "a title of lines with roles",
    `Provide a concise, 5-word-or-less title for the conversation, using title case conventions. Only return the title itself.\n\nConversation:\n${lines}`,
  ],
  [
    "roles with signs in front",
    `Please generate a title:\n\n||>User:\n"I live in Lisbon."\n||>Response:\n"Noted!"\n\n||>Title:`,
  ],
  ["the quote first", `${lines}\n\nWrite a five word headline for the above.`],
  ["the first message alone", "Write a short title for this conversation.\n\nHuman: I live in Lisbon."],
  [
    "messages in JSON",
    'Summarize these messages in ten words: [{"role": "user", "content": "I live in Lisbon."}, {"role": "assistant", "content": "OK"}]',
  ],
  ["another language", `Erstelle einen kurzen Titel für das folgende Gespräch.\n\n${lines}`],
  ["a language that is not listed", `Anna keskustelulle nimi muodossa { "title": "..." }\n\n${history}`],
])("%s is a task about a conversation", (_, content) => {
  expect(isTask(content)).toBe(true);
});

test("the instruction may be in the system prompt", () => {
  const system = "You are a titling assistant. Answer with a title of three words for the conversation.";
  expect(isTask(lines, system)).toBe(true);
  expect(isTask(history, system)).toBe(true);
  expect(isTask("I live in Lisbon and my dog is called Rex.", system)).toBe(false);
  expect(isTask(lines, "You are a helpful assistant.")).toBe(false);
});

test.each([
  "Generate a title for my blog post about green tea from Japan.",
  "Generate a concise title for a talk: Databases that prove what they hold.",
  "Suggest tags for an article about our move to Lisbon.",
  "Summarize the conversation with Dr. Weber: she said the results are fine, and the next visit is in May.",
  "What follow-up questions should I ask the landlord?",
  "Here is a chat that I had. User: I live in Lisbon. Assistant: Noted. What do you think of it?",
  `What do you think of this answer?\n\n${lines}`,
  `I moved to Berlin, by the way. Give this chat a title:\n\n${lines}`,
  `My assistant wrote this. Summarize it for my colleagues, they start on Monday.\n\n${lines}`,
  "Summarize this:\nMe: the rent is 900 euros\nLandlord: it will be 950 from May on",
  "Write a title.\n\nUser stories: as a customer, the cart is kept for a week.",
  "Fix the user: prefix in this log.\nuser: 17\nuser: 18",
  "Generate search queries for flats in Lisbon with a garden.",
  "title: The old mill\ntags: family, 1970\nThis is a letter of Aunt Ida, who lived in Porto.",
  "Categorize these expenses: rent 900, food 300, the train to Porto 40.",
])("%j is an ordinary turn", (content) => {
  expect(isTask(content)).toBe(false);
});

test("a conversation with an answer is no task, whatever the user says last", () => {
  const messages = [
    { role: "user", content: "I live in Lisbon." },
    { role: "assistant", content: "Noted." },
    { role: "user", content: `Generate a title for the conversation.\n${history}` },
  ];
  expect(dialects.chat.read(readBody(JSON.stringify({ model: "m", messages }))).isConversationTask).toBe(
    false,
  );
});

test("every dialect says it", () => {
  const content = `Generate a title for the conversation.\n${history}`;
  const messages = [{ role: "user", content: [{ type: "text", text: content }] }];
  const bodies = { chat: { messages }, messages: { messages }, responses: { input: content } } as const;
  for (const name of ["chat", "messages", "responses"] as const)
    expect(
      dialects[name].read(readBody(JSON.stringify({ model: "m", ...bodies[name] }))).isConversationTask,
    ).toBe(true);
});
