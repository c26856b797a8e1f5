// Binds `memledger mcp`: the Model Context Protocol on stdin and stdout, for clients that start a program. Only messages of the protocol
// are written to stdout.

import { type Command, Option } from "commander";
import { apiKeyVariable } from "../config/client-variables.ts";
import { ConfigError } from "../config/config-file.ts";
import { mcpEndMaxMs, mcpLineMaxBytes } from "../limits.ts";
import type { Channel } from "../local-access/channel.ts";
import { openChannel } from "../local-access/open-channel.ts";
import { defaultProject, projectNameOf } from "../local-access/project-name.ts";
import { readLines } from "../mcp-proxy/input-lines.ts";
import { createProxy } from "../mcp-proxy/proxy.ts";
import { bindWork, type Invocation, type Session } from "./command.ts";
import { exitCodes } from "./exit-codes.ts";

export function addMcpCommand(program: Command, session: Session): void {
  const command = program
    .command("mcp")
    .description(
      "Connect an assistant that starts a program (Model Context Protocol on stdin and stdout) to the memory. Starts a server in the background if none runs. Without --data-dir, it uses the data directory of the user.",
    )
    .option(
      "--project <name|auto>",
      `project, created if it does not exist; auto: the name of the enclosing git repository (default: ${defaultProject})`,
    )
    .addOption(
      new Option(
        "--url <url>",
        `server elsewhere, which is called with the API key in ${apiKeyVariable}`,
      ).conflicts("project"),
    );
  bindWork(command, session, serveClient, { dataDir: "of the user" });
}

async function serveClient(invocation: Invocation): Promise<null> {
  const { terminal } = invocation;
  const proxy = createProxy({
    channel: channelOf(invocation),
    write: (line) => void process.stdout.write(`${line}\n`),
    log: (line) => terminal.writeError(`memledger: ${line}`),
  });
  // The client has ended. What it sent last is performed by the server, and nobody reads the answer.
  process.stdout.on("error", () => process.exit(exitCodes.done));
  for await (const line of readLines(Bun.stdin.stream(), mcpLineMaxBytes)) proxy.receive(line);
  const late = setTimeout(() => process.exit(exitCodes.done), mcpEndMaxMs);
  await proxy.finish();
  clearTimeout(late);
  return null;
}

/** @throws ConfigError */
function channelOf({ config, options, terminal }: Invocation): Channel {
  const { url, project } = options;
  if (typeof url !== "string") {
    const name = projectNameOf(typeof project === "string" ? project : defaultProject, process.cwd());
    return openChannel({ dataDir: config.dataDir, project: name, start: true });
  }
  const target = readUrl(url);
  const apiKey = terminal.variables[apiKeyVariable];
  if (apiKey !== undefined && /^[\x21-\x7e]+$/.test(apiKey)) return openChannel({ url: target, apiKey });
  throw new ConfigError(
    apiKey === undefined || apiKey === ""
      ? `--url needs an API key. Set the environment variable ${apiKeyVariable} to the key of a project of that server.`
      : `${apiKeyVariable} must be a key of visible ASCII characters.`,
  );
}

/** The address of the API or of its endpoint for MCP. @throws ConfigError, without the text, which may contain a password */
function readUrl(text: string): string {
  const url = URL.parse(text);
  const isAccepted =
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    url.username === "" &&
    url.password === "" &&
    url.search === "" &&
    url.hash === "";
  if (isAccepted) return url.href.replace(/\/+$/, "").replace(/\/mcp$/, "");
  throw new ConfigError(
    "--url must be an http or https URL without credentials, query and fragment, such as https://memledger.example:8420.",
  );
}
