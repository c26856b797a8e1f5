// Tests what people copy to connect an assistant: it is what `connect` writes, and a key put into it stays valid JSON or TOML.

import { afterAll, describe, expect, test } from "bun:test";
import { assistants } from "../../../src/assistants/connect/assistants.ts";
import { connectText } from "../../../src/assistants/connect/connection.ts";
import { keyPlaceholder, snippetsFor } from "../../../src/assistants/connect/snippets.ts";
import { cleanUp } from "../../cli/command.ts";
import { createHome } from "./home.ts";

afterAll(cleanUp);

const url = "https://memory.example.com:8443";
const snippets = snippetsFor(url);
const parse = (format: "json" | "toml", text: string) =>
  JSON.stringify(format === "json" ? JSON.parse(text) : Bun.TOML.parse(text));

test("there is one for each assistant that connect knows", () => {
  expect(snippets.map(({ name }) => name)).toEqual(assistants.map(({ name }) => name));
});

describe.each(assistants.map((assistant) => [assistant.name, assistant] as const))(
  "%s",
  (name, assistant) => {
    const snippet = snippets.find((each) => each.name === name);
    if (snippet === undefined) throw new Error(`no snippet for ${name}`);

    test("the command is one that connect accepts", async () => {
      const { run } = createHome();
      const words = snippet.command.split(" ").slice(2);
      const { exitCode, stderr } = await run(words, { MEMLEDGER_API_KEY: "ml_0123456789" });
      expect([exitCode, stderr]).toEqual([0, ""]);
    });

    test("has what connect writes, with the key where the placeholder is", () => {
      const key = "ml_0123456789";
      const program = ["memledger"];
      const target = { kind: "remote", url, key, program, dataDir: "/data", subject: null } as const;
      const file = { path: "", assistant, hasServers: true, hooks: null };
      const written = connectText("", file, { target, platform: "linux", withHooks: false });
      expect(snippet.with_key.split(keyPlaceholder)).toHaveLength(2);
      expect(snippet.with_key.replace(keyPlaceholder, key)).toBe(written);
      const parsed = parse(snippet.format, snippet.with_key.replace(keyPlaceholder, key));
      expect(parsed).toContain(url);
      expect(parsed).toContain(key);
    });

    test("has no placeholder in the text for the variable", () => {
      expect(snippet.with_variable).not.toContain(keyPlaceholder);
      expect(parse(snippet.format, snippet.with_variable)).toContain(url);
    });

    test("says where the file is on each system", () => {
      const { linux = "", macos = "", windows = "" } = snippet.files.user ?? {};
      expect([linux, macos].every((path) => /^~\/[^\\]+\.(json|toml)$/.test(path))).toBe(true);
      expect(windows).toMatch(/^%USERPROFILE%\\[^/]+\.(json|toml)$/);
      for (const path of Object.values(snippet.files.project ?? {})) expect(path).toMatch(/^\.[/\\]/);
      expect(JSON.stringify(snippet.files)).not.toContain("memledger-");
    });
  },
);
