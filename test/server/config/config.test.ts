// Where settings come from, and that nothing misspelt passes in silence.

import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defaultPlans } from "../../../src/access/plan.ts";
import { type ConfigSources, loadConfig } from "../../../src/server/config/config.ts";
import { ConfigError } from "../../../src/server/config/config-file.ts";
import { allSettings, flagOf, generalSettings, variableOf } from "../../../src/server/config/settings.ts";

const dataDir = mkdtempSync(join(tmpdir(), "memledger-config-"));
const file = join(dataDir, "memledger.toml");
afterAll(() => rmSync(dataDir, { recursive: true }));

/** Loads with the data directory set, which holds `toml`. */
function load(toml: string, { flags, variables }: ConfigSources = {}) {
  writeFileSync(file, toml);
  return loadConfig({ flags: { "data-dir": dataDir, ...flags }, ...(variables ? { variables } : {}) });
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

test("without any source the defaults hold", () => {
  const { config, reports } = loadConfig({ flags: { "data-dir": join(dataDir, "nowhere") } });
  expect(config).toMatchObject({
    host: "127.0.0.1",
    port: 8420,
    logLevel: "info",
    model: null,
    groupCommit: true,
  });
  expect(config.plans).toEqual(defaultPlans);
  expect(reports.filter(({ source }) => source !== "default").map(({ name }) => name)).toEqual(["data-dir"]);
});

test("a flag wins over a variable, a variable over the file, the file over the default", () => {
  const flags = { port: "1" };
  const variables = { MEMLEDGER_PORT: "2", MEMLEDGER_HOST: "two" };
  const toml = 'port = 3\nhost = "three"\nlog-level = "warn"';
  const { config, reports } = load(toml, { flags, variables });
  expect(config).toMatchObject({ port: 1, host: "two", logLevel: "warn", embeddingThreads: 1 });
  const sources = Object.fromEntries(reports.map(({ name, source }) => [name, source]));
  expect(sources).toMatchObject({
    port: "--port",
    host: "MEMLEDGER_HOST",
    "log-level": file,
    "embedding-threads": "default",
  });
});

test("an empty variable counts as absent", () => {
  expect(load("port = 3", { variables: { MEMLEDGER_PORT: "" } }).config.port).toBe(3);
});

test("a path in the file starts at the data directory, any other at the working directory", () => {
  expect(load('model = "models/mine"').config.model).toBe(join(dataDir, "models/mine"));
  expect(load("", { flags: { model: "mine" } }).config.model).toBe(join(process.cwd(), "mine"));
});

test("a table whose keys are all commented out says nothing", () => {
  expect(load("[plans.pro]\n# hash = true").config.plans).toEqual(defaultPlans);
});

test("a plan takes what its table says and keeps the rest", () => {
  const { plans } = load(`
    [plans.pro]
    memory-limit = "unlimited"
    retention-days = 180
    hash = true
    [plans.custom]
    rate-per-second = 7
    [plans.business]
    rate-per-second = "unlimited"
    [plans.free]
    rate-burst = 50
  `).config;
  expect(plans.pro).toEqual({ ...defaultPlans.pro, memoryLimit: null, retentionDays: 180, hash: true });
  expect(plans.custom.rate).toEqual({ perSecond: 7, burst: 7 });
  expect(plans.business.rate).toBeNull();
  expect(plans.free.rate).toEqual({ perSecond: 5, burst: 50 });
  expect(plans.basic).toEqual(defaultPlans.basic);
});

test("the language model is configured as a whole or not at all", () => {
  expect(load("").config.llm).toBeNull();
  const variables = {
    MEMLEDGER_LLM_BASE_URL: "https://models.example.com/v1",
    MEMLEDGER_LLM_MODEL: " My Model 7B ",
    MEMLEDGER_LLM_API_KEY: "sk-secret",
  };
  const { config, reports } = load("llm-timeout-seconds = 600", { variables });
  expect(config.llm).toEqual({
    baseUrl: "https://models.example.com/v1",
    model: "My Model 7B",
    apiKey: "sk-secret",
    timeoutSeconds: 600,
    replacesAtOnce: false,
  });
  expect(JSON.stringify(reports)).not.toContain("sk-secret");
  const local = { "llm-base-url": "http://[::1]:8080/v1?version=1", "llm-model": "m" };
  expect(load("", { flags: local }).config.llm).toMatchObject({ apiKey: null, timeoutSeconds: 120 });
  const atOnce = { ...local, "llm-replace-at-once": "true" };
  expect(load("", { flags: atOnce }).config.llm).toMatchObject({ replacesAtOnce: true });
  expect(load('llm-api-key = "k"').config.llm).toBeNull();

  expect(fault('llm-base-url = "http://127.0.0.1/v1"')).toContain("Set the name of the model");
  expect(fault('llm-model = "m"')).toContain("Set the URL of the server");
});

describe("refused by name", () => {
  test.each([
    ["prot = 1", `Unknown setting prot in ${file}. Did you mean port?`],
    ["colour = 1", `Unknown setting colour in ${file}. Remove it, or use one of host, port,`],
    ['data-dir = "x"', `Unknown setting data-dir in ${file}.`],
    ["[plan.pro]\nhash = true", `Unknown setting plan.pro.hash in ${file}. Did you mean plans.pro.hash?`],
    ["[plans.gold]\nhash = true", `Unknown setting plans.gold.hash in ${file}.`],
    ["[plans.pro]\ncolour = true", "use one of plans.pro.memory-limit,"],
    ["[plan]", `Unknown setting plan in ${file}.`],
    ["[plans]\npro = 1", `Unknown setting plans.pro in ${file}.`],
    ["[port]\nnumber = 1", `Unknown setting port.number in ${file}.`],
    ["port = ", `${file} is not valid TOML at line 1:`],
    ["port = 1\nport = 2", `${file} is not valid TOML at line 2:`],
    ["port = -1", `port in ${file} must be a whole number from 0 to 65535, not -1.`],
    ["port = 80.5", "must be a whole number"],
    ["port = true", "must be a whole number"],
    ["port = 65536", "must be a whole number"],
    ["port = 99999999999999999999", "is not valid TOML at line 1: integer value"],
    ["host = 1", "must be a text without spaces, not 1."],
    ['host = "a b"', "must be a text without spaces"],
    ['group-commit = "yes"', 'must be true or false, not "yes".'],
    ['log-level = "loud"', 'must be one of debug, info, warn, error, silent, not "loud".'],
    ['model = ""', "must be the path of a directory"],
    ['audit-key = ""', "must be the path of a file"],
    ['llm-base-url = "127.0.0.1:11434"', "must be an http or https URL without credentials"],
    ['llm-base-url = "localhost:11434/v1"', "must be an http or https URL"],
    ['llm-base-url = "http://"', "must be an http or https URL"],
    ['llm-base-url = "http:///v1"', "must be an http or https URL"],
    ['llm-base-url = "http://a:99999/"', "must be an http or https URL"],
    ['llm-base-url = "ftp://a/"', "must be an http or https URL"],
    ['llm-base-url = "http://user:word@a/v1"', "must be an http or https URL without credentials"],
    ['llm-base-url = "http://a/v1#b"', "must be an http or https URL"],
    ['llm-model = " "', "must be a name of at most 200 characters"],
    ['llm-model = "a\\nb"', "must be a name of at most 200 characters"],
    ["llm-timeout-seconds = 0", "must be a whole number from 1 to 3600, not 0."],
    ["[plans.pro]\nmemory-limit = -1", 'or "unlimited", not -1.'],
    ["[plans.pro]\nretention-days = 0", "must be a whole number from 1"],
    ["port = 2024-01-01", "must be a whole number"],
    ["port = [1]", "must be a whole number"],
  ])("%j", (toml, message) => {
    expect(fault(toml)).toContain(message);
  });

  test("variables", () => {
    expect(fault("", { variables: { MEMLEDGER_COLOUR: "1" } })).toStartWith(
      "Unknown environment variable MEMLEDGER_COLOUR. Unset it, or use one of MEMLEDGER_DATA_DIR, MEMLEDGER_HOST,",
    );
    expect(fault("", { variables: { MEMLEDGER_PROT: "1" } })).toBe(
      "Unknown environment variable MEMLEDGER_PROT. Did you mean MEMLEDGER_PORT?",
    );
    expect(fault("", { variables: { MEMLEDGER_PLANS_PRO_HASH: "1" } })).toContain(
      "Plans are set in memledger.toml",
    );
    expect(fault("", { variables: { MEMLEDGER_PORT: "x" } })).toBe(
      'MEMLEDGER_PORT must be a whole number from 0 to 65535, not "x".',
    );
  });

  test("a secret, without saying it", () => {
    expect(fault("", { flags: { "llm-api-key": "two words" } })).toBe(
      "--llm-api-key must be a key of visible ASCII characters.",
    );
    expect(fault('llm-base-url = "http://user:word@a/v1"')).toEndWith(', not "http://(hidden)@a/v1".');
  });

  test("a file that cannot be read", () => {
    expect(() => loadConfig({ flags: { "data-dir": file } })).not.toThrow();
    const asFolder = mkdtempSync(join(dataDir, "folder-"));
    rmSync(file);
    Bun.spawnSync(["mkdir", join(asFolder, "memledger.toml")]);
    expect(() => loadConfig({ flags: { "data-dir": asFolder } })).toThrow("cannot be read");
  });
});

test("every default is a value that the setting itself accepts", () => {
  for (const setting of allSettings) {
    const written =
      setting.default === null && setting.name.startsWith("plans.") ? "unlimited" : setting.default;
    if (written === null) continue;
    const read = setting.read(written, "/");
    expect(read === setting.default || typeof read === "string").toBe(true);
  }
});

describe("variables that Kubernetes sets for a service", () => {
  const service = {
    MEMLEDGER_SERVICE_HOST: "10.0.0.1",
    MEMLEDGER_SERVICE_PORT: "8420",
    MEMLEDGER_SERVICE_PORT_HTTP: "8420",
    MEMLEDGER_PORT: "tcp://10.0.0.1:8420",
    MEMLEDGER_PORT_8420_TCP: "tcp://10.0.0.1:8420",
    MEMLEDGER_PORT_8420_TCP_PROTO: "tcp",
    MEMLEDGER_PORT_8420_TCP_PORT: "8420",
    MEMLEDGER_PORT_8420_TCP_ADDR: "10.0.0.1",
    MEMLEDGER_DB_SERVICE_HOST: "fd00::1",
    MEMLEDGER_DB_PORT: "tcp://[fd00::1]:5432",
  };

  test("are named and change nothing", () => {
    const { config, ignoredVariables } = load("port = 3", { variables: { ...service, PATH: "/bin" } });
    expect(config.port).toBe(3);
    expect(ignoredVariables).toEqual(Object.keys(service).toSorted());
  });

  test.each([
    ["MEMLEDGER_PORT", "abc"],
    ["MEMLEDGER_PORT", "tcp://memledger:8420"],
    ["MEMLEDGER_PORT", "http://10.0.0.1:8420"],
    ["MEMLEDGER_PROT", "tcp://10.0.0.1:8420"],
    ["MEMLEDGER_HOST", "tcp://10.0.0.1:8420 "],
    ["MEMLEDGER_SERVICE_HOST", "memledger"],
    ["MEMLEDGER_SERVICE_PORT", "http"],
    ["MEMLEDGER_SERVICE_HOTS", "10.0.0.1"],
  ])("but not %s=%s, which is a mistake", (name, value) => {
    expect(fault("", { variables: { ...service, [name]: value } })).toContain(name);
  });

  test("leave a real setting alone", () => {
    const { config, ignoredVariables } = load("", { variables: { ...service, MEMLEDGER_PORT: "4" } });
    expect(config.port).toBe(4);
    expect(ignoredVariables).not.toContain("MEMLEDGER_PORT");
  });
});

test("flags and variables follow from the name", () => {
  const cache = generalSettings.find(({ name }) => name === "search-cache-mb");
  expect(cache && [flagOf(cache), variableOf(cache)]).toEqual([
    "--search-cache-mb",
    "MEMLEDGER_SEARCH_CACHE_MB",
  ]);
});
