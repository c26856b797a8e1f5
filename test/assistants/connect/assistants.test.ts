// The table of assistants: the paths of their files on each operating system, the entries, and what is recognised as memledger's own.

import { describe, expect, test } from "bun:test";
import { type Assistant, filesOf, scopes } from "../../../src/assistants/connect/assistant.ts";
import { assistants } from "../../../src/assistants/connect/assistants.ts";
import {
  connectText,
  disconnectText,
  readServer,
  strangeFields,
} from "../../../src/assistants/connect/connection.ts";
import { setValue } from "../../../src/assistants/connect/jsonc-edit.ts";
import type { Places } from "../../../src/assistants/connect/places.ts";
import { isOwn, type Target } from "../../../src/assistants/connect/server-entry.ts";
import { UnusableConfiguration } from "../../../src/assistants/connect/text-edit.ts";
import { setTable } from "../../../src/assistants/connect/toml-edit.ts";
import type { Json, JsonObject } from "../../../src/platform/json/json.ts";

const local: Target = {
  kind: "local",
  program: ["/opt/memledger"],
  dataDir: "/data",
  subject: null,
  project: "auto",
};
const remote: Target = {
  kind: "remote",
  program: ["/opt/memledger"],
  dataDir: "/data",
  subject: null,
  url: "https://memory.example.com",
  key: null,
};
const places: Places = { platform: "linux", variables: { HOME: "/ada" }, project: "/site" };

function find(name: string): Assistant {
  const found = assistants.find((assistant) => assistant.name === name);
  if (found === undefined) throw new Error(`no assistant ${name}`);
  return found;
}

function pathsOf(places: Places): Record<string, string[]> {
  const paths = assistants.map((assistant): [string, string[]] => [
    assistant.name,
    scopes.flatMap((scope) => filesOf(assistant, scope, places).map(({ path }) => path)),
  ]);
  return Object.fromEntries(paths);
}

describe("files", () => {
  test("Linux", () => {
    expect(pathsOf(places)).toEqual({
      "claude-code": [
        "/ada/.claude.json",
        "/ada/.claude/settings.json",
        "/site/.mcp.json",
        "/site/.claude/settings.json",
      ],
      "claude-desktop": ["/ada/.config/Claude/claude_desktop_config.json"],
      cursor: [
        "/ada/.cursor/mcp.json",
        "/ada/.cursor/hooks.json",
        "/site/.cursor/mcp.json",
        "/site/.cursor/hooks.json",
      ],
      vscode: ["/ada/.config/Code/User/mcp.json", "/site/.vscode/mcp.json"],
      codex: [
        "/ada/.codex/config.toml",
        "/ada/.codex/hooks.json",
        "/site/.codex/config.toml",
        "/site/.codex/hooks.json",
      ],
      "gemini-cli": ["/ada/.gemini/settings.json", "/site/.gemini/settings.json"],
      zed: ["/ada/.config/zed/settings.json"],
      windsurf: ["/ada/.codeium/windsurf/mcp_config.json"],
      opencode: ["/ada/.config/opencode/opencode.json", "/site/opencode.json"],
    });
  });

  test("macOS", () => {
    const mac = pathsOf({ ...places, platform: "darwin" });
    expect(mac["claude-desktop"]).toEqual([
      "/ada/Library/Application Support/Claude/claude_desktop_config.json",
    ]);
    expect(mac.vscode?.[0]).toBe("/ada/Library/Application Support/Code/User/mcp.json");
    expect(mac.zed).toEqual(["/ada/.config/zed/settings.json"]);
  });

  test("Windows", () => {
    const variables = { HOME: "/no", USERPROFILE: "/ada", APPDATA: "/roaming" };
    const windows = pathsOf({ ...places, platform: "win32", variables });
    expect(windows["claude-desktop"]).toEqual(["/roaming/Claude/claude_desktop_config.json"]);
    expect(windows.vscode?.[0]).toBe("/roaming/Code/User/mcp.json");
    expect(windows.zed).toEqual(["/roaming/Zed/settings.json"]);
    expect(windows["claude-code"]?.[0]).toBe("/ada/.claude.json");
    const bare = pathsOf({ ...places, platform: "win32", variables: { USERPROFILE: "/ada" } });
    expect(bare.zed).toEqual(["/ada/AppData/Roaming/Zed/settings.json"]);
  });

  test("directories that variables name", () => {
    const variables = {
      HOME: "/ada",
      XDG_CONFIG_HOME: "/xdg",
      CLAUDE_CONFIG_DIR: "/claude",
      CODEX_HOME: "/codex",
      GEMINI_CLI_HOME: "/gemini",
    };
    const named = pathsOf({ ...places, variables });
    expect(named["claude-code"]?.slice(0, 2)).toEqual(["/claude/.claude.json", "/claude/settings.json"]);
    expect(named.codex?.slice(0, 2)).toEqual(["/codex/config.toml", "/codex/hooks.json"]);
    expect(named["gemini-cli"]?.[0]).toBe("/gemini/.gemini/settings.json");
    expect(named.vscode?.[0]).toBe("/xdg/Code/User/mcp.json");
    expect(named.zed).toEqual(["/xdg/zed/settings.json"]);
    const relative = pathsOf({ ...places, variables: { HOME: "/ada", XDG_CONFIG_HOME: "xdg" } });
    expect(relative.zed).toEqual(["/ada/.config/zed/settings.json"]);
  });
});

