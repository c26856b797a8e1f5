// Owns the list of the AI assistants that `memledger connect` knows, in the order in which people see them.

import type { Assistant } from "./assistant.ts";
import { claudeDesktop, cursor, vscode, windsurf, zed } from "./desktop-assistants.ts";
import { claudeCode, codex, geminiCli, opencode } from "./terminal-assistants.ts";

export const assistants: readonly Assistant[] = [
  claudeCode,
  claudeDesktop,
  cursor,
  vscode,
  codex,
  geminiCli,
  zed,
  windsurf,
  opencode,
];
