// Upstreams of the gateway in memledger.toml and in variables: what they mean, and that every mistake is named with its place and its
// remedy, and no key is ever shown.

import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ConfigSources, loadConfig } from "../../../src/server/config/config.ts";
import { ConfigError } from "../../../src/server/config/config-file.ts";
import { settingsInForce } from "../../../src/server/config/settings-in-force.ts";
import { cleanUp, run } from "../../cli/command.ts";

const dataDir = mkdtempSync(join(tmpdir(), "memledger-upstreams-"));
const file = join(dataDir, "memledger.toml");
afterAll(async () => {
  await cleanUp();
  rmSync(dataDir, { recursive: true });
});

function load(toml: string, { flags, variables = {} }: ConfigSources = {}) {
  writeFileSync(file, toml);
  return loadConfig({ flags: { "data-dir": dataDir, ...flags }, variables });
}

function fault(toml: string, given: ConfigSources = {}): string {
  try {
    load(toml, given);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return "";
}

const three = '[[gateway.upstreams]]\nname = "ollama"\nbase-url = "http://127.0.0.1:11434/v1"\n';
const plain = {
  name: "ollama",
  kind: "openai",
  baseUrl: "http://127.0.0.1:11434/v1",
  apiKey: null,
  models: ["*"],
  timeoutSeconds: 600,
  allowsPlainHttp: false,
  asksForUsage: true,
  subjectFromUser: false,
  prices: [],
  memory: {
    isOn: true,
    maxCharacters: null,
    minSimilarity: null,
    tags: null,
    failure: "fail_open",
    deadlineMs: 1_000,
  },
} as const;

test("without settings the gateway has no upstream and remembers nothing", () => {
  expect(load("").config.gateway).toEqual({
    upstreams: [],
    exchangesMax: 512,
    exchangesPerKeyMax: 256,
    remembers: false,
    rememberDetail: "essential",
  });
});

test("three lines make an upstream that has every model", () => {
  expect(load(three).config.gateway.upstreams).toEqual([plain]);
});

test("every key of a table has its meaning, and tables keep their order", () => {
  const { gateway } = load(
    `
    [gateway]
    exchanges = 20
    exchanges-per-key = 10
    remember = true
    remember-detail = "essential"

    [[gateway.upstreams]]
    name = "anthropic"
    kind = "anthropic"
    base-url = "https://api.anthropic.com"
    api-key = "sk-ant-1"
    models = ["claude-*"]
    timeout-seconds = 30
    allow-plain-http = true
    ask-for-usage = false
    memory = "off"
    memory-budget = 4000
    memory-floor = 0.35
    memory-tags = [" team:b", "team:a", "team:b"]
    memory-failure = "closed"
    memory-deadline-ms = 200
    subject-from-user = true
    prices = [{ model = "claude-*", input-usd = 3, cached-input-usd = 0.3, output-usd = 15.0 }]

    [[gateway.upstreams.prices]]
    model = "claude-extra"
    input-usd = 1
    output-usd = 2
  `.replace(/\n {4}prices = .*\n/, "\n"),
  ).config;
  expect(gateway).toMatchObject({
    exchangesMax: 20,
    exchangesPerKeyMax: 10,
    remembers: true,
    rememberDetail: "essential",
  });
  expect(gateway.upstreams).toEqual([
    {
      name: "anthropic",
      kind: "anthropic",
      baseUrl: "https://api.anthropic.com",
      apiKey: "sk-ant-1",
      models: ["claude-*"],
      timeoutSeconds: 30,
      allowsPlainHttp: true,
      asksForUsage: false,
      subjectFromUser: true,
      prices: [{ model: "claude-extra", inputUsd: 1, outputUsd: 2, cachedInputUsd: null }],
      memory: {
        isOn: false,
        maxCharacters: 4000,
        minSimilarity: 0.35,
        tags: ["team:a", "team:b"],
        failure: "fail_closed",
        deadlineMs: 200,
      },
    },
  ]);
  const inline = `${three}models = "qwen*"\nprices = [{ model = "*", input-usd = 3, cached-input-usd = 0.3, output-usd = 15.0 }]`;
  const [upstream] = load(`${inline}\n${three.replace("ollama", "second")}`).config.gateway.upstreams;
  expect(upstream).toMatchObject({
    name: "ollama",
    models: ["qwen*"],
    prices: [{ model: "*", inputUsd: 3, outputUsd: 15, cachedInputUsd: 0.3 }],
  });
  const listed = load(`${three}models = "a*, b"\nmemory-tags = "x,y"`).config.gateway.upstreams[0];
  expect(listed).toMatchObject({ models: ["a*", "b"], memory: { tags: ["x", "y"] } });
  const names = load(`${three}${three.replace("ollama", "second")}`).config.gateway.upstreams;
  expect(names.map(({ name }) => name)).toEqual(["ollama", "second"]);
});

test("a key can be in a file, whose path begins at the data directory", () => {
  mkdirSync(join(dataDir, "keys"), { recursive: true });
  const path = join(dataDir, "keys/openai");
  writeFileSync(path, "sk-in-a-file\n");
  const toml = `${three}api-key-file = "keys/openai"`;
  const { config, reports } = load(toml);
  expect(config.gateway.upstreams[0]?.apiKey).toBe("sk-in-a-file");
  const of = (key: string) => reports.find(({ name }) => name === `gateway.upstreams.ollama.${key}`);
  expect(of("api-key")).toEqual({
    name: "gateway.upstreams.ollama.api-key",
    value: "(hidden)",
    source: path,
  });
  expect(of("api-key-file")).toMatchObject({ value: path, source: file });
  expect(load(`${three}api-key-file = "${path}"`).config.gateway.upstreams[0]?.apiKey).toBe("sk-in-a-file");
});

test("what is in force is shown with its source and without keys", () => {
  const { reports } = load(
    `${three}api-key = "sk-very-secret"\nmodels = ["qwen*", "llama*"]\nprices = [{ model = "qwen*", input-usd = 1.25, output-usd = 10 }, { model = "*", input-usd = 0.5, cached-input-usd = 0.05, output-usd = 1 }]`,
    {
      variables: {
        MEMLEDGER_GATEWAY_BASE_URL: "https://api.example.com/v1",
        MEMLEDGER_GATEWAY_API_KEY: "sk-also-secret",
      },
    },
  );
  expect(JSON.stringify(reports)).not.toMatch(/very-secret|also-secret/);
  const shown = settingsInForce(reports);
  const find = (wanted: string) => shown.find(({ name }) => name === wanted);
  expect(find("gateway.upstreams.ollama.base-url")).toMatchObject({
    value: "http://127.0.0.1:11434/v1",
    source_kind: "file",
    source: file,
    flag: null,
    variable: null,
  });
  expect(find("gateway.upstreams.ollama.base-url")?.description).toContain("URL of the upstream");
  expect(find("gateway.upstreams.ollama.api-key")).toMatchObject({ value: "(hidden)", source_kind: "file" });
  expect(find("gateway.upstreams.ollama.models")).toMatchObject({ value: ["qwen*", "llama*"] });
  expect(find("gateway.upstreams.ollama.prices")).toMatchObject({
    value: ["qwen*: input 1.25, output 10", "*: input 0.5, cached 0.05, output 1"],
  });
  expect(find("gateway.upstreams.ollama.memory")).toMatchObject({ value: true, source_kind: "default" });
  expect(find("gateway.api-key")).toMatchObject({
    value: "(hidden)",
    flag: "--gateway-api-key",
    variable: "MEMLEDGER_GATEWAY_API_KEY",
    source_kind: "variable",
  });
  expect(shown.map(({ name }) => name)).toEqual(reports.map(({ name }) => name));
});

test("commands show upstreams without keys, and a server with a wrong upstream does not start", async () => {
  const secret = "sk-of-the-provider";
  writeFileSync(file, `${three}api-key = "${secret}"`);
  const at = ["--data-dir", dataDir];
  const printed = await run(["config", "print", ...at]);
  expect(printed.stdout).toMatch(/gateway\.upstreams\.ollama\.api-key +\(hidden\) +\S+memledger\.toml\n/);
  expect(printed.stdout).toMatch(/gateway\.upstreams\.ollama\.models +\* +default\n/);
  writeFileSync(file, `${three}api-key = "${secret}"\nkind = "google"`);
  const refused = await run(["serve", ...at]);
  expect([refused.exitCode, refused.stdout]).toEqual([2, ""]);
  expect(refused.stderr).toContain(`kind of gateway upstream 1 ("ollama") in ${file} must be one of`);
  expect(`${printed.stdout}${printed.stderr}${refused.stderr}`).not.toContain(secret);
});

describe("one upstream without a table", () => {
  test("is asked last, and is set by variables, options or the table [gateway]", () => {
    const variables = { MEMLEDGER_GATEWAY_BASE_URL: "http://127.0.0.1:11434/v1" };
    expect(load("", { variables }).config.gateway.upstreams).toEqual([{ ...plain, name: "default" }]);
    const both = load(three, {
      flags: { "gateway.base-url": "https://api.anthropic.com", "gateway.kind": "anthropic" },
      variables: { MEMLEDGER_GATEWAY_API_KEY: "sk-1" },
    }).config.gateway.upstreams;
    expect(both.map(({ name }) => name)).toEqual(["ollama", "default"]);
    expect(both[1]).toMatchObject({ kind: "anthropic", apiKey: "sk-1", models: ["*"] });
    expect(load('[gateway]\nbase-url = "http://127.0.0.1:1/v1"').config.gateway.upstreams).toHaveLength(1);
  });

  test.each<[ConfigSources["variables"], string, string]>([
    [{ MEMLEDGER_GATEWAY_API_KEY: "sk-1" }, "", "gateway.api-key is set, but gateway.base-url is not."],
    [
      { MEMLEDGER_GATEWAY_API_KEY: "sk-1", MEMLEDGER_GATEWAY_BASE_URL: "http://10.0.0.7/v1" },
      "",
      "gateway.base-url would send the API key over plain HTTP to another machine. Use https, or set allow-plain-http = true.",
    ],
    [{ MEMLEDGER_GATEWAY_BASE_URL: "http://10.0.0.7/v1?a=b" }, "", "gateway.base-url contains a query"],
    [
      { MEMLEDGER_GATEWAY_BASE_URL: "10.0.0.7" },
      "",
      "MEMLEDGER_GATEWAY_BASE_URL must be an http or https URL",
    ],
    [{ MEMLEDGER_GATEWAY_KIND: "google" }, "", "MEMLEDGER_GATEWAY_KIND must be one of openai, anthropic"],
    [
      { MEMLEDGER_GATEWAY_BASE_URL: "http://10.0.0.7/v1" },
      three.replace("ollama", "default"),
      'a table [[gateway.upstreams]] has its name, "default". Rename that upstream.',
    ],
    [{ MEMLEDGER_GATEWAY_BASEURL: "x" }, "", "Did you mean MEMLEDGER_GATEWAY_BASE_URL?"],
  ])("%j %j is refused", (variables = {}, toml, message) => {
    expect(fault(toml, { variables })).toContain(message);
    expect(fault(toml, { variables })).not.toContain("sk-1");
  });
});

describe("the address of this server is refused, because requests would never end", () => {
  test.each([
    ["http://127.0.0.1:8420/v1", {}, true],
    ["http://localhost:8420", {}, true],
    ["http://[::1]:8420/v1", { host: "0.0.0.0" }, true],
    ["http://10.0.0.7:8420/v1", { host: "10.0.0.7" }, true],
    ["https://memory.example", { host: "memory.example", port: "443" }, true],
    ["http://127.0.0.1:8421/v1", {}, false],
    ["http://127.0.0.1:8420/v1", { port: "8421" }, false],
    ["http://127.0.0.1:8420/v1", { port: "0" }, false],
    ["http://127.0.0.1:8420/v1", { host: "10.0.0.7" }, false],
    ["http://10.0.0.8:8420/v1", { host: "0.0.0.0" }, false],
  ] as const)("%s with %j: %p", (url, flags, isRefused) => {
    const toml = three.replace("http://127.0.0.1:11434/v1", url);
    const said = 'base-url of the gateway upstream "ollama" is the address of this server. Set it to that of';
    expect(fault(toml, { flags }).startsWith(said)).toBe(isRefused);
  });
});

describe("refused, with the file, the table, the key and the remedy", () => {
  const second = `${three}[[gateway.upstreams]]\nname = "b"\nbase-url = "http://[::1]:8080/v1"\n`;
  const place = `gateway upstream 2 ("b") in ${file}`;
  test.each([
    [
      `${second}colour = 1`,
      `Unknown setting colour of ${place}. Remove it, or use one of name, kind, base-url,`,
    ],
    [`${second}base_url = "x"`, `Unknown setting base_url of ${place}. Did you mean base-url?`],
    [`${second}apikey = "sk-1"`, `Unknown setting apikey of ${place}. Did you mean api-key?`],
    [`${second}kind = "google"`, `kind of ${place} must be one of openai, anthropic, not "google".`],
    [`${second}models = 5`, `models of ${place} must be names of models or patterns`],
    [`${second}models = [1]`, "must be names of models or patterns"],
    [`${second}models = []`, `In gateway upstream 2 ("b") of ${file}, models is empty.`],
    [`${second}models = [""]`, "models contains a name that is empty"],
    [`${second}api-key = "two words"`, `api-key of ${place} must be a key of visible ASCII characters.`],
    [`${second}api-key = 5`, `api-key of ${place} must be a key of visible ASCII characters.`],
    [`${second}timeout-seconds = 0`, "timeout-seconds of"],
    [`${second}timeout-seconds = 1.5`, "must be a whole number from 1 to 3600, not 1.5."],
    [`${second}allow-plain-http = "perhaps"`, "must be true or false"],
    [`${second}memory = 1`, "must be true or false"],
    [`${second}memory-budget = -1`, "must be a whole number from 0 to 1000000, not -1."],
    [`${second}memory-floor = 35`, "must be a number from 0 to 1, such as 0.35, not 35."],
    [`${second}memory-floor = nan`, "must be a number from 0 to 1"],
    [`${second}memory-tags = [""]`, "must be at most 16 tags of 1 to 64 characters"],
    [`${second}memory-tags = ["${"x".repeat(65)}"]`, "must be at most 16 tags of 1 to 64 characters"],
    [
      `${second}memory-tags = [${Array.from({ length: 17 }, (_, index) => `"${index}"`).join(",")}]`,
      "must be at most 16 tags",
    ],
    [`${second}memory-failure = "fail_open"`, 'must be one of open, closed, not "fail_open".'],
    [`${second}memory-deadline-ms = 0`, "must be a whole number from 1 to 60000"],
    [`${second}prices = 3`, "must be a list of prices, such as [{ model ="],
    [`${second}prices = [{ model = "a", input-usd = 1 }]`, "must be a list of prices"],
    [`${second}prices = [{ model = "a", input-usd = 1, output-usd = "2" }]`, "must be a list of prices"],
    [
      `${second}prices = [{ model = "a", input-usd = 1, output-usd = 2, usd = 3 }]`,
      "must be a list of prices",
    ],
    [`${second}prices = [{ model = "", input-usd = 1, output-usd = 2 }]`, "must be a list of prices"],
    [`${second}prices = [{ model = "a", input-usd = -1, output-usd = 2 }]`, "must be a list of prices"],
    [
      `${second}prices = [{ model = "${"x".repeat(257)}", input-usd = 1, output-usd = 2 }]`,
      "must be a list of",
    ],
    [`${second}[gateway.upstreams.prices]\nmodel = "a"`, "must be a list of prices"],
    [
      `${three}${three}`,
      `The gateway upstreams 1 and 2 in ${file} are both named "ollama". Rename one of them`,
    ],
    [
      '[[gateway.upstreams]]\nname = "a"',
      `gateway upstream 1 ("a") in ${file} has no base-url. Add it: URL of`,
    ],
    ['[[gateway.upstreams]]\nbase-url = "http://a/v1"', `gateway upstream 1 in ${file} has no name. Add it:`],
    [
      '[[gateway.upstreams]]\nname = " "\nbase-url = "http://a/v1"',
      "must be a name of at most 200 characters",
    ],
    [
      `[[gateway.upstreams]]\nname = "${"x".repeat(101)}"\nbase-url = "http://a/v1"`,
      "name must have 1 to 100",
    ],
    ["[[gateway.upstreams]]", `gateway upstream 1 in ${file} has no name.`],
    ['[gateway.upstreams]\nname = "a"', "must be tables with the title [[gateway.upstreams]], one for each"],
    ["[gateway]\nupstreams = 3", `gateway.upstreams in ${file} must be tables with the title`],
    ['[gateway]\nupstreams = ["http://a/v1"]', "must be tables with the title"],
    [
      '[[gateway.upstream]]\nname = "a"',
      `Unknown setting gateway.upstream in ${file}. Did you mean gateway.upstreams?`,
    ],
    ["[gateway]\ncache = 1", `Unknown setting gateway.cache in ${file}.`],
    ["[gateway]\nexchange = 1", "Did you mean gateway.exchanges?"],
    [
      "[gateway]\nexchanges = 0",
      `gateway.exchanges in ${file} must be a whole number from 1 to 10000, not 0.`,
    ],
    [`${second.replaceAll("http://[::1]:8080/v1", "http://10.0.0.7/v1")}api-key = "sk-1"`, "over plain HTTP"],
    [second.replaceAll("[::1]:8080/v1", "user:sk-1@a/v1"), 'not "http://(hidden)@a/v1".'],
    [
      second.replaceAll(":8080/v1", ":8080/v1?key=sk-1"),
      "base-url contains a query or a fragment. Remove it.",
    ],
    ["[[gateway.upstreams]]\n".repeat(101), "has 101 tables [[gateway.upstreams]]; the maximum is 100."],
    [`${three}${"x".repeat(3)}`, "is not valid TOML at line 4"],
  ])("%j", (toml, message) => {
    const said = fault(toml);
    expect(said).toContain(message);
    expect(said).not.toContain("sk-1");
    expect(said).toContain(file);
  });

  test("a key twice, and a file that is no key", () => {
    const path = join(dataDir, "key");
    const from = (content: string) => {
      writeFileSync(path, content);
      return fault(`${three}api-key-file = "key"`);
    };
    const key = `api-key-file of gateway upstream 1 ("ollama") in ${file}`;
    expect(from("")).toBe(`The file ${path} in ${key} is empty. Write the secret into it, as one line.`);
    expect(from("sk-1\nsk-2\n")).toContain("has more than one line.");
    expect(from("sk-1 2")).toBe(
      `The content of the file ${path} in ${key} must be a key of visible ASCII characters.`,
    );
    rmSync(path);
    expect(fault(`${three}api-key-file = "key"`)).toContain(
      "cannot be read: it does not exist. Correct the path",
    );
    expect(fault(`${three}api-key-file = "."`)).toContain("it is not a regular file.");
    expect(fault(`${three}api-key-file = ""`)).toContain("must be the path of a file");
    expect(fault(`${three}api-key = "sk-1"\napi-key-file = "key"`)).toBe(
      `${key} is set, and so is api-key. Remove one of them.`,
    );
  });
});
