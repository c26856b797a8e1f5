// What `memledger connect` prints, writes, keeps and refuses, on files as users have them, in an empty home directory.

import { afterAll, describe, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { Json, JsonObject } from "../../src/platform/json/json.ts";
import { createHome } from "../assistants/connect/home.ts";
import { main } from "../program.ts";
import { cleanUp, createFolder, serve } from "./command.ts";

afterAll(cleanUp);

const clients = [
  "claude-code",
  "claude-desktop",
  "cursor",
  "vscode",
  "codex",
  "gemini-cli",
  "zed",
  "windsurf",
  "opencode",
];

describe("print", () => {
  test("shows what belongs into the file, and changes nothing", async () => {
    const { home, project, dataDir, run, json } = createHome();
    const { exitCode, stdout } = await run(["cursor", "--hooks"]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain(`Add this to ${home}/.cursor/mcp.json:`);
    expect(stdout).toContain(`Add this to ${home}/.cursor/hooks.json:`);
    const { files } = await json(["cursor", "--project", "auto"]);
    const [file] = Array.isArray(files) ? files : [];
    expect(JSON.parse(String(file?.content))).toEqual({
      mcpServers: {
        memledger: {
          command: process.execPath,
          args: [main, "mcp", "--data-dir", dataDir, "--project", "auto"],
        },
      },
    });
    expect(readdirSync(home)).toEqual([]);
    const other = await json(["cursor", "--data-dir", "here"]);
    expect(JSON.stringify(other.files)).toContain(join(project, "here"));
  });
});

describe("a data directory that the assistant could not use is refused, and no file is changed:", () => {
  test.each([
    ["a file", (path: string) => writeFileSync(path, ""), "it is a file, not a directory"],
    ["below a file", (path: string) => writeFileSync(dirname(path), ""), "cannot be used: "],
    ["a link to nowhere", (path: string) => symlinkSync("nowhere", path), "a symbolic link to a directory"],
  ])("%s", async (name, make, reason) => {
    const { home, project, run } = createHome();
    const folder = join(project, "folder");
    if (name !== "below a file") mkdirSync(folder);
    make(join(folder, "data"));
    const { exitCode, stderr } = await run(["cursor", "--write", "--data-dir", join(folder, "data")]);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(reason)]);
    expect(readdirSync(home)).toEqual([]);
  });
});

