// Checks what a hook reads from the JSON of each client, and the JSON that it answers with.

import { describe, expect, test } from "bun:test";
import { type HookClientName, hookClientNames, toAnswer } from "../../../src/assistants/hooks/client.ts";
import { type HookEvent, readEvent } from "../../../src/assistants/hooks/event.ts";

const read = (client: HookClientName, value: unknown) => readEvent(client, JSON.stringify(value));

const claudeCode = {
  session_id: "5b1c7a1e-0d53-4a0f-9a55-4bb1f1a0f9aa",
  transcript_path: "/people/ana/.claude/projects/-people-ana-shop/5b1c7a1e.jsonl",
  cwd: "/people/ana/shop",
  permission_mode: "default",
};
const codex = {
  session_id: "0199c0de-1111-7222-8333-444455556666",
  transcript_path: "/people/ana/.codex/sessions/2026/11/22/rollout-2026-11-22T09-00-00-0199c0de.jsonl",
  cwd: "/people/ana/shop",
};
const cursor = {
  conversation_id: "c0ffee00-0000-4000-8000-000000000001",
  generation_id: "490b90b7-a2ce-4c2c-bb76-cb77b125df2f",
  model: "composer-2",
  cursor_version: "3.20.17",
  workspace_roots: ["/people/ana/shop", "/people/ana/docs"],
  user_email: null,
  transcript_path: "/people/ana/.cursor/projects/people-ana-shop/agent-transcripts/c0ffee00/c0ffee00.jsonl",
};
const geminiCli = {
  session_id: "b2f0c4de-0000-4000-8000-000000000002",
  transcript_path: "/people/ana/.gemini/tmp/shop/chats/session-2026-11-22T09-00-b2f0c4de.jsonl",
  cwd: "/people/ana/shop",
  timestamp: "2026-11-22T09:00:00.000Z",
};

function event(from: { session_id?: string; conversation_id?: string; transcript_path: string }, query = "") {
  const expected: HookEvent = {
    sessionId: from.conversation_id ?? from.session_id ?? "",
    workingDirectory: "/people/ana/shop",
    transcriptPath: from.transcript_path,
    query,
  };
  return expected;
}

describe("events of the clients", () => {
  test.each<[HookClientName, Record<string, unknown>, HookEvent]>([
    ["claude-code", { ...claudeCode, hook_event_name: "SessionStart", source: "startup" }, event(claudeCode)],
    [
      "claude-code",
      { ...claudeCode, hook_event_name: "UserPromptSubmit", prompt: " When do we ship? \n" },
      event(claudeCode, "When do we ship?"),
    ],
    ["claude-code", { ...claudeCode, hook_event_name: "SessionEnd", reason: "clear" }, event(claudeCode)],
    [
      "codex",
      {
        ...codex,
        hook_event_name: "SessionStart",
        model: "gpt-5.6",
        permission_mode: "default",
        source: "resume",
      },
      event(codex),
    ],
    [
      "codex",
      { ...codex, hook_event_name: "UserPromptSubmit", turn_id: "1", prompt: "When?" },
      event(codex, "When?"),
    ],
    ["codex", { ...codex, hook_event_name: "SessionEnd", reason: "other" }, event(codex)],
    ["cursor", { ...cursor, hook_event_name: "sessionStart", is_background_agent: false }, event(cursor)],
    [
      "cursor",
      { ...cursor, hook_event_name: "beforeSubmitPrompt", prompt: "When?", attachments: [] },
      event(cursor, "When?"),
    ],
    [
      "cursor",
      { ...cursor, session_id: "other", hook_event_name: "sessionEnd", reason: "window_close" },
      event(cursor),
    ],
    ["gemini-cli", { ...geminiCli, hook_event_name: "SessionStart", source: "startup" }, event(geminiCli)],
    [
      "gemini-cli",
      { ...geminiCli, hook_event_name: "BeforeAgent", prompt: "When?" },
      event(geminiCli, "When?"),
    ],
    ["gemini-cli", { ...geminiCli, hook_event_name: "SessionEnd", reason: "exit" }, event(geminiCli)],
  ])("%s %j", (client, value, expected) => {
    expect(read(client, value)).toEqual(expected);
  });

  test("a byte order mark before the JSON", () => {
    expect(readEvent("cursor", `\uFEFF${JSON.stringify(cursor)}`)).toEqual(event(cursor));
  });

  test("a client without a transcript", () => {
    expect(read("codex", { ...codex, transcript_path: null })?.transcriptPath).toBeNull();
  });
});