describe("entries", () => {
  const args = ["mcp", "--data-dir", "/data", "--project", "auto"];
  const started = { command: "/opt/memledger", args };
  const url = "https://memory.example.com/mcp";
  const dollar = ["$", "{MEMLEDGER_API_KEY}"].join("");
  const dollarEnv = ["$", "{env:MEMLEDGER_API_KEY}"].join("");
  const shim = { command: "/opt/memledger", args: ["mcp", "--url", "https://memory.example.com"] };

  test.each<[string, JsonObject, JsonObject]>([
    [
      "claude-code",
      { type: "stdio", ...started, alwaysLoad: true },
      { type: "http", url, headers: { Authorization: `Bearer ${dollar}` }, alwaysLoad: true },
    ],
    ["claude-desktop", started, shim],
    ["cursor", started, { url, headers: { Authorization: `Bearer ${dollarEnv}` } }],
    [
      "vscode",
      { type: "stdio", ...started },
      { type: "http", url, headers: { Authorization: `Bearer ${dollarEnv}` } },
    ],
    ["codex", started, { url, bearer_token_env_var: "MEMLEDGER_API_KEY" }],
    ["gemini-cli", started, { httpUrl: url, headers: { Authorization: `Bearer ${dollar}` } }],
    ["zed", started, shim],
    ["windsurf", started, { serverUrl: url, headers: { Authorization: `Bearer ${dollarEnv}` } }],
    [
      "opencode",
      { type: "local", command: ["/opt/memledger", ...args] },
      { type: "remote", url, headers: { Authorization: "Bearer {env:MEMLEDGER_API_KEY}" }, oauth: false },
    ],
  ])("%s", (name, ofLocal, ofRemote) => {
    const { entry } = find(name);
    expect(entry(local)).toEqual(ofLocal);
    expect(entry(remote)).toEqual(ofRemote);
    expect(JSON.stringify(entry({ ...remote, key: "ml_secret" }))).toContain("ml_secret");
    for (const target of [local, remote, { ...remote, key: "ml_secret" }])
      expect(isOwn(entry(target))).toBe(true);
  });

  test("from source, the program is the runtime with the script", () => {
    const target: Target = { ...local, program: ["/bin/bun", "/src/memledger/src/main.ts"] };
    expect(find("zed").entry(target)).toEqual({
      command: "/bin/bun",
      args: ["/src/memledger/src/main.ts", ...args],
    });
    expect(isOwn(find("zed").entry(target))).toBe(true);
  });

  test("the executable may have another name", () => {
    const target: Target = { ...local, program: ["/opt/memory-1.2"] };
    for (const { entry } of assistants) expect(isOwn(entry(target))).toBe(true);
    const [, file] = filesOf(find("claude-code"), "user", places);
    if (file === undefined) throw new Error("no file");
    const connected = connectText("", file, { target, platform: "linux", withHooks: true });
    expect(connectText(connected, file, { target, platform: "linux", withHooks: true })).toBe(connected);
    expect(disconnectText(connected, file, [])).toBeNull();
  });

  test.each<[string, Json | undefined]>([
    ["another program", { command: "npx", args: ["mcp", "memledger"] }],
    ["a wrapper", { command: "/bin/mem.sh", args: ["mcp"] }],
    ["another server", { url: "https://memledger.example.com/sse" }],
    [
      "a server with another authorisation",
      { url: "https://x/mcp", headers: { Authorization: "Basic abc" } },
    ],
    ["a text", "memledger"],
    ["nothing", undefined],
  ])("%s is not recognised as its own", (_, entry) => {
    expect(isOwn(entry)).toBe(false);
  });

  // What would make an assistant run something else, send something elsewhere, or ask the user less.
  const strange: JsonObject = {
    env: { LD_PRELOAD: "/tmp/evil.so", BUN_OPTIONS: "--preload=/tmp/evil.ts" },
    cwd: "/tmp",
    envFile: "/tmp/.env",
    trust: true,
    alwaysAllow: ["memory_delete"],
    env_vars: ["SECRET"],
    timeout: "never",
  };

  test.each(assistants.map(({ name }) => name))("nothing of somebody else stays in the entry: %s", (name) => {
    const assistant = find(name);
    const [file] = filesOf(assistant, "user", places);
    if (file === undefined) throw new Error("no file");
    const path = [...assistant.servers, "memledger"];
    for (const before of [local, remote, { ...remote, key: "ml_old" }]) {
      const entry = { ...assistant.entry(before), ...strange };
      const text = file.assistant.format === "toml" ? setTable("", path, entry) : setValue("", path, entry);
      expect(strangeFields(text, file).toSorted()).toEqual(Object.keys(strange).toSorted());
      for (const target of [local, remote, { ...remote, key: "ml_new" }]) {
        const changed = connectText(text, file, { target, platform: "linux", withHooks: false });
        expect<unknown>(readServer(changed, assistant)).toEqual(assistant.entry(target));
        expect(changed).not.toContain("ml_old");
        expect(strangeFields(changed, file)).toEqual([]);
        expect(disconnectText(changed, file, [])).toBeNull();
      }
    }
  });

  test("tables and dotted keys of an entry in TOML are replaced, too", () => {
    const [file] = filesOf(find("codex"), "user", places);
    if (file === undefined) throw new Error("no file");
    const head = '[mcp_servers.memledger]\ncommand = "/opt/memledger"\nargs = ["mcp"]\n';
    for (const tail of ['[mcp_servers.memledger.env]\nA = "b"\n', 'env.A = "b"\n', 'env = { A = "b" }\n']) {
      const wanted = { target: local, platform: "linux" as const, withHooks: false };
      const changed = connectText(`${head}${tail}\n[tui]\nx = 1\n`, file, wanted);
      expect<unknown>(Bun.TOML.parse(changed)).toEqual({
        tui: { x: 1 },
        mcp_servers: { memledger: find("codex").entry(local) },
      });
    }
  });

  test("whether the user has switched the server off stays", () => {
    for (const assistant of assistants) {
      const [file] = filesOf(assistant, "user", places);
      const { servers, switch: name } = assistant;
      if (file === undefined || name === null) continue;
      const wanted = { target: local, platform: "linux" as const, withHooks: false };
      const path = [...servers, "memledger"];
      const entry = { ...assistant.entry(remote), [name]: name === "disabled" };
      const text = assistant.format === "toml" ? setTable("", path, entry) : setValue("", path, entry);
      const changed = connectText(text, file, wanted);
      expect<unknown>(readServer(changed, assistant)).toEqual({
        ...assistant.entry(local),
        [name]: name === "disabled",
      });
      expect(connectText(changed, file, wanted)).toBe(changed);
    }
  });
});

