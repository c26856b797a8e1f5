// Proves for each dialect where memory is put into a request, that every other byte stays, and that it is never put in twice.

import { describe, expect, test } from "bun:test";
import type { DialectName } from "../../src/gateway/dialects/dialect.ts";
import { dialects } from "../../src/gateway/dialects/dialects.ts";
import { readBody } from "../../src/gateway/dialects/request-body.ts";
import { dividePrompt, toPrompt } from "../../src/memory/search/prompt.ts";
import { fact, nothing, prompt, rule } from "./sections.ts";

const { rules, reference } = prompt;

function change(
  name: DialectName,
  body: object,
  changes: {
    asksForUsage?: boolean;
    rules?: string;
    reference?: string;
    earlier?: ReadonlyMap<number, string>;
  } = {},
) {
  const request = readBody(JSON.stringify(body));
  const given = { rules: changes.rules ?? rules, reference: changes.reference ?? reference };
  const result = dialects[name].change(request, {
    prompt: given,
    earlier: changes.earlier ?? new Map(),
    asksForUsage: changes.asksForUsage ?? false,
  });
  return { ...result, value: JSON.parse(result.text) };
}
const read = (name: DialectName, body: object) => dialects[name].read(readBody(JSON.stringify(body)));

describe("Chat Completions", () => {
  const user = { role: "user", content: "When do we release?" };

  test("without instructions: they are created; the reference is behind the question", () => {
    const { value, text, put } = change("chat", { model: "m", messages: [user] });
    expect(value).toEqual({
      model: "m",
      messages: [
        { role: "system", content: rules },
        { role: "user", content: `When do we release?\n\n${reference}` },
      ],
    });
    expect(put).toEqual(["rules", "reference"]);
    expect(text.startsWith('{"model":"m","messages":[{"role":"system"')).toBe(true);
  });

  test("rules are at the end of the instructions in front of the conversation", () => {
    const system = { role: "system", content: "You help." };
    const developer = { role: "developer", content: [{ type: "text", text: "Be brief." }] };
    const { value } = change("chat", { model: "m", messages: [system, developer, user] });
    expect(value.messages[0]).toEqual(system);
    expect(value.messages[1].content).toEqual([
      { type: "text", text: "Be brief." },
      { type: "text", text: rules },
    ]);
    const only = change("chat", {
      model: "m",
      messages: [system, user, { role: "system", content: "later" }],
    });
    expect(only.value.messages[0].content).toBe(`You help.\n\n${rules}`);
    expect(only.value.messages[1].content).toBe(`When do we release?\n\n${reference}`);
    expect(only.value.messages[2].content).toBe("later");
  });

  test.each([
    ["an empty text", "", rules],
    ["null", null, rules],
    ["no part", [], [{ type: "text", text: rules }]],
  ])("instructions with %s", (_, content, expected) => {
    const { value } = change("chat", { model: "m", messages: [{ role: "system", content }, user] });
    expect(value.messages[0].content).toEqual(expected);
  });

  test("behind images, as a part of its own", () => {
    const image = { type: "image_url", image_url: { url: "https://x/y.png" } };
    const content = [{ type: "text", text: "What is this?" }, image];
    const { value } = change("chat", { model: "m", messages: [{ role: "user", content }] }, { rules: "" });
    expect(value.messages[0].content).toEqual([...content, { type: "text", text: reference }]);
  });

  test("a turn with only results of tools stays; the words before it get the reference, so that the loop keeps its beginning", () => {
    const call = { role: "assistant", content: null, tool_calls: [{ id: "1" }] };
    const result = { role: "tool", tool_call_id: "1", content: "42" };
    const first = change("chat", { model: "m", messages: [user] });
    const second = change("chat", { model: "m", messages: [user, call, result] });
    expect(second.value.messages.slice(2)).toEqual([call, result]);
    expect(second.text.startsWith(first.text.slice(0, -2))).toBe(true);
    expect(read("chat", { model: "m", messages: [user, call, result] }).lastTurn).toBe("tool results");
    const without = change("chat", { model: "m", messages: [user, call, result] }, nothing);
    expect(without.text).toBe(JSON.stringify({ model: "m", messages: [user, call, result] }));
  });

  test("the last turn", () => {
    const assistant = { role: "assistant", content: "On Tuesdays" };
    const tool = { role: "tool", tool_call_id: "1", content: "42" };
    const last = (...messages: object[]) => read("chat", { model: "m", messages }).lastTurn;
    expect(last(user)).toBe("user");
    expect(last(user, assistant)).toBe("user");
    expect(last(user, assistant, tool, user)).toBe("user");
    expect(last(user, assistant, user, tool)).toBe("user");
    expect(last(user, assistant, { role: "function", name: "f", content: "1" })).toBe("tool results");
    expect(last(tool)).toBe("tool results");
    expect(last({ role: "system", content: "x" })).toBe("none");
    expect(last({ role: "constructor", content: "x" })).toBe("tool results");
  });

  test("the words for the query, and what they answer", () => {
    const messages = [
      { role: "system", content: "Never say this." },
      { role: "user", content: "When do we release the server?" },
      { role: "assistant", content: "On Tuesdays." },
      { role: "user", content: [{ type: "text", text: "And \ud800the\0 app?" }, { type: "image_url" }] },
    ];
    expect(read("chat", { model: "m", messages, tools: [{}], stream: true })).toMatchObject({
      userText: "And \ufffdthe app?",
      answeredText: "On Tuesdays.",
      query: "When do we release the server?\nAnd \ufffdthe app?",
      hasTools: true,
      isStream: true,
    });
  });

  test("what programs have added to messages, and our own sections, are nobody's words", () => {
    const content = `<environment_context>cwd</environment_context>\n${reference}\nHow do I publish a new version of this?`;
    const messages = [
      { role: "user", content },
      { role: "assistant", content: "Like this." },
    ];
    const added = { role: "user", content: "<system-reminder>x</system-reminder>" };
    expect(read("chat", { model: "m", messages: [...messages, added] })).toMatchObject({
      userText: "How do I publish a new version of this?",
      answeredText: null,
      query: "How do I publish a new version of this?",
    });
  });

  describe("usage of a stream", () => {
    const ask = (body: object) =>
      change("chat", { model: "m", messages: [user], ...body }, { ...nothing, asksForUsage: true });

    test.each([
      ["is asked for", {}, { include_usage: true }],
      ["null is no choice", { stream_options: null }, { include_usage: true }],
      [
        "other options stay",
        { stream_options: { include_obfuscation: false } },
        { include_usage: true, include_obfuscation: false },
      ],
      ["an empty object", { stream_options: {} }, { include_usage: true }],
      ["null inside", { stream_options: { include_usage: null } }, { include_usage: true }],
    ])("%s", (_, options, expected) => {
      const { value, removesUsageEvent } = ask({ stream: true, ...options });
      expect([value.stream_options, removesUsageEvent]).toEqual([expected, true]);
    });

    test.each([
      ["a client that wants it gets it", { stream: true, stream_options: { include_usage: true } }],
      ["a client that refuses it is obeyed", { stream: true, stream_options: { include_usage: false } }],
      ["without a stream", { stream: false }],
      ["without the field", {}],
    ])("%s", (_, body) => {
      const { text, removesUsageEvent } = ask(body);
      expect(text).toBe(JSON.stringify({ model: "m", messages: [user], ...body }));
      expect(removesUsageEvent).toBe(false);
    });
  });
});

