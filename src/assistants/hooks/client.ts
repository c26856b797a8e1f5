// Owns what differs between the clients whose hooks call memledger: the names of their events and the form of an answer. Must never read
// or print anything.

import type { JsonObject } from "../../platform/json/json.ts";

export const hookNames = ["session-start", "user-prompt", "session-end"] as const;
export type HookName = (typeof hookNames)[number];

export interface HookClient {
  /** The name of each event in the configuration of the client. */
  readonly events: Readonly<Record<HookName, string>>;
  /** The JSON that adds a context to the conversation. */
  readonly toAnswer: (event: string, context: string) => JsonObject;
}

/** Claude Code, and the clients that follow it. */
const nested: HookClient["toAnswer"] = (hookEventName, additionalContext) => ({
  hookSpecificOutput: { hookEventName, additionalContext },
});

export const hookClients = {
  // https://code.claude.com/docs/en/hooks
  "claude-code": {
    events: {
      "session-start": "SessionStart",
      "user-prompt": "UserPromptSubmit",
      "session-end": "SessionEnd",
    },
    toAnswer: nested,
  },
  // https://developers.openai.com/codex/hooks and codex-rs/hooks/schema/generated in github.com/openai/codex. SessionEnd exists since 2026-07.
  codex: {
    events: {
      "session-start": "SessionStart",
      "user-prompt": "UserPromptSubmit",
      "session-end": "SessionEnd",
    },
    toAnswer: nested,
  },
  // https://cursor.com/docs/hooks. The page names additional_context for sessionStart only. Cursor 3.20 accepts it for beforeSubmitPrompt,
  // too; versions that do not know it ignore it.
  cursor: {
    events: {
      "session-start": "sessionStart",
      "user-prompt": "beforeSubmitPrompt",
      "session-end": "sessionEnd",
    },
    toAnswer: (event, context) =>
      event === "beforeSubmitPrompt"
        ? { continue: true, additional_context: context }
        : { additional_context: context },
  },
  // https://geminicli.com/docs/hooks/reference
  "gemini-cli": {
    events: { "session-start": "SessionStart", "user-prompt": "BeforeAgent", "session-end": "SessionEnd" },
    toAnswer: nested,
  },
} as const satisfies Readonly<Record<string, HookClient>>;

export type HookClientName = keyof typeof hookClients;

export const hookClientNames = Object.keys(hookClients).filter(
  (name): name is HookClientName => name in hookClients,
);

/** One line of JSON for stdout. An empty context gives an empty text, which every client takes as "nothing to add". */
export function toAnswer(client: HookClientName, hook: HookName, context: string): string {
  if (context === "") return "";
  const { events, toAnswer: form } = hookClients[client];
  return `${JSON.stringify(form(events[hook], context))}\n`;
}
