// Owns the process that extracts memories from a transcript after a hook has ended. Must never run twice for one conversation.

import { statSync } from "node:fs";
import { extractTranscript } from "../../assistants/hooks/extract-transcript.ts";
import { extractionMaxMs } from "../../assistants/hooks/limits.ts";
import { createMemoryCalls } from "../../assistants/hooks/memory-calls.ts";
import { openSessionFiles, removeOldSessions } from "../../assistants/hooks/session-files.ts";
import { transcriptFormats } from "../../assistants/hooks/transcripts/formats.ts";
import { chooseEngine } from "../../engines/engines.ts";
import { prepareRuntime } from "../../platform/native/runtime.ts";
import { createClock } from "../../platform/time/clock.ts";
import { locate } from "../../server/data-directory/data-directory.ts";
import type { Invocation } from "../command.ts";
import { openTarget, readResolvedTarget } from "../server-target.ts";
import { openHookPlace, readDetail } from "./hook-place.ts";

export async function extractInBackground(invocation: Invocation): Promise<null> {
  const { client, folder, logger, dataDir } = openHookPlace(invocation);
  const transcript = String(invocation.options.transcript);
  const sessionId = String(invocation.options.session);
  logger.info("a transcript is read in the background", { client, pid: process.pid });
  try {
    const files = openSessionFiles(folder, client, sessionId);
    const channel = openTarget(readResolvedTarget(invocation), invocation);
    const directory = { ...locate(dataDir), lock: files.lock };
    const engine = chooseEngine(directory, () => prepareRuntime(directory.runtime));
    const extraction = {
      transcript,
      format: transcriptFormats[client],
      calls: createMemoryCalls(channel, { client, hook: "session-end", sessionId }),
      detail: readDetail(invocation),
      files,
      logger,
      limit: () => AbortSignal.timeout(extractionMaxMs),
      sleep: Bun.sleep,
    } as const;
    for (let size = -2; size !== sizeOf(transcript); ) {
      size = sizeOf(transcript);
      const lock = await engine.takeLock();
      // The process that has the lock checks the size again after it has released it.
      if (lock === null) return null;
      try {
        await extractTranscript(extraction);
      } finally {
        lock.release();
      }
    }
    removeOldSessions(folder, createClock().now());
  } catch (error) {
    logger.error("a transcript was not read", { client, transcript, error });
  }
  return null;
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? -1;
}