describe("what is no event", () => {
  test.each([
    "",
    "  ",
    "null",
    "[]",
    '"text"',
    "7",
    "{",
    "{}",
    '{"session_id": 7}',
    '{"session_id": ""}',
    "\0",
  ])("%j", (text) => {
    for (const client of hookClientNames) expect(readEvent(client, text)).toBeNull();
  });

  test("an event that Cursor sends to a hook of another client, because it runs its own hooks, too", () => {
    expect(read("claude-code", cursor)).toBeNull();
  });
});

describe("what a client should not send", () => {
  test.each(["relative/file.jsonl", "", "a\0b", "/people/\0", 7, null, {}])("path %j is not used", (path) => {
    const { transcriptPath, workingDirectory } = read("codex", {
      session_id: "1",
      cwd: path,
      transcript_path: path,
    }) ?? { transcriptPath: "", workingDirectory: "" };
    expect([transcriptPath, workingDirectory]).toEqual([null, null]);
  });

  test("a long prompt is searched for by its beginning and its end", () => {
    const prompt = `Why does this fail? ${"log line 😀\n".repeat(5_000)} It worked yesterday.`;
    const query = read("codex", { ...codex, prompt })?.query ?? "";
    expect(query.length).toBeLessThanOrEqual(10_000);
    expect(query.isWellFormed()).toBe(true);
    expect(query.startsWith("Why does this fail?")).toBe(true);
    expect(query.endsWith("It worked yesterday.")).toBe(true);
  });

  test("a lone surrogate in a prompt, which the server would refuse", () => {
    const text = `{"session_id":"1","prompt":"a\\ud83d b"}`;
    expect(readEvent("codex", text)?.query).toBe("a\uFFFD b");
  });
});

describe("answers", () => {
  test.each<[HookClientName, string, unknown]>([
    [
      "claude-code",
      "session-start",
      { hookSpecificOutput: { hookEventName: "SessionStart", additionalContext: "x" } },
    ],
    [
      "claude-code",
      "user-prompt",
      { hookSpecificOutput: { hookEventName: "UserPromptSubmit", additionalContext: "x" } },
    ],
    [
      "codex",
      "session-start",
      { hookSpecificOutput: { hookEventName: "SessionStart", additionalContext: "x" } },
    ],
    [
      "codex",
      "user-prompt",
      { hookSpecificOutput: { hookEventName: "UserPromptSubmit", additionalContext: "x" } },
    ],
    ["cursor", "session-start", { additional_context: "x" }],
    ["cursor", "user-prompt", { continue: true, additional_context: "x" }],
    [
      "gemini-cli",
      "session-start",
      { hookSpecificOutput: { hookEventName: "SessionStart", additionalContext: "x" } },
    ],
    [
      "gemini-cli",
      "user-prompt",
      { hookSpecificOutput: { hookEventName: "BeforeAgent", additionalContext: "x" } },
    ],
  ])("%s %s", (client, hook, expected) => {
    if (hook !== "session-start" && hook !== "user-prompt") throw new Error(hook);
    const text = toAnswer(client, hook, "x");
    expect(text.endsWith("}\n")).toBe(true);
    expect(JSON.parse(text)).toEqual(expected);
    expect(toAnswer(client, hook, "")).toBe("");
  });
});
