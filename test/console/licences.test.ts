// Reads the texts of licences that the console links: those of a release, in an executable; from source there are none, and the answer
// says so.

import { afterAll, beforeAll, expect } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { componentsOf } from "../../release/components.ts";
import { embeddedComponents } from "../../release/embedded-components.ts";
import { bundledModules } from "../../release/executable.ts";
import { noticesText } from "../../release/notices.ts";
import { packagesOf } from "../../release/packages.ts";
import { root } from "../../release/source.ts";
import { targetNamed, thisMachine } from "../../release/targets.ts";
import { builtInModels } from "../../src/models/embedding/model-directory.ts";
import { testWith } from "../needs.ts";
import { type ConsoleServer, startConsoleServer } from "./console-server.ts";

let server: ConsoleServer;
beforeAll(async () => {
  server = await startConsoleServer();
});
afterAll(() => server?.stop());

const isExecutable = process.env.MEMLEDGER_TEST_EXECUTABLE !== undefined;
const files = ["licence.txt", "notices.txt"];

testWith(isExecutable ? null : "tests an executable only")("the texts are those of the release", async () => {
  const modules = await bundledModules();
  const target = targetNamed(thisMachine());
  const components = componentsOf(
    target,
    builtInModels(),
    embeddedComponents(target, modules),
    packagesOf(modules),
  );
  const expected = [readFileSync(join(root, "LICENSE"), "utf8"), noticesText(components)];
  for (const [index, name] of files.entries()) {
    const response = await fetch(`${server.url}/console/${name}`);
    expect([response.status, response.headers.get("content-type")]).toEqual([
      200,
      "text/plain; charset=utf-8",
    ]);
    expect(response.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect((await response.text()) === expected[index]).toBe(true);
  }
});

testWith(isExecutable ? "tests the source only" : null)(
  "a server from source says where the licences are",
  async () => {
    for (const name of files) {
      const response = await fetch(`${server.url}/console/${name}`);
      expect([response.status, await response.text()]).toEqual([
        404,
        expect.stringContaining("in the folder of each package"),
      ]);
    }
  },
);
