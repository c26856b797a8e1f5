// Binds `memledger mcp`: the Model Context Protocol on stdin and stdout, for clients that start a program. Only messages of the protocol
// are written to stdout.

import type { Command } from "commander";
import { readLines } from "../../assistants/mcp-proxy/input-lines.ts";
import { createProxy } from "../../assistants/mcp-proxy/proxy.ts";
import { mcpEndMaxMs, mcpLineMaxBytes } from "../../platform/limits.ts";
import { bindWork, type Invocation, type Session } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { addSubjectOption, addTargetOptions, openTarget, readTarget } from "../server-target.ts";

export function addMcpCommand(program: Command, session: Session): void {
  const command = program
    .command("mcp")
    .description(
      "Connect an assistant that starts a program (Model Context Protocol on stdin and stdout) to the memory. Starts a server in the background if none runs. Without --data-dir, it uses the data directory of the user.",
    );
  addSubjectOption(addTargetOptions(command));
  bindWork(command, session, serveClient, { dataDir: "of the user" });
}

async function serveClient(invocation: Invocation): Promise<null> {
  const { terminal } = invocation;
  const proxy = createProxy({
    channel: openTarget(readTarget(invocation, process.cwd()), invocation),
    write: (line) => void process.stdout.write(`${line}\n`),
    log: (line) => terminal.writeError(`memledger: ${line}`),
  });
  if (terminal.canPrompt) terminal.writeError(forPeople);
  // The client has ended. What it sent last is performed by the server, and nobody reads the answer.
  process.stdout.on("error", () => process.exit(exitCodes.done));
  for await (const line of readLines(Bun.stdin.stream(), mcpLineMaxBytes)) proxy.receive(line);
  const late = setTimeout(() => process.exit(exitCodes.done), mcpEndMaxMs);
  await proxy.finish();
  clearTimeout(late);
  return null;
}

const forPeople =
  "memledger mcp waits for messages of an assistant, which starts it. To connect an assistant, run memledger connect. To end it, press Ctrl+D.";
