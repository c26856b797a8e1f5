// Owns what `memledger serve` prints when it is ready: the addresses, and at the first start how to begin. A secret is printed to a
// terminal, or into the pipe of the program that asks for JSON. Anything else may be a log that others read, so it gets the path of a file.

import { writeWhole } from "../../platform/files/durable.ts";
import { explainSystemError } from "../../platform/files/system-error.ts";
import { linkedUrl } from "../../platform/network.ts";
import { quoteWord } from "../../platform/text/shell-word.ts";
import type { App } from "../../server/app.ts";
import type { Config } from "../../server/config/config.ts";
import { locate } from "../../server/data-directory/data-directory.ts";
import { signInAddress } from "../../transports/http/console/sign-in-address.ts";
import { versionText } from "../help/version.ts";
import { list, type Report, type Terminal } from "../terminal.ts";

export function readyReport(app: App, config: Config, terminal: Terminal): Report {
  const { projectId, apiKey, signInSecret, metricsUrl, warning } = app;
  const url = linkedUrl(app.url, config.publicUrl);
  const link = signInSecret === null ? null : signInAddress(url, signInSecret);
  if (terminal.isJson) {
    const data = {
      event: "ready",
      // Programs of this machine connect to it.
      url: app.url,
      ...(config.publicUrl === null ? {} : { public_url: url }),
      project_id: projectId,
      ...(apiKey === null ? {} : terminal.showsSecrets ? { api_key: apiKey } : savedKey(apiKey, config)),
      ...(link === null ? {} : { console_link: link }),
      ...(metricsUrl === null ? {} : { metrics_url: metricsUrl }),
      ...(warning === null ? {} : { warning }),
    };
    return { data, text: "" };
  }
  const parts = [
    `${versionText} is running.`,
    list(addresses({ ...app, url }, config)),
    ...(warning === null ? [] : [`Warning: ${warning}`]),
    ...(terminal.isWatched ? shownSteps({ ...app, url }, link, config.dataDir) : writtenSteps(app, config)),
  ];
  return { data: null, text: parts.join("\n\n") };
}

function addresses({ url, metricsUrl }: App, config: Config): Readonly<Record<string, string>> {
  const upstreams = config.gateway.upstreams.map(({ name }) => name);
  return {
    API: `${url}/v1`,
    Documentation: `${url}/docs`,
    ...(config.console ? { Console: `${url}/console/` } : {}),
    ...(upstreams.length === 0 ? {} : { Gateway: `${url}/v1, to ${upstreams.join(", ")}` }),
    ...(metricsUrl === null ? {} : { Metrics: metricsUrl }),
    Data: config.dataDir,
  };
}

/** For a person in front of the terminal. */
function shownSteps(app: App, link: string | null, dataDir: string): readonly string[] {
  const { url, apiKey, projectId } = app;
  const steps = [...keyAdvice(app, dataDir)];
  if (apiKey !== null) {
    steps.push(`First start: an API key of the project "default" (${projectId}) was created.
Save the key now. It is not shown again:

  ${apiKey}

Try it:

  curl -X POST ${url}/v1/memories -H "Authorization: Bearer ${apiKey}" -H "Content-Type: application/json" -d '{"content":"Deploys happen on Thursdays.","memory_type":"fact"}'`);
  }
  if (link !== null) {
    steps.push(`Open the console in a browser with this link. It is valid once, for ten minutes; "memledger console" makes another one:

  ${link}`);
  }
  return [...steps, "Stop it with Ctrl+C."];
}

/** For a log. */
function writtenSteps(app: App, { console, dataDir }: Config): readonly string[] {
  const { apiKey, projectId } = app;
  if (apiKey === null) return keyAdvice(app, dataDir);
  const created = `First start: an API key of the project "default" (${projectId}) was created.`;
  const signIn = console
    ? `\n\nTo sign in to the console, run: ${commandLine(["console", "--no-open"], dataDir)}`
    : "";
  const { path, fault } = saveKey(apiKey, dataDir);
  return fault === null
    ? [`${created} Only the owner of this file can read it: ${path}${signIn}`]
    : [`${created} It was lost, because ${fault}. Create another one: ${keyCommand(app, dataDir)}${signIn}`];
}

function savedKey(apiKey: string, { dataDir }: Config) {
  const { path, fault } = saveKey(apiKey, dataDir);
  return fault === null ? { api_key_file: path } : { api_key_lost: fault };
}

function keyAdvice(app: App, dataDir: string): readonly string[] {
  return app.hasKey || app.projectId === null
    ? []
    : [`There is no API key yet. Create one: ${keyCommand(app, dataDir)}`];
}

function keyCommand({ projectId }: App, dataDir: string): string {
  const words = ["key", "create", "--project", projectId ?? "default"];
  return commandLine([...words, "--permissions", "memory.read,memory.write"], dataDir);
}

function commandLine(words: readonly string[], dataDir: string): string {
  return ["memledger", ...words, "--data-dir", dataDir].map(quoteWord).join(" ");
}

/** `fault`: why the file cannot be written; null: it was. */
function saveKey(apiKey: string, dataDir: string): { readonly path: string; readonly fault: string | null } {
  const { firstKey: path } = locate(dataDir);
  try {
    writeWhole(path, `${apiKey}\n`);
    return { path, fault: null };
  } catch (error) {
    const cause = explainSystemError(error)?.cause ?? String(error);
    return { path, fault: `${path} cannot be written (${cause})` };
  }
}