describe("Responses", () => {
  test("text as input", () => {
    const { value } = change("responses", { model: "m", input: "When?" });
    expect(value).toEqual({ model: "m", input: `When?\n\n${reference}`, instructions: rules });
  });

  test("items as input", () => {
    const input = [
      { role: "user", content: "One" },
      { type: "reasoning", id: "r", summary: [] },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "Two" }] },
      { type: "message", role: "user", content: [{ type: "input_text", text: "Three" }] },
    ];
    const { value } = change("responses", { model: "m", instructions: "Help.", input });
    expect(value.instructions).toBe(`Help.\n\n${rules}`);
    expect(value.input.slice(0, 3)).toEqual(input.slice(0, 3));
    expect(value.input[3].content[1]).toEqual({ type: "input_text", text: reference });
    expect(read("responses", { model: "m", input })).toMatchObject({
      userText: "Three",
      answeredText: "Two",
    });
  });

  test("instructions as messages, null, and beside a stored prompt", () => {
    const developer = { role: "developer", content: "Be brief." };
    const user = { role: "user", content: "One" };
    expect(change("responses", { model: "m", input: [developer, user] }).value.input[0].content).toBe(
      `Be brief.\n\n${rules}`,
    );
    expect(change("responses", { model: "m", input: "x", instructions: null }).value.instructions).toBe(
      rules,
    );
    const stored = { model: "m", prompt: { id: "p" } };
    expect(change("responses", { ...stored, input: "x" }).value).toEqual({
      ...stored,
      input: [
        { role: "developer", content: rules },
        { role: "user", content: `x\n\n${reference}` },
      ],
    });
    expect(change("responses", { ...stored, input: [user] }).value.input[0]).toEqual({
      role: "developer",
      content: rules,
    });
    expect(change("responses", stored)).toMatchObject({ put: [] });
  });

  test("results of tools", () => {
    const input = [
      { role: "user", content: "One" },
      { type: "function_call", call_id: "1", name: "f", arguments: "{}" },
      { type: "function_call_output", call_id: "1", output: "42" },
    ];
    expect(read("responses", { model: "m", input }).lastTurn).toBe("tool results");
    const later = { model: "m", previous_response_id: "r", input: input.slice(2) };
    expect(read("responses", later).lastTurn).toBe("tool results");
    const { value, put } = change("responses", later);
    expect([value.input, value.instructions, put]).toEqual([later.input, rules, ["rules"]]);
  });
});

