// Owns the options with which programs that an assistant starts (`mcp`, `hook`) name their project and their server. Must never print an
// API key or an address that may contain a password.

import { type Command, Option } from "commander";
import type { Channel } from "../assistants/local-access/channel.ts";
import { openChannel } from "../assistants/local-access/open-channel.ts";
import { defaultProject, projectNameOf } from "../assistants/local-access/project-name.ts";
import {
  createRepeatedCall,
  type RepeatedCall,
  waitingNotice,
} from "../assistants/local-access/repeated-call.ts";
import { showProject } from "../calls/operations/access/project-operations.ts";
import { subjectMaxCharacters } from "../platform/limits.ts";
import { labelFault } from "../platform/schema/schema-fault.ts";
import { toLabel } from "../platform/text/label.ts";
import { apiKeyVariable } from "../server/config/client-variables.ts";
import { ConfigError } from "../server/config/config-file.ts";
import { fileVariableOf, findSecret } from "../server/config/secret-file.ts";
import { administer } from "./access/administer.ts";
import type { Invocation } from "./command.ts";

/** @param missingProject what the command does if the project does not exist */
export function addTargetOptions(
  command: Command,
  missingProject: "created" | "refused" = "created",
): Command {
  const missing = { created: "created if it does not exist", refused: "which must exist" }[missingProject];
  return command
    .option(
      "--project <name|auto>",
      `project, ${missing}; auto: the name of the enclosing git repository (default: ${defaultProject})`,
    )
    .addOption(
      new Option(
        "--url <url>",
        `server elsewhere, which is called with the API key in ${apiKeyVariable}`,
      ).conflicts("project"),
    );
}

export function addSubjectOption(command: Command): Command {
  return command.option(
    "--subject <name>",
    "subject of the project whose memories these are, such as user:42",
  );
}

/** A server elsewhere, whose key belongs to one project, or a project of the data directory. */
export type ServerTarget = ({ readonly url: string } | { readonly project: string }) & {
  /** Null: the project itself. */
  readonly subject: string | null;
};

/** @param directory in which the assistant works @throws ConfigError */
export function readTarget({ options }: Invocation, directory: string): ServerTarget {
  const { url, project } = options;
  const subject = readSubject(options.subject);
  if (typeof url === "string") return { url: readUrl(url), subject };
  const named = typeof project === "string" ? project : defaultProject;
  return { project: projectNameOf(named, directory), subject };
}

/** Of a program that got its target from another one of ours: the project is a name, even if it is `auto`. @throws ConfigError */
export function readResolvedTarget({ options: { url, project, ...options } }: Invocation): ServerTarget {
  const subject = readSubject(options.subject);
  return typeof url === "string"
    ? { url: readUrl(url), subject }
    : { project: String(project ?? defaultProject), subject };
}

/** @param option undefined: it was not given @throws ConfigError */
export function readSubject(option: unknown): string | null {
  if (option === undefined) return null;
  const fault = labelFault({ maxLength: subjectMaxCharacters }, option);
  if (fault === null) return toLabel(String(option));
  throw new ConfigError(`--subject ${fault}.`);
}

/** Starts a background server if there is none. Connects at the first request. @throws ConfigError */
export function openTarget(
  target: ServerTarget,
  { config, terminal }: Invocation,
  onProjectCreated?: (name: string) => void,
): Channel {
  const { subject } = target;
  if ("project" in target) {
    const { project } = target;
    const created = { onProjectCreated: () => onProjectCreated?.(project) };
    return openChannel({ dataDir: config.dataDir, project, start: true, ...created }, subject);
  }
  const found = findSecret(terminal.variables, apiKeyVariable);
  if (found === null) {
    throw new ConfigError(
      `--url needs an API key. Set the environment variable ${apiKeyVariable} to the key of a project of that server, or ${fileVariableOf(apiKeyVariable)} to a file that has it.`,
    );
  }
  const { value: apiKey, variable } = found;
  if (/^[\x21-\x7e]+$/.test(apiKey)) return openChannel({ url: target.url, apiKey }, subject);
  throw new ConfigError(`${variable} must be a key of visible ASCII characters.`);
}

/** As openTarget, for commands that create neither a data directory nor a project. @throws also CommandRefused and DirectoryInUse */
export async function openExistingTarget(target: ServerTarget, invocation: Invocation): Promise<Channel> {
  if ("project" in target) await administer(invocation.config, showProject, { project: target.project });
  return openTarget(target, invocation);
}

/** The calls of such a command. Waiting for the server is told on standard error. @throws as openExistingTarget */
export async function openCalls(invocation: Invocation): Promise<RepeatedCall> {
  const channel = await openExistingTarget(readTarget(invocation, process.cwd()), invocation);
  const onWait = (reason: string) => invocation.terminal.writeError(waitingNotice(reason));
  return createRepeatedCall({ channel, onWait });
}

/**
 * @param text the address of the server, of its API (as `memledger serve` prints it), or of its endpoint for MCP
 * @returns that of the server, without a slash at the end
 * @throws ConfigError
 */
export function readUrl(text: string): string {
  const url = URL.parse(text);
  const isAccepted =
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    url.username === "" &&
    url.password === "" &&
    url.search === "" &&
    url.hash === "";
  if (isAccepted) return url.href.replace(/\/+$/, "").replace(/\/(mcp|v1)$/, "");
  throw new ConfigError(
    "--url must be an http or https URL without credentials, query and fragment, such as https://memledger.example:8420.",
  );
}
