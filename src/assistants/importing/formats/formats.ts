// Owns the list of formats, and which one a source is in. The order decides: a format before another one is more specific.

import { firstRecord } from "../json-records.ts";
import { headMaxBytes } from "../limits.ts";
import { RefusedSource, type Source } from "../source.ts";
import { basicMemory } from "./basic-memory.ts";
import { chatgpt } from "./chatgpt.ts";
import { claude } from "./claude.ts";
import type { ImportFormat } from "./format.ts";
import { langGraph } from "./langgraph.ts";
import { letta } from "./letta.ts";
import { markdown } from "./markdown.ts";
import { mcpMemory } from "./mcp-memory.ts";
import { mcpMemoryService } from "./mcp-memory-service.ts";
import { mem0 } from "./mem0.ts";
import { memledger } from "./memledger.ts";
import { openMemory } from "./openmemory.ts";
import { zep } from "./zep.ts";

export const formats = {
  "mcp-memory": mcpMemory,
  mem0,
  "mcp-memory-service": mcpMemoryService,
  openmemory: openMemory,
  letta,
  zep,
  langgraph: langGraph,
  memledger,
  chatgpt,
  claude,
  "basic-memory": basicMemory,
  markdown,
} as const satisfies Readonly<Record<string, ImportFormat>>;

export type FormatName = keyof typeof formats;

export const formatNames = Object.keys(formats).filter((name): name is FormatName => name in formats);

export interface DetectedFormat {
  readonly name: FormatName;
  /** Completes "it ...". */
  readonly reason: string;
}

/** Null: the source is empty. @throws RefusedSource when it is in none of the formats */
export async function detectFormat({ head, name }: Source): Promise<DetectedFormat | null> {
  if (head.trim() === "") return null;
  const seen = { text: head, record: await firstRecord(head) };
  for (const format of formatNames) {
    const reason = formats[format].detect(seen);
    if (reason !== null) return { name: format, reason };
  }
  const isCutOff = Buffer.byteLength(head) >= headMaxBytes && !head.includes("\n");
  const why = isCutOff ? `, because its first line is longer than ${headMaxBytes / 1024} KiB` : "";
  throw new RefusedSource(
    `The format of ${name} was not recognised${why}. Name it with --format: ${formatNames.join(", ")}. If each line is one memory, use --format chatgpt; if each paragraph is, --format markdown. Other JSON Lines and CSV: say with --map which field is the content.`,
  );
}