describe("write and remove", () => {
  test.each(clients)("%s: a new file, twice the same, and nothing after the removal", async (client) => {
    const { home, json } = createHome();
    const written = await json([client, "--write"]);
    const [file] = Array.isArray(written.files) ? written.files : [];
    const path = String(file?.path);
    expect(file).toEqual({ path, change: "created", backup: null });
    expect(path).toStartWith(home);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const text = readFileSync(path, "utf8");
    expect(text).toContain("memledger");
    const again = await json([client, "--write"]);
    expect(again.files).toContainEqual({ path, change: "unchanged", backup: null });
    expect(readFileSync(path, "utf8")).toBe(text);
    const removed = await json([client, "--remove"]);
    expect(removed.files).toContainEqual({ path, change: "removed", backup: null });
    expect(existsSync(path)).toBe(false);
    const nothing = await json([client, "--remove"]);
    expect(nothing.files).toContainEqual({ path, change: "unchanged", backup: null });
  });

  test("the bytes from before are in a backup, and come back", async () => {
    const { write, read, json } = createHome();
    const before = '\uFEFF{\r\n\t"numStartups": 3, // mine\r\n\t"mcpServers": {},\r\n}';
    const path = write(".cursor/mcp.json", before);
    chmodSync(path, 0o640);
    const { files } = await json(["cursor", "--write"]);
    const backup = `${path}.memledger-backup`;
    expect(files).toContainEqual({ path, change: "changed", backup });
    expect(read(".cursor/mcp.json.memledger-backup")).toBe(before);
    expect(read(".cursor/mcp.json")).toStartWith("\uFEFF{\r\n");
    expect(statSync(path).mode & 0o777).toBe(0o640);
    // A change of the options needs no other backup.
    const other = await json(["cursor", "--write", "--project", "auto"]);
    expect(other.files).toContainEqual({ path, change: "changed", backup: null });
    expect(read(".cursor/mcp.json.memledger-backup")).toBe(before);
    await json(["cursor", "--remove"]);
    expect(read(".cursor/mcp.json")).toBe(before);
    expect(statSync(path).mode & 0o777).toBe(0o640);
    // The same content is kept once.
    await json(["cursor", "--write"]);
    expect(readdirSync(dirname(path)).toSorted()).toEqual(["mcp.json", "mcp.json.memledger-backup"]);
    // Another content is.
    write(".cursor/mcp.json", "{}");
    await json(["cursor", "--write"]);
    expect(read(".cursor/mcp.json.memledger-backup")).toBe(before);
    expect(read(".cursor/mcp.json.memledger-backup-2")).toBe("{}");
  });

  test("a subject is in the entry and in the hooks, and not any more without the option", async () => {
    const { read, json } = createHome();
    const { notes } = await json(["cursor", "--write", "--hooks", "--subject", "user:Zoë"]);
    expect(notes).toContainEqual(expect.stringContaining("of the subject"));
    expect(JSON.parse(read(".cursor/mcp.json")).mcpServers.memledger.args.slice(-2)).toEqual([
      "--subject",
      "user:Zoë",
    ]);
    expect(read(".cursor/hooks.json").match(/--subject \S*user:Zoë/g)).toHaveLength(3);
    await json(["cursor", "--write"]);
    for (const path of [".cursor/mcp.json", ".cursor/hooks.json"])
      expect(read(path)).not.toContain("--subject");
  });

  test("what the client has changed meanwhile stays", async () => {
    const { home, write, read, json } = createHome();
    write(".codex/config.toml", "model = 'a'\n");
    await json(["codex", "--write", "--hooks"]);
    const text = read(".codex/config.toml").replace("model = 'a'", "model = 'b' # new");
    write(".codex/config.toml", `${text}enabled = false\n\n[tui]\nx = 1\n`);
    await json(["codex", "--write", "--project", "team"]);
    expect(read(".codex/config.toml")).toContain("enabled = false");
    expect(read(".codex/hooks.json").match(/--project team/g)).toHaveLength(3);
    await json(["codex", "--remove"]);
    expect(read(".codex/config.toml")).toBe("model = 'b' # new\n\n[tui]\nx = 1\n");
    expect(existsSync(join(home, ".codex/hooks.json"))).toBe(false);
  });

  test("the scope project is the working directory", async () => {
    const { home, project, json } = createHome();
    for (const [client, path] of [
      ["claude-code", ".mcp.json"],
      ["cursor", ".cursor/mcp.json"],
      ["vscode", ".vscode/mcp.json"],
      ["codex", ".codex/config.toml"],
      ["gemini-cli", ".gemini/settings.json"],
    ] as const) {
      const written = await json([client, "--write", "--scope", "project"]);
      expect(written.files).toContainEqual({ path: join(project, path), change: "created", backup: null });
      await json([client, "--remove", "--scope", "project"]);
      expect(existsSync(join(project, path))).toBe(false);
    }
    expect(readdirSync(home)).toEqual([]);
  });

  test("a link stays a link, also one that leads nowhere yet", async () => {
    const { home, write, json } = createHome();
    const target = write("dotfiles/mcp.json", "{}\n");
    mkdirSync(join(home, ".cursor"));
    symlinkSync("../dotfiles/mcp.json", join(home, ".cursor/mcp.json"));
    await json(["cursor", "--write"]);
    expect(readlinkSync(join(home, ".cursor/mcp.json"))).toBe("../dotfiles/mcp.json");
    expect(readFileSync(target, "utf8")).toContain("memledger");
    await json(["cursor", "--remove"]);
    expect(readFileSync(target, "utf8")).toBe("{}\n");
    symlinkSync("dotfiles/claude.json", join(home, ".claude.json"));
    await json(["claude-code", "--write"]);
    expect(lstatSync(join(home, ".claude.json")).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(home, "dotfiles/claude.json"), "utf8")).toContain("memledger");
  });

  test("many at once: one entry, no file left behind, and no change lost", async () => {
    const { home, write, read, json, runProcess } = createHome();
    write(".gemini/settings.json", '{\n  "theme": "x"\n}\n');
    const outcomes = await Promise.all(
      [...Array(6).keys()].map((index) =>
        runProcess(["gemini-cli", "--write", ...(index % 2 === 0 ? ["--hooks"] : [])]),
      ),
    );
    expect(outcomes.filter(({ exitCode }) => exitCode !== 0)).toEqual([]);
    const settings = JSON.parse(read(".gemini/settings.json"));
    expect(Object.keys(settings)).toEqual(["theme", "mcpServers", "hooks"]);
    expect(Object.values(settings.hooks)).toHaveLength(3);
    const left = readdirSync(join(home, ".gemini")).filter((name) => !name.includes("backup"));
    expect(left).toEqual(["settings.json"]);
    await json(["gemini-cli", "--remove"]);
    expect(read(".gemini/settings.json")).toBe('{\n  "theme": "x"\n}\n');
  });

  test("a file that a killed process left behind does not block for ever", async () => {
    const { home, write, json } = createHome();
    const partial = write(".cursor/.mcp.json.memledger-new", "half");
    const old = new Date(Date.now() - 120_000);
    utimesSync(partial, old, old);
    await json(["cursor", "--write"]);
    expect(readdirSync(join(home, ".cursor"))).toEqual(["mcp.json"]);
  });
});

