// Signs in as a person would who runs `memledger console`: with a running server, without one, with a background server, and with a
// program in place of the browser.

import { afterAll, describe, expect, test } from "bun:test";
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findOpener } from "../../src/cli/server/open-browser.ts";
import { linux, testWith } from "../needs.ts";
import { cleanUp, createFolder, run, runJson, serve } from "./command.ts";

afterAll(cleanUp);

const path = "/console/api/session";

async function signIn(link: string): Promise<Response> {
  const { origin, hash } = new URL(link);
  const body = JSON.stringify({ link: hash.slice(1) });
  return fetch(origin + path, { method: "POST", headers: { "Content-Type": "application/json" }, body });
}

describe("memledger console", () => {
  test("prints a link that signs in once, lists the session and revokes it", async () => {
    const dataDir = join(createFolder(), "data");
    const server = await serve(dataDir);
    const words = ["--data-dir", dataDir];
    expect((await signIn(String(server.ready.console_link))).status).toBe(201);
    const made = await runJson(["console", ...words]);
    const link = String(made.object.url);
    expect(link).toStartWith(`${server.url}/console/sign-in#mlk_`);
    expect((await signIn(link)).status).toBe(201);
    expect((await signIn(link)).status).toBe(401);
    const listed = await runJson(["console", "sessions", ...words]);
    expect(listed.json).toEqual([
      expect.objectContaining({ kind: "administrator", ip_address: "127.0.0.1" }),
      expect.objectContaining({ kind: "administrator", ip_address: "127.0.0.1" }),
    ]);
    const shown = await run(["console", "sessions", ...words]);
    expect(shown.stdout).not.toContain("mls_");
    expect((await run(["console", "revoke", ...words])).exitCode).toBe(1);
    expect((await run(["console", "revoke", "--all", ...words])).stdout).toContain("2 sessions");
    expect((await run(["console", "sessions", ...words])).stdout).toContain("Nobody is signed in");
    await server.end("SIGTERM");
    const without = await run(["console", ...words]);
    expect([without.exitCode, without.stderr.includes("memledger serve")]).toEqual([1, true]);
  });

  test("says what to do when the console is switched off", async () => {
    const dataDir = join(createFolder(), "data");
    const server = await serve(dataDir, ["--console", "false"]);
    expect(server.ready.console_link).toBeUndefined();
    const refused = await run(["console", "--data-dir", dataDir]);
    expect([refused.exitCode, refused.stderr.includes("switched off")]).toEqual([1, true]);
    await server.end("SIGTERM");
  });

  testWith(linux)(
    "opens a page that only the user can read, with no secret in the words of a process",
    async () => {
      const folder = createFolder();
      const dataDir = join(folder, "data");
      const server = await serve(dataDir);
      const [words, copy, mode] = ["words", "copy", "mode"].map((name) => join(folder, name));
      const opener = join(folder, "xdg-open");
      // In place of the program of a desktop: it keeps what it was given.
      writeFileSync(
        opener,
        `#!/bin/sh\nprintf '%s' "$*" > '${words}'\ncp "$1" '${copy}'\nstat -c %a "$1" > '${mode}'\n`,
      );
      chmodSync(opener, 0o755);
      const variables = { DISPLAY: ":99", PATH: `${folder}:${process.env.PATH}` };
      const printed = await run(["console", "--data-dir", dataDir], variables);
      expect([printed.exitCode, printed.stderr]).toEqual([0, ""]);
      const link = /http:\S+#mlk_\S+/.exec(printed.stdout)?.[0] ?? "none";
      expect(readFileSync(String(words), "utf8")).toBe(join(dataDir, "console-sign-in.html"));
      expect(readFileSync(String(mode), "utf8").trim()).toBe("600");
      expect(readFileSync(String(copy), "utf8")).toContain(`url=${link}`);
      expect(existsSync(join(dataDir, "console-sign-in.html"))).toBe(false);
      expect(statSync(dataDir).isDirectory()).toBe(true);
      await server.end("SIGTERM");
    },
  );
});

test.each([
  [{ DISPLAY: ":0" }, "linux", ["xdg-open"]],
  [{ WAYLAND_DISPLAY: "wayland-0" }, "linux", ["xdg-open"]],
  [{}, "linux", null],
  [{ DISPLAY: ":10", SSH_CONNECTION: "203.0.113.9 1 203.0.113.1 22" }, "linux", null],
  [{}, "darwin", ["/usr/bin/open"]],
  [{}, "win32", ["rundll32", "url.dll,FileProtocolHandler"]],
])("the program of the desktop that opens files, %j on %s", (variables, system, expected) => {
  expect(findOpener(variables, system)).toEqual(expected);
});