describe("texts of every assistant", () => {
  const files = assistants.flatMap((assistant) =>
    scopes.flatMap((scope) =>
      filesOf(assistant, scope, places).map((file) => ({ name: assistant.name, scope, file })),
    ),
  );
  const wanted = { target: local, platform: "linux" as const, withHooks: true };
  const json = [
    "{}",
    "{\n}\n",
    '{"theme": "dark"}',
    '\r\n{\r\n\t"mcpServers": {"x": {}}, // mine\r\n\t"servers": {},\r\n\t"context_servers": { },\r\n\t"hooks": {"SessionStart": []},\r\n}\r\n',
    '\r\n{\r\n\t"mcpServers": {"x": {}},\r\n\t"servers": {},\r\n\t"mcp": {},\r\n\t"hooks": {"SessionStart": []}\r\n}\r\n',
    "// comment only",
    "",
  ];
  const toml = ["", "a = 1", "[mcp_servers.x]\r\ncommand = 'y'\r\n\r\n\r\n", "# comment only"];

  test.each(files)("$name $scope $file.path", ({ file }) => {
    const { json: reading, format } = file.assistant;
    const isRead = (text: string) =>
      (reading.comments || !text.includes("//")) && (reading.trailingCommas || !/,\s*\}/.test(text));
    const texts = format === "toml" && file.hasServers ? toml : json.filter(isRead);
    for (const text of texts) {
      const connected = connectText(text, file, wanted);
      expect(connected).toContain("/opt/memledger");
      // Idempotent.
      expect(connectText(connected, file, wanted)).toBe(connected);
      // Removal gives the bytes from before, also after a change of the options.
      expect(disconnectText(connected, file, [text])).toBe(text);
      const other = connectText(connected, file, { ...wanted, target: { ...local, project: "other" } });
      expect(other).not.toBe(connected);
      expect(other).toContain("other");
      expect(disconnectText(other, file, [connected, text])).toBe(text);
      // Without a backup, nothing of memledger is left, and what others wrote is.
      const left = disconnectText(`${connected}`, file, ["other"]) ?? "";
      expect(left).not.toContain("memledger");
      for (const mark of ["dark", "// mine", "comment only", "command = 'y'"])
        if (text.includes(mark)) expect(left).toContain(mark);
    }
  });

  test("a file that connect has made is removed", () => {
    for (const { file } of files) expect(disconnectText(connectText("", file, wanted), file, [])).toBeNull();
  });

  test("hooks are left alone without --hooks, and those that are there follow the entry", () => {
    const [file] = filesOf(find("gemini-cli"), "user", places);
    if (file === undefined) throw new Error("no file");
    const bare = { ...wanted, withHooks: false };
    expect(connectText("", file, bare)).not.toContain("hooks");
    const other = connectText(connectText("", file, wanted), file, { ...bare, target: remote });
    expect(other.match(/--url https:\/\/memory\.example\.com/g)).toHaveLength(3);
    expect(other.match(/--data-dir \/data/g)).toHaveLength(3);
  });

  test("hooks of others stay, also in the same group", () => {
    const [, file] = filesOf(find("claude-code"), "user", places);
    if (file === undefined) throw new Error("no file");
    const foreign = { type: "command", command: "/opt/other hook session-start --client claude-code" };
    const [own] = Object.values(JSON.parse(connectText("{}", file, wanted)).hooks.SessionStart[0].hooks);
    const text = JSON.stringify(
      { hooks: { SessionStart: [{ hooks: [foreign, own] }], Stop: [{ hooks: [foreign] }] } },
      null,
      1,
    );
    const connected = connectText(text, file, wanted);
    expect(JSON.parse(connected).hooks.SessionStart).toEqual([{ hooks: [foreign, own] }]);
    expect(JSON.parse(disconnectText(connected, file, []) ?? "")).toEqual({
      hooks: { SessionStart: [{ hooks: [foreign] }], Stop: [{ hooks: [foreign] }] },
    });
  });

  test("an entry of another program is neither changed nor removed, and its key is not shown", () => {
    for (const { file } of files.filter(({ file }) => file.hasServers && file.assistant.format === "json")) {
      const [servers] = file.assistant.servers;
      const text = JSON.stringify({
        [servers]: { memledger: { command: "x", env: { K: "top-secret" }, headers: { A: "top-secret" } } },
      });
      for (const edit of [() => connectText(text, file, wanted), () => disconnectText(text, file, [])]) {
        expect(edit).toThrow(UnusableConfiguration);
        expect(edit).toThrow("belongs to another program");
        expect(edit).not.toThrow("top-secret");
      }
    }
  });

  test("paths with spaces and quotes are one word for the shell", () => {
    const [, file] = filesOf(find("claude-code"), "user", places);
    if (file === undefined) throw new Error("no file");
    const odd = { ...wanted, target: { ...local, program: ["/my apps/memledger"], dataDir: "/it's $HOME" } };
    const text = connectText("", file, odd);
    const { command } = JSON.parse(text).hooks.SessionStart[0].hooks[0];
    const words = Bun.spawnSync(["sh", "-c", `printf '%s\\n' ${command}`])
      .stdout.toString()
      .trim()
      .split("\n");
    expect(words).toEqual([
      ...["/my apps/memledger", "hook", "session-start", "--client", "claude-code"],
      ...["--data-dir", "/it's $HOME", "--project", "auto"],
    ]);
    expect(connectText(text, file, odd)).toBe(text);
    expect(disconnectText(text, file, [])).toBeNull();
    const onWindows = connectText("", file, { ...odd, platform: "win32" });
    expect(JSON.parse(onWindows).hooks.SessionStart[0].hooks[0].args).toEqual(words.slice(1));
    expect(disconnectText(onWindows, file, [])).toBeNull();
  });
});