describe("a server elsewhere", () => {
  const url = "https://memory.example.com/mcp/";
  const key = { MEMLEDGER_API_KEY: "ml_0123456789" };

  test.each(clients.filter((client) => client !== "claude-desktop"))("%s gets no key", async (client) => {
    const { json } = createHome();
    const { files } = await json([client, "--write", "--url", url], key);
    const [file] = Array.isArray(files) ? files : [];
    const text = readFileSync(String(file?.path), "utf8");
    expect(text).toContain("https://memory.example.com");
    expect(text).not.toContain("mcp/mcp");
    // The address that the server prints.
    const again = await json([client, "--write", "--url", "https://memory.example.com/v1"], key);
    const changes = Array.isArray(again.files) ? again.files.map((each) => each.change) : [];
    expect(new Set(changes)).toEqual(new Set(["unchanged"]));
    expect(text).not.toContain(key.MEMLEDGER_API_KEY);
  });

  test.each(clients)("%s sends the subject", async (client) => {
    const { json } = createHome();
    const words = [client, "--write", "--url", url, "--key-in-file"];
    const pathOf = async (...more: string[]) => {
      const { files } = await json([...words, ...more], key);
      return Object(Array.isArray(files) ? files[0] : null).path as string;
    };
    const text = readFileSync(await pathOf("--subject", "user:42"), "utf8");
    expect(text).toMatch(/"?Memledger-Subject"?\s*[:=]\s*"user:42"|"--subject",\s*"user:42"/);
    expect(readFileSync(await pathOf(), "utf8")).not.toContain("user:42");
    await json([client, "--remove"]);
  });

  test("Codex sends the subject beside the key of the variable", async () => {
    const { read, json } = createHome();
    await json(["codex", "--write", "--url", url, "--subject", "user:42"]);
    expect(Bun.TOML.parse(read(".codex/config.toml"))).toEqual({
      mcp_servers: {
        memledger: {
          url: "https://memory.example.com/mcp",
          bearer_token_env_var: "MEMLEDGER_API_KEY",
          http_headers: { "Memledger-Subject": "user:42" },
        },
      },
    });
  });

  test("a name that is none, or that no header can have, is refused", async () => {
    const { home, run } = createHome();
    for (const words of [
      ["--subject", ""],
      ["--subject", "a\nb"],
      ["--subject", "x".repeat(201)],
      ["--subject", "user:Zoë", "--url", url],
    ]) {
      const { exitCode, stderr } = await run(["cursor", "--write", ...words]);
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining("--subject ")]);
    }
    expect(readdirSync(home)).toEqual([]);
  });

  test("the report has a command that checks the address and the key", async () => {
    const { json, run } = createHome();
    const server = await serve(createFolder());
    const { notes } = await json(["cursor", "--write", "--url", server.url]);
    const note = (Array.isArray(notes) ? notes : []).find((each) => String(each).includes("was not called"));
    const [, line = ""] = /run: (.*)$/.exec(String(note)) ?? [];
    const check = (apiKey: string) =>
      Bun.spawn(["sh", "-c", line], {
        env: { PATH: process.env.PATH ?? "", MEMLEDGER_API_KEY: apiKey },
        stdout: "ignore",
        stderr: "ignore",
      }).exited;
    expect(await check(String(server.ready.api_key))).toBe(0);
    expect(await check("ml_0123456789")).not.toBe(0);
    await server.end("SIGTERM");
    expect(await check(String(server.ready.api_key))).not.toBe(0);
    expect((await run(["cursor"])).stdout).not.toContain("was not called");
  });

  test("hooks read the key from the variable, and keep their state in the data directory", async () => {
    const { dataDir, read, json } = createHome();
    const written = await json(["cursor", "--write", "--hooks", "--url", url]);
    expect(written.notes).toContainEqual(expect.stringContaining("Set MEMLEDGER_API_KEY"));
    const options = `--client cursor --url https://memory.example.com --data-dir ${dataDir}`;
    expect(read(".cursor/hooks.json").split(options)).toHaveLength(4);
  });

  test("Claude Desktop needs the key in its file, and the user has to say so", async () => {
    const { home, read, run, json } = createHome();
    const path = ".config/Claude/claude_desktop_config.json";
    const refused = await run(["claude-desktop", "--write", "--url", url], key);
    expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining("add --key-in-file")]);
    const missing = await run(["claude-desktop", "--write", "--url", url, "--key-in-file"]);
    expect([missing.exitCode, missing.stderr]).toEqual([2, expect.stringContaining("MEMLEDGER_API_KEY")]);
    expect(readdirSync(home)).toEqual([]);
    const printed = await run(["claude-desktop", "--url", url, "--key-in-file"], key);
    expect(printed.stdout).toContain("YOUR_API_KEY");
    expect(printed.stdout).not.toContain(key.MEMLEDGER_API_KEY);
    const written = await json(["claude-desktop", "--write", "--url", url, "--key-in-file"], key);
    expect(JSON.stringify(written)).not.toContain(key.MEMLEDGER_API_KEY);
    expect(JSON.parse(read(path)).mcpServers.memledger.env).toEqual(key);
    expect(statSync(join(home, path)).mode & 0o777).toBe(0o600);
    // The key is nowhere after another one was written, and after the removal.
    const other = { MEMLEDGER_API_KEY: "ml_987654321" };
    await json(["claude-desktop", "--write", "--url", url, "--key-in-file"], other);
    expect(readdirSync(dirname(join(home, path)))).toEqual(["claude_desktop_config.json"]);
    expect(JSON.parse(read(path)).mcpServers.memledger.env).toEqual(other);
    await json(["claude-desktop", "--remove"]);
    expect(readdirSync(dirname(join(home, path)))).toEqual([]);
  });

  test("an unencrypted server in the network is pointed out", async () => {
    const { json } = createHome();
    const notes = async (address: string) => (await json(["cursor", "--url", address])).notes;
    expect(await notes("http://192.0.2.7:8420")).toContainEqual(expect.stringContaining("not encrypted"));
    for (const address of ["http://127.0.0.1:8420", "http://localhost:8420", "https://memory.example.com"])
      expect(await notes(address)).not.toContainEqual(expect.stringContaining("not encrypted"));
  });
});

