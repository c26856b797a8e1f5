// Binds `memledger reembed`: computes the embeddings of all memories again after a change of the model. A stopped run can be resumed.

import type { Command } from "commander";
import { chooseModel } from "../app.ts";
import type { Config } from "../config/config.ts";
import { settings } from "../config/settings.ts";
import { lockDirectory, requireDatabase } from "../data-directory/directory-lock.ts";
import { refuseFormerFiles } from "../data-directory/lost-database.ts";
import { startEmbedder } from "../embedding/embedder.ts";
import { counted } from "../text/plural.ts";
import { addSettings, bindWork, type Session } from "./command.ts";
import type { Report, Terminal } from "./terminal.ts";

export function addReembedCommand(program: Command, session: Session): void {
  const command = program
    .command("reembed")
    .description(
      "Compute the embeddings of all memories with the configured model. The server must be stopped. If it is interrupted, run it again: it resumes.",
    );
  addSettings(command, [settings.model, settings.embeddingThreads]);
  bindWork(command, session, ({ config, terminal }) => embedAgain(config, terminal));
}

async function embedAgain(config: Config, terminal: Terminal): Promise<Report> {
  await requireDatabase(config.dataDir);
  await using parts = new AsyncDisposableStack();
  const locked = await lockDirectory(config.dataDir);
  parts.defer(() => locked.release());
  const { engine, runtime } = locked;
  await engine.requireIntactRemains();
  const model = chooseModel(config);
  const embedder = await startEmbedder({ runtime, model, threads: config.embeddingThreads });
  parts.defer(() => embedder.close());
  const { id, sha256, dimensions } = embedder.model;
  const memories = await engine.reembed({
    model: { id, sha256, dimensions },
    embed: (content) => embedder.embed(content, "passage"),
    onUnused: () => refuseFormerFiles(locked),
    onProgress: createProgress(terminal),
  });
  return {
    data: { memories, model: { id, sha256, dimensions } },
    text: `Embedded ${counted(memories, "memory", "memories")} with ${id} (${dimensions} dimensions).`,
  };
}

/** Prints one line for every tenth of the memories. */
function createProgress(terminal: Terminal): (done: number, total: number) => void {
  let tenths = 0;
  return (done, total) => {
    const reached = Math.floor((done / total) * 10);
    if (reached === tenths) return;
    tenths = reached;
    terminal.writeError(`${done} of ${counted(total, "memory", "memories")}`);
  };
}
