// Holds one transcript of each client, with every kind of record that the client writes. Text that must not be taken says "not spoken".

import type { HookClientName } from "../../../src/assistants/hooks/client.ts";

export interface Transcript {
  readonly client: HookClientName;
  readonly lines: readonly string[];
  readonly expected: readonly string[];
}

const time = "2026-11-22T09:00:00.000Z";
const hidden = "not spoken";
const section = `<memories>\n${hidden}\n<rules>\n- (2026-11-02) "${hidden}"\n</rules>\n</memories>\n`;

const claudeCode = (type: string, content: unknown, more: object = {}) => ({
  parentUuid: null,
  isSidechain: false,
  userType: "external",
  cwd: "/people/ana/shop",
  sessionId: "5b1c7a1e",
  version: "2.1.280",
  type,
  message: { role: type, content },
  uuid: crypto.randomUUID(),
  timestamp: time,
  ...more,
});

const codex = (type: string, payload: object) => ({ timestamp: time, type, payload });
const codexItem = (role: string, text: string) =>
  codex("response_item", {
    type: "message",
    role,
    content: [{ type: role === "assistant" ? "output_text" : "input_text", text }],
  });

const gemini = (id: string, type: string, content: unknown, more: object = {}) => ({
  id,
  timestamp: time,
  type,
  content,
  ...more,
});

const printed = (records: readonly object[]) => records.map((record) => JSON.stringify(record));

export const transcripts: Readonly<Record<HookClientName, Transcript>> = {
  "claude-code": {
    client: "claude-code",
    lines: printed([
      { type: "summary", summary: hidden, leafUuid: "1" },
      { type: "file-history-snapshot", messageId: "1", snapshot: { note: hidden } },
      { type: "queue-operation", operation: "enqueue", content: hidden },
      {
        type: "attachment",
        attachment: { type: "hook_additional_context", content: [section], hookName: "SessionStart" },
      },
      claudeCode("user", `<command-name>/clear</command-name><command-message>${hidden}</command-message>`),
      claudeCode("user", hidden, { isMeta: true }),
      claudeCode("user", "We deploy the shop on Tuesdays."),
      claudeCode("assistant", [{ type: "thinking", thinking: hidden, signature: "x" }]),
      claudeCode("assistant", [{ type: "text", text: "Understood, Tuesdays." }]),
      claudeCode("assistant", [{ type: "tool_use", id: "1", name: "Bash", input: { command: hidden } }]),
      claudeCode("user", [{ type: "tool_result", tool_use_id: "1", content: hidden }], {
        toolUseResult: { stdout: hidden },
      }),
      claudeCode("user", [
        { type: "tool_result", tool_use_id: "2", content: [{ type: "text", text: hidden }] },
      ]),
      claudeCode("user", [{ type: "text", text: "[Request interrupted by user]" }]),
      claudeCode("assistant", [{ type: "text", text: hidden }], { isSidechain: true }),
      claudeCode("assistant", [{ type: "text", text: hidden }], { isApiErrorMessage: true }),
      claudeCode("user", hidden, { isCompactSummary: true, isVisibleInTranscriptOnly: true }),
      { type: "system", subtype: "turn_duration", content: hidden },
      claudeCode("user", [
        { type: "image", source: { type: "base64", data: "AAAA" } },
        { type: "text", text: `${section}The logo must stay blue.` },
        { type: "text", text: `<system-reminder>${hidden}</system-reminder>` },
      ]),
    ]),
    expected: [
      "user: We deploy the shop on Tuesdays.",
      "assistant: Understood, Tuesdays.",
      "user: The logo must stay blue.",
    ],
  },
  codex: {
    client: "codex",
    lines: printed([
      codex("session_meta", {
        id: "0199",
        cwd: "/people/ana/shop",
        instructions: hidden,
        originator: "codex-tui",
      }),
      codex("turn_context", { cwd: "/people/ana/shop", model: "gpt-5.6", user_instructions: hidden }),
      codexItem("developer", `${hidden} ${section}`),
      codexItem("user", `<environment_context>${hidden}</environment_context>`),
      codexItem("user", "We deploy the shop on Tuesdays."),
      codex("event_msg", { type: "user_message", message: "We deploy the shop on Tuesdays.", images: [] }),
      codex("event_msg", { type: "user_message", message: hidden, kind: "environment_context" }),
      codex("event_msg", { type: "agent_reasoning", text: hidden }),
      codex("response_item", { type: "reasoning", summary: [{ type: "summary_text", text: hidden }] }),
      codex("response_item", { type: "function_call", name: "exec", arguments: hidden, call_id: "1" }),
      codex("response_item", { type: "function_call_output", call_id: "1", output: hidden }),
      codex("event_msg", { type: "exec_command_end", stdout: hidden }),
      codex("event_msg", { type: "token_count", info: null }),
      codex("compacted", { message: hidden }),
      codexItem("assistant", "Understood, Tuesdays."),
      codex("event_msg", { type: "agent_message", message: "Understood, Tuesdays.", phase: "final_answer" }),
      codex("event_msg", { type: "task_complete", last_agent_message: hidden }),
    ]),
    expected: ["user: We deploy the shop on Tuesdays.", "assistant: Understood, Tuesdays."],
  },
  cursor: {
    client: "cursor",
    lines: printed([
      {
        role: "user",
        message: {
          content: [
            {
              type: "text",
              text: `<attached_files>${hidden}</attached_files>\n<user_query>\nWe deploy the shop on Tuesdays.\n</user_query>\n${section}`,
            },
          ],
        },
      },
      {
        role: "assistant",
        message: {
          content: [
            { type: "text", text: "Understood, Tuesdays." },
            { type: "tool_use", name: "Shell", input: { command: hidden } },
          ],
        },
      },
      { role: "user", message: { content: [{ type: "tool_result", content: hidden }] } },
      { type: "turn_ended", reason: hidden },
      { role: "assistant", content: "Done." },
    ]),
    expected: [
      "user: We deploy the shop on Tuesdays.",
      "assistant: Understood, Tuesdays.",
      "assistant: Done.",
    ],
  },
  "gemini-cli": {
    client: "gemini-cli",
    lines: printed([
      { sessionId: "b2f0", projectHash: "x", startTime: time, lastUpdated: time, kind: "main" },
      gemini("0", "user", [{ text: `<hook_context>${section.replaceAll("<", "&lt;")}</hook_context>` }]),
      gemini("1", "user", [
        { text: "We deploy the shop on Tuesdays." },
        { text: `<hook_context>${hidden}</hook_context>` },
      ]),
      { $set: { lastUpdated: time } },
      gemini("2", "gemini", "", { toolCalls: [{ name: "shell", args: {}, result: [{ text: hidden }] }] }),
      gemini("3", "user", [{ functionResponse: { id: "1", response: { output: hidden } } }]),
      gemini("4", "gemini", [{ text: hidden, thought: true }, { text: "Understood, Tuesdays." }], {
        thoughts: [{ subject: hidden, description: hidden, timestamp: time }],
      }),
      gemini("5", "info", hidden),
      gemini("6", "error", hidden),
      gemini("7", "user", [{ text: `@logo.svg ${hidden}` }], {
        displayContent: [{ text: "The logo must stay blue." }],
      }),
      gemini("8", "user", "Forget that."),
      { $rewindTo: "8" },
    ]),
    expected: [
      "user: We deploy the shop on Tuesdays.",
      "assistant: Understood, Tuesdays.",
      "user: The logo must stay blue.",
    ],
  },
};