describe("a file that is left alone", () => {
  test.each<[string, string, string]>([
    [
      "broken JSON",
      '{\n  "mcpServers": {\n    "a": {}\n    "b": {}\n  }\n}',
      "not valid JSON at line 4, column 5",
    ],
    ["another type", '{"mcpServers": []}', '"mcpServers" is not an object at line 1, column 16'],
    [
      "an entry of another program",
      '{"mcpServers": {"memledger": {"command": "x"}}}',
      "belongs to another program",
    ],
    ["a list", "[]", "the file is not an object"],
  ])("%s", async (_, text, message) => {
    const { home, write, read, run } = createHome();
    const path = write(".cursor/mcp.json", text);
    for (const action of ["--write", "--remove"]) {
      const { exitCode, stderr } = await run(["cursor", "--hooks", action]);
      expect(exitCode).toBe(1);
      expect(stderr).toContain(`${path}: `);
      expect(stderr).toContain(message);
      expect(stderr).toContain("Nothing was changed.");
      expect(stderr.trim().split("\n")).toHaveLength(1);
    }
    expect(read(".cursor/mcp.json")).toBe(text);
    expect(readdirSync(join(home, ".cursor"))).toEqual(["mcp.json"]);
  });

  const comma = '{\n  "theme": {},\n}\n';
  const comment = '{\n  // mine\n  "theme": {}\n}\n';
  const others = (list: string, entry: string) => `{"${list}": {"x": ${entry}}}`;

  // What each assistant does with such a file was tried with its releases of November 2026.
  test.each<[string, string, string, string]>([
    ["claude-code", ".claude.json", comma, "line 3, column 1: property name expected; Claude Code reads no"],
    ["claude-code", ".claude.json", comment, "line 2, column 3: comment; Claude Code reads no comments"],
    ["claude-code", ".claude/settings.json", comment, "Claude Code reads no comments"],
    ["claude-desktop", ".config/Claude/claude_desktop_config.json", comma, "Claude Desktop reads no"],
    ["gemini-cli", ".gemini/settings.json", comma, "Gemini CLI reads no trailing commas"],
    ["gemini-cli", ".gemini/settings.json", "\uFEFF{}", "a byte order mark, which Gemini CLI does not read"],
    ["gemini-cli", ".gemini/settings.json", '{"hooks": 5}', '"hooks" is not an object'],
    [
      "gemini-cli",
      ".gemini/settings.json",
      others("mcpServers", '"y"'),
      '"mcpServers.x" is not a valid server entry',
    ],
    ["gemini-cli", ".gemini/settings.json", others("mcpServers", '{"command": 5}'), "refuses the whole file"],
    [
      "codex",
      ".codex/config.toml",
      "[mcp_servers.x]\nfoo = 5\n",
      '"mcp_servers.x" is not a valid server entry',
    ],
    ["codex", ".codex/config.toml", "[mcp_servers.x]\ncommand = 5\n", "Codex refuses the whole file"],
    ["codex", ".codex/config.toml", '[mcp_servers.x]\ncommand = "a"\nurl = "b"\n', "refuses the whole file"],
    ["codex", ".codex/config.toml", "mcp_servers = 5\n", "[mcp_servers.memledger] cannot be added"],
    ["codex", ".codex/hooks.json", comma, "Codex reads no comments and no trailing commas"],
    [
      "opencode",
      ".config/opencode/opencode.json",
      others("mcp", '{"command": "a"}'),
      '"mcp.x" is not a valid server entry',
    ],
    ["opencode", ".config/opencode/opencode.json", '{"mcp": []}', '"mcp" is not an object'],
    ["opencode", ".config/opencode/opencode.json", "[]", "the file is not an object"],
  ])("%s refuses %s: %j", async (client, path, text, message) => {
    const { home, write, read, run, json } = createHome();
    write(path, text);
    const hooks = path.includes("hooks") || path.includes(".claude/") ? ["--hooks"] : [];
    const { exitCode, stderr } = await run([client, "--write", ...hooks]);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(message)]);
    expect(stderr).toContain("Nothing was changed.");
    expect(read(path)).toBe(text);
    expect(readdirSync(dirname(join(home, path)))).toHaveLength(1);
    // Somebody has broken it after memledger was connected.
    if (hooks.length > 0 || text.startsWith("\uFEFF")) return;
    write(path, path.endsWith(".toml") ? "" : "{}");
    await json([client, "--write"]);
    if (text === comma) write(path, read(path).replace(/\}\s*$/, ",}"));
    else if (text === comment) write(path, `// mine\n${read(path)}`);
    else return;
    expect((await run([client, "--list"])).stdout).not.toMatch(
      new RegExp(`^${client} +user .* connected `, "m"),
    );
    expect((await run([client, "--write"])).stdout).not.toContain("connected");
  });

  test("what an assistant reads is accepted", async () => {
    const { write, json } = createHome();
    for (const [client, path, text] of [
      ["claude-code", ".claude.json", '\uFEFF{"mcpServers": {"x": {"command": 5}}}'],
      ["gemini-cli", ".gemini/settings.json", comment],
      ["cursor", ".cursor/mcp.json", comma],
      ["vscode", ".config/Code/User/mcp.json", comma],
      ["zed", ".config/zed/settings.json", comment],
      ["codex", ".codex/config.toml", '\uFEFF[mcp_servers.x]\nurl = "b"\n[mcp_servers.y]\ncommand = "a"\n'],
      ["opencode", ".config/opencode/opencode.json", comment.replace("{}", "{},")],
      ["opencode", ".config/opencode/opencode.json", '{"mcp": {"servers": {}, "x": {"enabled": false}}}'],
    ] as const) {
      write(path, text);
      const { files } = await json([client, "--write"]);
      expect([client, files]).toEqual([
        client,
        expect.arrayContaining([expect.objectContaining({ change: "changed" })]),
      ]);
    }
  });

  test("a broken file of hooks: the entry is not written either", async () => {
    const { home, write, run } = createHome();
    write(".cursor/hooks.json", '{"hooks": {"sessionStart": {}}}');
    const { exitCode, stderr } = await run(["cursor", "--hooks", "--write"]);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('"hooks.sessionStart" is not an array')]);
    expect(readdirSync(join(home, ".cursor"))).toEqual(["hooks.json"]);
  });

  test("a read-only file of hooks: the entry is not written either", async () => {
    const { home, write, run } = createHome();
    chmodSync(write(".cursor/hooks.json", "{}"), 0o444);
    const { exitCode, stderr } = await run(["cursor", "--hooks", "--write"]);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining("read-only.")]);
    expect(stderr).toContain("Nothing was changed.");
    expect(readdirSync(join(home, ".cursor"))).toEqual(["hooks.json"]);
  });

  test("broken TOML", async () => {
    const { write, read, run } = createHome();
    write(".codex/config.toml", "a = 1\nb = = 2\n");
    const { exitCode, stderr } = await run(["codex", "--write"]);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining("not valid TOML at line 2, column 5")]);
    expect(read(".codex/config.toml")).toBe("a = 1\nb = = 2\n");
  });

  test("a read-only file, a directory, and a text in another encoding", async () => {
    const { home, write, run } = createHome();
    const path = write(".cursor/mcp.json", "{}");
    chmodSync(path, 0o444);
    expect((await run(["cursor", "--write"])).stderr).toContain("read-only. Make the file writable");
    expect(readFileSync(path, "utf8")).toBe("{}");
    mkdirSync(join(home, ".claude.json"));
    expect((await run(["claude-code", "--write"])).stderr).toContain("is not a regular file");
    const latin = join(home, ".config/zed/settings.json");
    mkdirSync(dirname(latin), { recursive: true });
    writeFileSync(latin, Buffer.from('{"name": "J\xf6rg"}', "latin1"));
    expect((await run(["zed", "--write"])).stderr).toContain("not UTF-8. Save the file as UTF-8");
    writeFileSync(join(home, ".gemini"), "a file");
    expect((await run(["gemini-cli", "--write"])).stderr).toContain("a part of the path is a file");
  });
});