describe("Messages", () => {
  const user = { role: "user", content: "When do we release?" };

  test.each([
    ["none", {}, rules],
    ["null", { system: null }, rules],
    ["a text", { system: "Help." }, `Help.\n\n${rules}`],
    [
      "blocks, whose breakpoint stays",
      { system: [{ type: "text", text: "Help.", cache_control: { type: "ephemeral" } }] },
      [
        { type: "text", text: "Help.", cache_control: { type: "ephemeral" } },
        { type: "text", text: rules },
      ],
    ],
  ])("rules with a system prompt that is %s", (_, system, expected) => {
    const { value } = change("messages", { model: "m", max_tokens: 1, ...system, messages: [user] });
    expect(value.system).toEqual(expected);
    expect(value.messages[0].content).toBe(`When do we release?\n\n${reference}`);
  });

  test("behind results of tools only if the user says something, too", () => {
    const result = { type: "tool_result", tool_use_id: "1", content: "42" };
    const call = { role: "assistant", content: [{ type: "tool_use", id: "1", name: "f", input: {} }] };
    const only = { model: "m", messages: [user, call, { role: "user", content: [result] }] };
    expect(read("messages", only).lastTurn).toBe("tool results");
    expect(change("messages", only).value.messages.slice(1)).toEqual(only.messages.slice(1));
    const reminder = { type: "text", text: "<system-reminder>\nTodo list is empty.\n</system-reminder>" };
    const reminded = { model: "m", messages: [user, call, { role: "user", content: [result, reminder] }] };
    expect(read("messages", reminded)).toMatchObject({
      lastTurn: "tool results",
      userText: "When do we release?",
    });
    expect(change("messages", reminded).value.messages.slice(1)).toEqual(reminded.messages.slice(1));
    const said = { role: "user", content: [result, { type: "text", text: "Go on." }] };
    const both = { model: "m", messages: [user, call, said] };
    expect(read("messages", both)).toMatchObject({ lastTurn: "user", userText: "Go on." });
    expect(change("messages", both).value.messages[2].content).toEqual([
      ...said.content,
      { type: "text", text: reference },
    ]);
  });

  test("a breakpoint of the whole request stays, because the next request repeats the reference", () => {
    const cache_control = { type: "ephemeral", ttl: "1h" };
    const { value } = change("messages", { model: "m", cache_control, messages: [user] });
    expect(value.cache_control).toEqual(cache_control);
    expect(value.messages[0].content).toBe(`${user.content}\n\n${reference}`);
  });
});

