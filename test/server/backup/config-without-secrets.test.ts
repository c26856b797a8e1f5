// The copy of memledger.toml in a backup has no secret, wherever the file has one.

import { expect, test } from "bun:test";
import { withoutSecrets } from "../../../src/server/backup/config-without-secrets.ts";

const table = '[[gateway.upstreams]]\nname = "a"\nbase-url = "https://a.example/v1"\n';
const said = "is secret, so it is not in this backup. Set it again.";

test.each([
  ['llm-api-key = "sk-1"\nport = 1\n', `# llm-api-key ${said}\nport = 1\n`, ["llm-api-key"]],
  ['[gateway]\napi-key = "sk-1"\n', `[gateway]\n# api-key ${said}\n`, ["gateway.api-key"]],
  ['gateway.api-key = "sk-1"\n', `# api-key ${said}\n`, ["gateway.api-key"]],
  ['gateway . "api-key" = "sk-1"\n', `# api-key ${said}\n`, ["gateway.api-key"]],
  [
    `${table}api-key = "sk-1"\nkind = "openai"`,
    `${table}# api-key ${said}\nkind = "openai"`,
    ["gateway.upstreams.a.api-key"],
  ],
  [`${table}  'api-key'='sk-1' # ours\n`, `${table}# api-key ${said}\n`, ["gateway.upstreams.a.api-key"]],
  [`${table}# api-key = "sk-1"\n`, `${table}# api-key ${said}\n`, []],
  [`${table}# previously api-key = "sk-1"\n`, `${table}# api-key ${said}\n`, []],
  [`${table}api-key-file = "/run/key"\n`, `${table}api-key-file = "/run/key"\n`, []],
])("%j", (toml, text, removed) => {
  expect(withoutSecrets(toml)).toEqual({ text, removed });
});

test.each([
  ['gateway = { api-key = "sk-1" }', ["gateway.api-key"]],
  ['[gateway]\nupstreams = [{ name = "a", api-key = "sk-1" }]', ["gateway.upstreams.a.api-key"]],
  [`${table}api-key = """\nsk-1"""`, ["gateway.upstreams.a.api-key"]],
  [`${table}api-key = "sk-1"\nmodels = ["sk-1"]`, ["gateway.upstreams.a.api-key"]],
  ['[gateway]\n"api\\u002dkey" = "sk-1"', ["gateway.api-key"]],
  ['api-key = "sk-1', []],
])("%j is left out", (toml, removed) => {
  expect(withoutSecrets(toml)).toEqual({ text: null, removed });
});