test("--list shows all clients, and a broken file hides nothing", async () => {
  const { home, project, dataDir, write, run, json } = createHome();
  await json(["cursor", "--write", "--hooks"]);
  write(".gemini/settings.json", "{");
  write(".codex/config.toml", "a = 1\n");
  write(".claude.json", '{"mcpServers": {"memledger": {"command": "x"}}}');
  write(
    ".config/zed/settings.json",
    '{"context_servers": {"memledger": {"command": "/gone/memledger", "args": ["mcp"]}}}',
  );
  const rows = await run(["--list", "--json"]);
  const list: Json = JSON.parse(rows.stdout);
  const row = (client: string, scope = "user") =>
    Array.isArray(list)
      ? list.find((each: JsonObject) => each.client === client && each.scope === scope)
      : null;
  expect(Array.isArray(list) && new Set(list.map((each: JsonObject) => each.client)).size).toBe(
    clients.length,
  );
  expect(row("cursor")).toEqual({
    ...{ client: "cursor", scope: "user", file: join(home, ".cursor/mcp.json") },
    ...{ state: "connected", memories: dataDir, project: "default", hooks: "3 of 3" },
  });
  expect(row("cursor", "project")).toMatchObject({
    file: join(project, ".cursor/mcp.json"),
    state: "no file",
  });
  expect(row("gemini-cli").state).toStartWith("not valid JSON at line 1");
  expect(row("codex")).toMatchObject({ state: "not connected", hooks: "none" });
  expect(row("claude-code").state).toBe("entry of another program");
  expect(row("zed")).toMatchObject({
    state: "connected, but /gone/memledger does not exist",
    hooks: null,
  });
  expect((await run(["--list"])).stdout).toMatch(/^windsurf +user .*mcp_config\.json +no file +- +- +-$/m);
});