describe("never twice", () => {
  const bodies: [DialectName, object][] = [
    ["chat", { model: "m", messages: [{ role: "user", content: "When?" }] }],
    [
      "chat",
      {
        model: "m",
        messages: [
          { role: "developer", content: [] },
          { role: "user", content: [{ type: "text", text: "When?" }] },
        ],
      },
    ],
    ["responses", { model: "m", input: "When?" }],
    [
      "responses",
      {
        model: "m",
        instructions: "x",
        input: [{ role: "user", content: [{ type: "input_text", text: "When?" }] }],
      },
    ],
    ["messages", { model: "m", messages: [{ role: "user", content: "When?" }] }],
    [
      "messages",
      {
        model: "m",
        cache_control: { type: "ephemeral" },
        system: [],
        messages: [{ role: "user", content: [] }],
      },
    ],
  ];

  const linesOf = (section: string) => new Set(section.split("\n").filter((line) => line.startsWith("- (")));
  const everyLine = { rules: linesOf(rules), reference: linesOf(reference) };

  test.each(bodies)("%s: %j", (name, body) => {
    const once = change(name, body);
    expect(read(name, body).present).toEqual({ rules: new Set(), reference: new Set() });
    expect(read(name, once.value).present).toEqual(everyLine);
  });

  test("lines of hooks are in what the user says, of tools in their results, which can have no rules", () => {
    const hook = `<system-reminder>\n${toPrompt([rule, fact])}</system-reminder>`;
    const messages = [
      {
        role: "user",
        content: [
          { type: "text", text: hook },
          { type: "text", text: "Hello" },
        ],
      },
      { role: "assistant", content: rules + reference },
      { role: "user", content: "When?" },
    ];
    const ofHook = { rules: linesOf(rules), reference: linesOf(dividePrompt([fact]).reference) };
    expect(read("chat", { model: "m", messages }).present).toEqual(ofHook);
    const told = { role: "tool", tool_call_id: "1", content: rules + reference };
    const block = {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "1", content: [{ type: "text", text: rules + reference }] },
      ],
    };
    const output = { type: "function_call_output", call_id: "1", output: rules + reference };
    for (const present of [
      read("chat", { model: "m", messages: [told] }).present,
      read("messages", { model: "m", messages: [block] }).present,
      read("responses", { model: "m", input: [output] }).present,
    ]) {
      expect(present).toEqual({ rules: new Set(), reference: everyLine.reference });
    }
  });

  test("an answer of the model has no section of ours", () => {
    const messages = [
      { role: "assistant", content: rules + reference },
      { role: "user", content: "When?" },
    ];
    expect(read("chat", { model: "m", messages }).present).toEqual({
      rules: new Set(),
      reference: new Set(),
    });
  });
});

describe("what a request has in common with the next one", () => {
  const conversation: [DialectName, (said: readonly string[]) => object][] = [
    ["chat", (said) => ({ model: "m", messages: toMessages(said) })],
    ["messages", (said) => ({ model: "m", messages: toMessages(said) })],
    ["responses", (said) => ({ model: "m", input: toMessages(said) })],
  ];
  function toMessages(said: readonly string[]): object[] {
    return said.map((content, at) => ({ role: at % 2 === 0 ? "user" : "assistant", content }));
  }

  test.each(conversation)("%s: the digest of a message, whatever comes after it", (name, bodyOf) => {
    const [first, second] = read(name, bodyOf(["One", "Two", "Three"])).userTurns;
    const later = read(name, bodyOf(["One", "Two", "Three", "Four", "Five"])).userTurns;
    expect<unknown>(later.slice(0, 2)).toEqual([first, second]);
    const other = read(name, bodyOf(["One", "Too", "Three"])).userTurns;
    expect([other[0], other[1]?.digest === second?.digest]).toEqual([first, false]);
    // Where a client has put its cache breakpoint says nothing about the conversation.
    const marked = [
      { role: "user", content: [{ type: "text", text: "One", cache_control: { type: "ephemeral" } }] },
    ];
    expect(read("messages", { model: "m", messages: marked }).userTurns[0]?.digest).toBe(first?.digest);
  });

  test.each(conversation)("%s: the reference of an earlier message is put there again", (name, bodyOf) => {
    const before = change(name, bodyOf(["One"]), { rules: "" });
    const { value, put, text } = change(name, bodyOf(["One", "Two", "Three"]), {
      rules: "",
      reference: "",
      earlier: new Map([[0, reference]]),
    });
    expect(put).toEqual([0]);
    expect(text.startsWith(before.text.slice(0, -2))).toBe(true);
    const [one, , three] = value.messages ?? value.input;
    expect([one.content, three.content]).toEqual([`One\n\n${reference}`, "Three"]);
  });
});
