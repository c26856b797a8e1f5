// Records the command line: the help of every command, and runs that are performed and refused, with a server and without one. Commands are
// found by their help, so that none is forgotten.

import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { call, cleanUp, createFolder, type Outcome, run, serve } from "../cli/command.ts";
import { afterServer, type CommandRun, withoutServer, withServer } from "./command-runs.ts";
import { isObject, type Json } from "./product.ts";
import { createRecording, printBody, type Recording } from "./recording.ts";

export async function recordCommands(): Promise<Recording> {
  const recording = createRecording();
  const home = createFolder();
  const dataDir = join(home, "data");
  recording.know(home, "home");
  recording.know(resolve(import.meta.dir, "../.."), "source");
  recording.know(process.execPath, "bun");
  const commands = await findCommands(recording);
  const all = [...withoutServer, ...withServer, ...afterServer];
  const missing = commands.filter((command) => !all.some((each) => each.command === command));
  if (missing.length > 0)
    throw new Error(
      `there is no run of the command ${missing.join(", ")}; add one to test/behaviour/command-runs.ts`,
    );

  const kept = new Map([["home", home]]);
  const place = { recording, kept, home, dataDir };
  mkdirSync(join(home, "empty"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(home, name), text);
  for (const each of withoutServer) await observe(place, each);
  const server = await serve(dataDir, ["--console", "true", "--checkpoint-minutes", "1440"], { HOME: home });
  recording.know(server.url, "address of the server");
  kept.set("url", server.url);
  keep(place, server.ready, { secret: "api_key", project: "project_id" });
  recording.observe("serve", "the ready line", printBody(JSON.stringify(server.ready)));
  await prepare(place, server.url);
  for (const each of withServer) await observe(place, each);
  const { exitCode, stdout, stderr } = await server.end("SIGTERM");
  recording.observe("serve", "the end", `exit code ${exitCode}`, stdout, stderr);
  for (const each of afterServer) await observe(place, each);
  for (const command of commands) {
    await observe(place, {
      command,
      title: "an unknown option",
      words: [...command.split(" "), "--no-such-option"],
    });
  }
  await cleanUp();
  return recording;
}

/** Makes what no command can: a conversation and suggestions. */
async function prepare(place: Place, url: string): Promise<void> {
  const post = async (path: string, body: object, name: string) => {
    const response = await call(url, place.kept.get("secret"), path, {
      method: "POST",
      body: JSON.stringify(body),
    });
    const { data }: { data: Record<string, Json> } = JSON.parse(await response.text());
    if (response.status >= 300) throw new Error(JSON.stringify(data));
    if (typeof data.id === "string") keep(place, data, { [name]: "id" });
  };
  const messages = [{ role: "user", content: "I have moved to Lisbon, and I prefer trains to planes." }];
  await post("/v1/memories/extract", { messages, conversation: "chat-17", detail: "verbatim" }, "extraction");
  for (const name of ["tea", "lunch"])
    await post(
      "/v1/suggestions",
      { kind: "create", content: `There is ${name} at noon.`, memory_type: "fact" },
      name,
    );
}

/** What runs read. */
const files: Readonly<Record<string, string>> = {
  "memories.jsonl":
    '{"content":"The office is in Lisbon.","memory_type":"fact"}\n{"content":"","memory_type":"fact"}\n',
  "notes.md": "# Team\n\n- Releases go out on Tuesdays.\n",
  "not-a-backup": "nothing",
};

/** Records the help of the program and of all its commands. @returns those that do something themselves */
async function findCommands(recording: Recording): Promise<string[]> {
  const found: string[] = [];
  const visit = async (command: string): Promise<void> => {
    const words = command === "" ? [] : command.split(" ");
    const { exitCode, stdout, stderr } = await run([...words, "--help"]);
    recording.observe(
      command === "" ? "memledger" : command,
      "--help",
      `exit code ${exitCode}`,
      stdout,
      stderr,
    );
    const [, list = ""] = stdout.split("\nCommands:\n");
    const below = [...(list.split("\n\n")[0]?.matchAll(/^ {2}([a-z][a-z-]*)/gm) ?? [])].map(
      ([, name = ""]) => name,
    );
    const [, options = ""] = stdout.split("\nOptions:\n");
    const hasOptions = options !== "" && !options.startsWith("  -h,");
    if (command !== "" && (below.length === 0 || hasOptions)) found.push(command);
    for (const name of below.filter((each) => each !== "help")) await visit(`${command} ${name}`.trim());
  };
  await visit("");
  return found;
}

interface Place {
  readonly recording: Recording;
  readonly kept: Map<string, string>;
  readonly home: string;
  readonly dataDir: string;
}

async function observe(place: Place, each: CommandRun): Promise<void> {
  const { recording, kept, home, dataDir } = place;
  const fill = (text: string) =>
    text.replaceAll(/\{([a-z]+)\}/g, (_, name) => kept.get(name) ?? `no ${name}`);
  const words = each.words.map(fill);
  const input = each.input === undefined ? null : new TextEncoder().encode(fill(each.input));
  const variables = { HOME: home, MEMLEDGER_DATA_DIR: dataDir, ...each.variables };
  const outcome = await run(words, variables, input);
  recording.observe(each.command, each.title, `$ memledger ${words.join(" ")}`, ...print(outcome));
  if (each.keep === undefined) return;
  const last: Json = JSON.parse(outcome.stdout.trim().split("\n").at(-1) ?? "");
  keep(place, isObject(last) ? last : {}, each.keep);
}

function keep(
  { recording, kept }: Place,
  json: Readonly<Record<string, Json>>,
  names: Readonly<Record<string, string>>,
) {
  for (const [name, place] of Object.entries(names)) {
    const value = place.split(".").reduce<unknown>((found, part) => Object(found)[part], json);
    if (typeof value !== "string") throw new Error(`no ${place} in ${JSON.stringify(json)}`);
    kept.set(name, value);
    recording.know(value, name);
  }
}

/** The width of a column depends on paths in it. */
function print({ exitCode, stdout, stderr }: Outcome): string[] {
  const lines = (text: string) =>
    text
      .trimEnd()
      .split("\n")
      .map((line) => (line.startsWith("{") ? printBody(line) : line.replaceAll(/(?<=\S) {2,}/g, "  ")));
  return [
    `exit code ${exitCode}`,
    ...(stdout === "" ? [] : ["--- stdout", ...lines(stdout)]),
    ...(stderr === "" ? [] : ["--- stderr", ...lines(stderr)]),
  ];
}
