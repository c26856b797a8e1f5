// Checks what is taken from the transcripts of the clients: the words of the user and the assistant, and nothing else.

import { describe, expect, test } from "bun:test";
import type { HookClientName } from "../../../src/assistants/hooks/client.ts";
import { transcriptFormats } from "../../../src/assistants/hooks/transcripts/formats.ts";
import { toPrompt } from "../../../src/memory/search/prompt.ts";
import type { JsonObject } from "../../../src/platform/json/json.ts";
import { toSpokenText } from "../../../src/platform/text/spoken-text.ts";
import { transcripts } from "./transcript-files.ts";

const spoken = (client: HookClientName, values: readonly JsonObject[]) =>
  transcriptFormats[client](values.map((value, index) => ({ value, end: index + 1 }))).map(
    ({ role, content }) => `${role}: ${content}`,
  );

const section = toPrompt([
  { content: "Never deploy on Fridays.", type: "rule", createdAt: 0, updatedAt: 0, expiresAt: null },
]);

describe("whole transcripts", () => {
  test.each(Object.entries(transcripts))("%s", (_, { client, lines, expected }) => {
    const values = lines.map((line): JsonObject => JSON.parse(line));
    expect(spoken(client, values)).toEqual([...expected]);
    const all = JSON.stringify(spoken(client, values));
    expect(all).not.toContain("not spoken");
  });
});

describe("text that programs add", () => {
  test.each([
    ["a prompt section of memledger", `Ship it.\n${section}\nPlease.`, "Ship it.\n\n\nPlease."],
    ["a reminder", "a <system-reminder>\nnot spoken\n</system-reminder> b", "a  b"],
    ["two of them", "<hook_context>x</hook_context>a<hook_context>y</hook_context>", "a"],
    ["with attributes", '<ide_selection path="x">not spoken</ide_selection>Rename it.', "Rename it."],
    ["the output of a local command", "<local-command-stdout>not spoken</local-command-stdout>", ""],
    ["an interruption", "[Request interrupted by user for tool use]", ""],
    ["named files", "Read it.\n--- Content from referenced files ---\nx\n--- End of content ---", "Read it."],
    [
      "instructions of Codex",
      "# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>\ny\n</INSTRUCTIONS>\nHello.",
      "Hello.",
    ],
    ["no end: it may be code", "Use <my-button> here.", "Use <my-button> here."],
    ["ordinary markup", "Write <b>bold</b> and a < b > c.", "Write <b>bold</b> and a < b > c."],
  ])("%s", (_, text, expected) => {
    expect(toSpokenText(text)).toBe(expected);
  });

  test("many tags without an end take no quadratic time", () => {
    for (const name of [() => "<a-b>", (_: unknown, index: number) => `<a-${index}>`]) {
      const text = Array.from({ length: 100_000 }, name).join("");
      expect(toSpokenText(text)).toBe(text);
      expect(toSpokenText(`<x-y>${text}</x-y>`)).toBe("");
    }
  });
});

describe("Codex", () => {
  const item = (role: string, text: string): JsonObject => ({
    type: "response_item",
    payload: {
      type: "message",
      role,
      content: [{ type: role === "assistant" ? "output_text" : "input_text", text }],
    },
  });

  test("items are used when there are no events", () => {
    const items = [
      item("developer", "not spoken"),
      item("user", "<environment_context>not spoken</environment_context>"),
      item("user", "We ship on Tuesdays."),
      item("assistant", "Noted."),
    ];
    expect(spoken("codex", items)).toEqual(["user: We ship on Tuesdays.", "assistant: Noted."]);
  });

  test("items are not used beside events, which say the same", () => {
    const said: JsonObject = {
      type: "event_msg",
      payload: { type: "user_message", message: "We ship on Tuesdays.", kind: "plain" },
    };
    expect(spoken("codex", [item("user", "We ship on Tuesdays."), said])).toEqual([
      "user: We ship on Tuesdays.",
    ]);
  });
});

describe("Gemini CLI", () => {
  const message = (id: string, type: string, content: string): JsonObject => ({
    id,
    type,
    content,
    timestamp: `2026-11-22T09:00:0${id}.000Z`,
  });

  test("the last version of a message counts", () => {
    const records = [
      message("1", "gemini", "Not"),
      message("2", "user", "Go on."),
      message("1", "gemini", "Noted."),
    ];
    expect(spoken("gemini-cli", records)).toEqual(["user: Go on.", "assistant: Noted."]);
  });

  test("messages that were taken back do not", () => {
    const records = [message("1", "user", "a"), message("2", "user", "b"), message("3", "gemini", "c")];
    expect(spoken("gemini-cli", [...records, { $rewindTo: "2" }])).toEqual(["user: a"]);
    expect(spoken("gemini-cli", [...records, { $rewindTo: "0" }])).toEqual([]);
  });

  test("a repetition adds what is in no record of its own, and nothing older", () => {
    const repeated = [message("1", "user", "older"), message("2", "user", "b"), message("3", "user", "c")];
    const records = [message("2", "user", "b"), { $set: { messages: repeated } }];
    expect(spoken("gemini-cli", records)).toEqual(["user: b", "user: c"]);
  });
});

describe("records of any other form are ignored", () => {
  const odd: readonly JsonObject[] = [
    {},
    { type: "user" },
    { type: "user", message: null },
    { type: "user", message: { content: 7 } },
    { type: "user", message: { content: [null, 7, "text", { type: "text" }, { type: "text", text: 7 }] } },
    { type: "event_msg", payload: { type: "user_message", message: 7 } },
    { type: "event_msg", payload: [] },
    { role: "user", message: { content: { type: "text", text: null } } },
    { role: "system", message: { content: "not spoken" } },
    { id: "1", type: "user" },
    { id: "1", type: "info", content: "not spoken" },
    { $set: null },
    { $set: { messages: [7, null, {}] } },
    { $rewindTo: 7 },
  ];
  test.each(Object.keys(transcriptFormats))("%s", (client) => {
    const format = Object.entries(transcriptFormats).find(([name]) => name === client)?.[1];
    expect(format?.(odd.map((value, index) => ({ value, end: index })))).toEqual([]);
  });
});
