// Owns the division of messages into extractions. Pure. Must never lose a character that is not white space.

import { toPassages } from "../../platform/text/passages.ts";
import { extractionMaxCharacters, extractionMaxMessages } from "./limits.ts";
import type { SpokenMessage } from "./transcripts/transcript.ts";

/** A message, or a part of it. */
export type ChunkMessage = Omit<SpokenMessage, "end">;

export interface MessageChunk {
  readonly messages: readonly ChunkMessage[];
  /** Offset in the transcript up to which it has been read when this chunk is extracted. */
  readonly end: number;
}

/** `messages` are in the order of their ends. A message that is longer than a chunk is divided after a line or a word. */
export function toChunks(
  messages: readonly SpokenMessage[],
  maxCharacters = extractionMaxCharacters,
): MessageChunk[] {
  const chunks: { messages: ChunkMessage[]; end: number }[] = [];
  let characters = Number.POSITIVE_INFINITY;
  let readTo = 0;
  for (const { content, end, ...said } of messages) {
    const parts = toPassages(content, maxCharacters);
    parts.forEach((part, index) => {
      const isFull = (chunks.at(-1)?.messages.length ?? 0) >= extractionMaxMessages;
      if (isFull || characters + part.length > maxCharacters) {
        chunks.push({ messages: [], end: readTo });
        characters = 0;
      }
      const chunk = chunks.at(-1);
      chunk?.messages.push({ ...said, content: part });
      characters += part.length;
      // After a part that is not the last one, the message has to be read again.
      if (chunk !== undefined && index === parts.length - 1) chunk.end = end;
    });
    readTo = end;
  }
  return chunks;
}
