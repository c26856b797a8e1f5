// Owns the choice of the transcript format by the client.

import type { HookClientName } from "../client.ts";
import { claudeCodeTranscript } from "./claude-code.ts";
import { codexTranscript } from "./codex.ts";
import { cursorTranscript } from "./cursor.ts";
import { geminiCliTranscript } from "./gemini-cli.ts";
import type { TranscriptFormat } from "./transcript.ts";

export const transcriptFormats: Readonly<Record<HookClientName, TranscriptFormat>> = {
  "claude-code": claudeCodeTranscript,
  codex: codexTranscript,
  cursor: cursorTranscript,
  "gemini-cli": geminiCliTranscript,
};
