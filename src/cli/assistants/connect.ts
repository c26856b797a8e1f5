// Binds `memledger connect`: adds memledger to the configuration of an AI assistant. Checks the options; connect-run.ts does the work.

import { Argument, type Command, Option } from "commander";
import { type Assistant, filesOf, type Scope, scopes } from "../../assistants/connect/assistant.ts";
import { assistants } from "../../assistants/connect/assistants.ts";
import type { Places } from "../../assistants/connect/places.ts";
import { hookOptionsOf, startedBy, type Target } from "../../assistants/connect/server-entry.ts";
import { nameMaxCharacters } from "../../platform/limits.ts";
import { ownCommand } from "../../platform/native/own-command.ts";
import { endSentence } from "../../platform/text/sentence.ts";
import { unknownReason } from "../../platform/text/suggestion.ts";
import { apiKeyVariable } from "../../server/config/client-variables.ts";
import { ConfigError } from "../../server/config/config-file.ts";
import { findSecret } from "../../server/config/secret-file.ts";
import { requireUsableDirectory } from "../../server/data-directory/data-directory.ts";
import { bindWork, type Invocation, type Session } from "../command.ts";
import { readSubject, readUrl } from "../server-target.ts";
import type { Report } from "../terminal.ts";
import type { Connection } from "./connect-run.ts";

const names = assistants.map(({ name }) => name);

export function addConnectCommand(program: Command, session: Session): void {
  const command = program
    .command("connect")
    .description("Add memledger to the configuration of an AI assistant. Without --write, print what to add.")
    // The names are shown and completed. The command says more about an unknown one.
    .addArgument(new Argument("[client]", "the assistant").choices(names).argParser(String))
    .option("--write", "change the configuration files of the assistant")
    .option("--remove", "remove memledger and its hooks from the configuration files of the assistant")
    .option("--list", "list the assistants, their configuration files, and what is connected")
    .option("--hooks", "also add the hooks that give memories to the assistant and extract new ones")
    .addOption(
      new Option("--scope <scope>", "user: all projects of the user; project: the working directory")
        .choices(scopes)
        .default("user"),
    )
    .option("--project <name>", "project of the memories; auto: the name of the enclosing git repository")
    .option("--subject <name>", "subject of the project whose memories the assistant gets and saves")
    .option("--url <url>", "server elsewhere; the assistant reads its API key from MEMLEDGER_API_KEY")
    .option("--key-in-file", "write the API key of MEMLEDGER_API_KEY into the configuration file");
  bindWork(command, session, connect, { dataDir: "of the user" });
}

async function connect(invocation: Invocation): Promise<Report> {
  const { options, terminal } = invocation;
  const places: Places = {
    platform: process.platform,
    variables: terminal.variables,
    project: process.cwd(),
  };
  const [action = "print", ...others] = ["write", "remove", "list"].filter((name) => options[name] === true);
  if (others.length > 0) throw new ConfigError(`Use either --${action} or --${others[0]}.`);
  // Loaded here, because parsers of configuration files would delay the start of every other command.
  if (action === "list") return (await import("./connect-list.ts")).listConnections(places);
  const connection = readConnection(invocation, places);
  const { printEntries, removeEntries, writeEntries } = await import("./connect-run.ts");
  if (action === "remove") return removeEntries(connection);
  if (action === "write" && connection.target.kind === "local")
    requireUsableDirectory(connection.target.dataDir);
  return action === "write" ? writeEntries(connection) : printEntries(connection);
}

/** @throws ConfigError */
function readConnection({ options, operands, config, terminal }: Invocation, places: Places): Connection {
  const assistant = readAssistant(operands[0]);
  const scope: Scope = options.scope === "project" ? "project" : "user";
  if (filesOf(assistant, scope, places).length === 0) {
    throw new ConfigError(`${assistant.title} has no configuration for a project. Omit --scope project.`);
  }
  const withHooks = options.hooks === true;
  if (withHooks && assistant.hooks === null) {
    throw new ConfigError(`${assistant.title} has no hooks for sessions. Omit --hooks.`);
  }
  const base = { assistant, scope, places, withHooks };
  const { dataDir } = config;
  const subject = readSubject(options.subject);
  const local: Target = { kind: "local", program: ownCommand, dataDir, subject, project: null };
  if (options.remove === true) return { ...base, target: local };
  const url = typeof options.url === "string" ? readUrl(options.url) : null;
  if (url !== null) {
    if (options.project !== undefined) {
      throw new ConfigError(
        "--project cannot be used with --url: the API key belongs to one project of that server.",
      );
    }
    if (options.dataDir !== undefined && !withHooks) {
      throw new ConfigError(
        "--data-dir cannot be used with --url: that server has its own. Only hooks need one.",
      );
    }
    if (subject !== null && !/^[\x20-\x7e]+$/.test(subject)) {
      throw new ConfigError(
        "--subject can only have ASCII characters with --url: assistants send it in a header. Use another name.",
      );
    }
    if (options.keyInFile === true && scope === "project") {
      throw new ConfigError(
        `--key-in-file cannot be used with --scope project: files of a project are shared. Omit one of them. ${assistant.title} reads the key from ${apiKeyVariable}.`,
      );
    }
    const key =
      options.keyInFile === true ? readKey(findSecret(terminal.variables, apiKeyVariable)?.value) : null;
    const target: Target = { kind: "remote", program: ownCommand, dataDir, subject, url, key };
    requireNoVariables(assistant, target, withHooks);
    return { ...base, target };
  }
  if (options.keyInFile === true)
    throw new ConfigError("--key-in-file needs --url: a local server needs no API key.");
  const project = typeof options.project === "string" ? readProject(options.project) : null;
  const target: Target = { ...local, project };
  requireNoVariables(assistant, target, withHooks);
  return { ...base, target };
}

function readAssistant(name: string | undefined): Assistant {
  if (name === undefined) {
    throw new ConfigError(`A client is missing. Name one of ${names.join(", ")}, or add --list.`);
  }
  const found = assistants.find((assistant) => assistant.name === name);
  if (found !== undefined) return found;
  const reason = unknownReason(name, names, "clients");
  throw new ConfigError(endSentence(`Client "${name}" ${reason}`));
}

function readKey(key: string | undefined): string {
  if (key === undefined || !/^ml_[0-9A-Za-z]+$/.test(key)) {
    throw new ConfigError(
      `--key-in-file needs an API key in the environment variable ${apiKeyVariable}. Set it and try again.`,
    );
  }
  return key;
}

function readProject(raw: string): string {
  const name = raw.trim();
  if (name === "" || name.length > nameMaxCharacters || /\p{Cc}/u.test(name)) {
    throw new ConfigError(`--project must be a name of 1 to ${nameMaxCharacters} characters, or auto.`);
  }
  return name;
}

/** Assistants replace variables in the values of their files. */
function requireNoVariables({ title, variables }: Assistant, target: Target, withHooks: boolean): void {
  const { command, args } = startedBy(target);
  const words = [command, ...args, ...(withHooks ? hookOptionsOf(target) : [])];
  const found = variables === null ? undefined : words.find((word) => variables.test(word));
  if (found === undefined) return;
  throw new ConfigError(
    `${title} would replace a variable in "${found}". Choose a name without the character $.`,
  );
}
