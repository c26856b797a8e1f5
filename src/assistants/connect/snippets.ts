// Owns what people copy to connect an assistant to a server elsewhere: the text of each assistant's configuration file and where the file
// is. Pure: it reads no file, and what it contains instead of an API key is a placeholder.

import { type Assistant, filesOf, type Scope, scopes } from "./assistant.ts";
import { assistants } from "./assistants.ts";
import { connectText } from "./connection.ts";
import type { Places } from "./places.ts";
import type { Target } from "./server-entry.ts";

/** What a page replaces by the key. No key looks like it. */
export const keyPlaceholder = "MEMLEDGER_KEY_GOES_HERE";

const systems = { linux: "linux", macos: "darwin", windows: "win32" } as const;
type System = keyof typeof systems;

export interface Snippet {
  /** As `memledger connect` names the assistant. */
  readonly name: string;
  readonly title: string;
  readonly format: "json" | "toml";
  /** Content of the file if it were empty, with the placeholder. */
  readonly with_key: string;
  /** The same without a key: the assistant reads it from the variable MEMLEDGER_API_KEY. */
  readonly with_variable: string;
  /** Whether the assistant reads the variable itself; otherwise the program that it starts does. */
  readonly reads_variable: boolean;
  /** Where the file is, by scope and operating system. `~` and `%USERPROFILE%`: home directory. `.`: directory of a project. */
  readonly files: Readonly<Partial<Record<Scope, Readonly<Record<System, string>>>>>;
  /** The command that writes the file, on a machine that has the program. */
  readonly command: string;
  /** What to do before the assistant uses the changed file. */
  readonly next: string;
}

/** @param url of the server, as the assistant reaches it; without a slash at the end */
export function snippetsFor(url: string): readonly Snippet[] {
  return assistants.map((assistant) => ({
    name: assistant.name,
    title: assistant.title,
    format: assistant.format,
    with_key: contentOf(assistant, url, keyPlaceholder),
    with_variable: contentOf(assistant, url, null),
    reads_variable: assistant.readsKeyVariable,
    files: placesOf(assistant),
    command: `memledger connect ${assistant.name} --url ${url} --write${assistant.readsKeyVariable ? "" : " --key-in-file"}`,
    next: assistant.next,
  }));
}

function contentOf(assistant: Assistant, url: string, key: string | null): string {
  const target: Target = { kind: "remote", url, key, program: ["memledger"], dataDir: "", subject: null };
  const file = { path: "", assistant, hasServers: true, hooks: null };
  return connectText("", file, { target, platform: "linux", withHooks: false });
}

/** Absolute, because relative home directories are refused. No path contains it otherwise. */
const home = "/memledger-home";
const project = "/memledger-project";

function placesOf(assistant: Assistant): Snippet["files"] {
  return Object.fromEntries(
    scopes.flatMap((scope) => {
      const paths = Object.entries(systems).map(([system, platform]) => [
        system,
        pathOf(assistant, scope, platform),
      ]);
      return paths.some(([, path]) => path === null) ? [] : [[scope, Object.fromEntries(paths)]];
    }),
  );
}

/** Null: the assistant has no such file. */
function pathOf(assistant: Assistant, scope: Scope, platform: Places["platform"]): string | null {
  const places: Places = { platform, variables: { HOME: home, USERPROFILE: home }, project };
  const path = filesOf(assistant, scope, places).find(({ hasServers }) => hasServers)?.path;
  if (path === undefined) return null;
  const isWindows = platform === "win32";
  const shown = path.replace(project, ".").replace(home, isWindows ? "%USERPROFILE%" : "~");
  return isWindows ? shown.replaceAll("/", "\\") : shown.replaceAll("\\", "/");
}