test.each<[string[], string]>([
  [[], "A client is missing. Name one of claude-code,"],
  [["curser"], 'Client "curser" is unknown; did you mean "cursor"?'],
  [["emacs"], "known clients are claude-code,"],
  [["zed", "--hooks"], "Zed has no hooks for sessions."],
  [["windsurf", "--scope", "project"], "Windsurf has no configuration for a project."],
  [["cursor", "--scope", "team"], "Allowed choices are user, project"],
  [["cursor", "--write", "--remove"], "Use either --write or --remove."],
  [["cursor", "--url", "ftp://x"], "--url must be an http or https URL"],
  [["cursor", "--url", "https://u:p@x"], "--url must be an http or https URL"],
  [["cursor", "--url", "https://x", "--project", "a"], "--project cannot be used with --url"],
  [["cursor", "--url", "https://x", "--data-dir", "a"], "--data-dir cannot be used with --url"],
  [["cursor", "--key-in-file"], "--key-in-file needs --url"],
  [["cursor", "--project", " "], "--project must be a name"],
  [["cursor", "--project", "a\u0007"], "--project must be a name"],
  [["gemini-cli", "--data-dir", "$HOME"], "Gemini CLI would replace a variable"],
  [["gemini-cli", "--url", "https://x/$HOME"], "Gemini CLI would replace a variable"],
  [
    ["gemini-cli", "--hooks", "--url", "https://x", "--data-dir", "$a"],
    "Gemini CLI would replace a variable",
  ],
])("%j is a usage error", async (words, message) => {
  const { home, run } = createHome();
  const { exitCode, stderr } = await run(words);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
  expect(readdirSync(home)).toEqual([]);
});

test.each(["--write", "--list"])("a relative home directory is refused with %s", async (action) => {
  const { home, project, run } = createHome();
  const words = action === "--list" ? [action] : ["cursor", action];
  const { exitCode, stderr } = await run(words, { HOME: "home" });
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('HOME is "home"')]);
  expect([home, project].flatMap((folder) => readdirSync(folder))).toEqual([]);
});

test("a working directory that was removed is named as the fault", () => {
  const { project } = createHome();
  const removed = join(project, "removed");
  mkdirSync(removed);
  const script = 'cd "$1" && rmdir "$1" && shift && exec "$@"';
  const child = Bun.spawnSync([
    "sh",
    "-c",
    script,
    "sh",
    removed,
    process.execPath,
    main,
    "connect",
    "--list",
  ]);
  expect([child.exitCode, child.stderr.toString()]).toEqual([
    1,
    expect.stringContaining("The working directory was removed."),
  ]);
});
