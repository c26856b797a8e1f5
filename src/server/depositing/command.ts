// Owns keeping files by a command: it gets each file on its standard input. Must never start a shell, or wait for the command without a limit.

import type { JsonObject } from "../../platform/json/json.ts";
import { depositTimeoutMs, saidMaxCharacters, saidWaitMs } from "./limits.ts";
import type { DepositPlace, SpooledFile } from "./place.ts";

/** @param name the setting, for people; @param words the program and its arguments */
export function createCommandPlace(
  name: string,
  words: readonly string[],
  timeoutMs = depositTimeoutMs,
): DepositPlace {
  return {
    name,
    async keep(file, signal): Promise<JsonObject> {
      const { exitCode, said, isLate } = await run(words, file, { signal, timeoutMs });
      if (exitCode === 0) return { sha256: file.sha256, exit_status: 0 };
      signal.throwIfAborted();
      const ended = isLate
        ? `did not end within ${timeoutMs / 1000} seconds, and was killed`
        : exitCode === null
          ? "was killed"
          : `has ended with the exit status ${exitCode}`;
      throw new Error(
        `The command ${words[0]} ${ended}${said === "" ? "" : ` (${said})`}. Correct the command, or --keep.`,
      );
    },
  };
}

async function run(
  words: readonly string[],
  { name, path, sha256 }: SpooledFile,
  { signal, timeoutMs }: { readonly signal: AbortSignal; readonly timeoutMs: number },
) {
  const late = AbortSignal.timeout(timeoutMs);
  const child = start(words, path, AbortSignal.any([signal, late]), {
    MEMLEDGER_FILE: name,
    MEMLEDGER_SHA256: sha256,
  });
  const said = readSaid(child.stderr);
  const status = await child.exited;
  // A program that it has left running may keep it open.
  const waited = AbortSignal.timeout(saidWaitMs);
  await Promise.race([said.ended, new Promise((resolve) => waited.addEventListener("abort", resolve))]);
  const exitCode = child.signalCode === null ? status : null;
  return { exitCode, said: said.text(), isLate: late.aborted };
}

function start(
  words: readonly string[],
  path: string,
  signal: AbortSignal,
  added: Readonly<Record<string, string>>,
) {
  // The variables of the server may be secrets.
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("MEMLEDGER_"));
  try {
    return Bun.spawn([...words], {
      stdin: Bun.file(path),
      stdout: "ignore",
      stderr: "pipe",
      signal,
      killSignal: "SIGKILL",
      env: { ...Object.fromEntries(inherited), ...added },
    });
  } catch (cause) {
    throw new Error(
      `The command ${words[0]} cannot be started. Correct --keep: give the path of a program.`,
      {
        cause,
      },
    );
  }
}

/** Reads all, so that the command does not wait for a reader. */
function readSaid(stream: ReadableStream<Uint8Array>) {
  const decoder = new TextDecoder();
  let said = "";
  const read = async () => {
    for await (const chunk of stream)
      if (said.length < saidMaxCharacters) said += decoder.decode(chunk, { stream: true });
  };
  return { ended: read(), text: () => said.slice(0, saidMaxCharacters).trim() };
}
