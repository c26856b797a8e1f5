// Binds `memledger memory export`: writes the memories of a project as JSON Lines, one page after the other.

import { resolve } from "node:path";
import { type Command, Option } from "commander";
import {
  createRepeatedCall,
  type RepeatedCall,
  waitingNotice,
} from "../../assistants/local-access/repeated-call.ts";
import { memoryOrigins, memoryTypes } from "../../memory/memory.ts";
import { isObject, type Json, type JsonObject } from "../../platform/json/json.ts";
import { CallRefused } from "../../platform/received-answer.ts";
import { counted } from "../../platform/text/plural.ts";
import { version } from "../../platform/version.ts";
import { bindWork, type Invocation, type Session } from "../command.ts";
import { createOutputFile, standardOutput, type TextOutput } from "../output-text.ts";
import { addSubjectOption, addTargetOptions, openExistingTarget, readTarget } from "../server-target.ts";
import { list, type Report, type Terminal } from "../terminal.ts";

export function addMemoryExportCommand(memory: Command, session: Session): void {
  const command = memory
    .command("export")
    .description(
      "Write the memories of a project to a file, as JSON Lines in the order of their creation. Includes expired and inactive memories.",
    )
    .requiredOption("--out <file|->", "path of the file, - for standard output");
  addSubjectOption(addTargetOptions(command, "refused"))
    .addOption(new Option("--type <type>", "only memories of this type").choices(memoryTypes))
    .addOption(
      new Option("--origin <origin>", "only passages of conversations, or only what is kept").choices(
        memoryOrigins,
      ),
    )
    .addOption(
      new Option(
        "--tag <tag>",
        "only memories with this tag; can be repeated, then memories with all of them",
      )
        .argParser((tag: string, tags: readonly string[]) => [...tags, tag])
        .default([], "none"),
    )
    .option("--with-vectors", "include the embeddings, as Base64 of 32-bit numbers, with the model")
    .option("--force", "overwrite the file if it exists");
  bindWork(command, session, run);
}

async function run(invocation: Invocation): Promise<Report | null> {
  const { config, options, terminal } = invocation;
  const channel = await openExistingTarget(readTarget(invocation, process.cwd()), invocation);
  const path = options.out === "-" ? null : resolve(String(options.out));
  const rules = { mayReplace: options.force === true, dataDir: config.dataDir };
  const progress = createCounter(terminal);
  const onWait = (reason: string) => progress.notice(waitingNotice(reason));
  const call = createRepeatedCall({ channel, onWait });
  const output = path === null ? standardOutput() : createOutputFile(path, rules);
  try {
    const memories = await writePages(call, filterOf(options), output, progress.show);
    await output.finish();
    progress.clear();
    if (path !== null) return { data: { memories, file: path }, text: list({ memories, file: path }) };
    progress.notice(counted(memories, "memory was written", "memories were written"));
    return null;
  } catch (error) {
    progress.clear();
    output.discard();
    throw error;
  }
}

/** @returns the number of memories */
async function writePages(
  call: RepeatedCall,
  filter: URLSearchParams,
  output: TextOutput,
  onPage: (memories: number) => void,
): Promise<number> {
  const headers = { "User-Agent": `memledger-export/${version}` };
  let memories = 0;
  for (let cursor: Json = ""; typeof cursor === "string"; ) {
    const query = new URLSearchParams(filter);
    if (cursor !== "") query.set("cursor", cursor);
    const page = await call(`/v1/memories/export?${query}`, { method: "GET", headers }).catch(
      (error: unknown) => {
        if (cursor !== "" && error instanceof CallRefused && error.code === 1400) throw restarted(error);
        throw error;
      },
    );
    const found = Array.isArray(page.memories) ? page.memories.filter(isObject) : [];
    const lines = found.map((memory, at) => `${JSON.stringify(toLine(memory, at, page))}\n`);
    if (lines.length > 0) await output.write(lines.join(""));
    memories += found.length;
    onPage(memories);
    cursor = page.next_cursor ?? null;
  }
  return memories;
}

/** Only the cursor can be at fault, because the same filters were accepted before. */
function restarted(cause: Error): Error {
  const message =
    "The server was restarted during the export, so the export cannot be continued. Run the command again.";
  return new Error(message, { cause });
}

/** Each line names the model of its vector, so that lines can be copied to other files. */
function toLine(memory: JsonObject, at: number, { vectors, model }: JsonObject): JsonObject {
  if (!Array.isArray(vectors) || !isObject(model)) return memory;
  const embedding_model = { id: model.id ?? null, sha256: model.sha256 ?? null };
  return { ...memory, embedding: vectors[at] ?? null, embedding_model };
}

function filterOf({ type, origin, tag, withVectors }: Invocation["options"]): URLSearchParams {
  const query = new URLSearchParams();
  if (typeof type === "string") query.set("memory_type", type);
  if (typeof origin === "string") query.set("origin", origin);
  for (const each of Array.isArray(tag) ? tag : []) query.append("tag", String(each));
  if (withVectors === true) query.set("include_vectors", "true");
  return query;
}

const updateEveryMs = 200;

/** The number of memories, on one line of a terminal. */
function createCounter(terminal: Terminal) {
  const isShown = process.stderr.isTTY === true && !terminal.isJson;
  const startMs = performance.now();
  let latestMs = startMs;
  const clear = () => {
    if (isShown) process.stderr.write("\r\x1b[K");
  };
  return {
    show(memories: number): void {
      const nowMs = performance.now();
      if (!isShown || nowMs - latestMs < updateEveryMs) return;
      latestMs = nowMs;
      const rate = Math.round((1_000 * memories) / (nowMs - startMs));
      process.stderr.write(`\r\x1b[K${counted(memories, "memory", "memories")}, ${rate}/s`);
    },
    notice(text: string): void {
      clear();
      terminal.writeError(text);
    },
    clear,
  };
}
