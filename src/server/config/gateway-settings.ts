// Owns the settings of the gateway: those of the table [gateway], and the keys of each table [[gateway.upstreams]]. Must never read a
// file or the environment.

import { upstreamKinds } from "../../gateway/upstream.ts";
import { defaultDetail, extractionDetails } from "../../memory/extraction/extractor.ts";
import { isObject } from "../../platform/json/json.ts";
import { promptMaxCharacters } from "../../platform/limits.ts";
import { address, choice, file, name, secret, setting, toggle, whole, wholeOrNone } from "./setting.ts";
import { models, prices, share, tags } from "./upstream-setting.ts";

export const gatewaySettings = {
  gatewayBaseUrl: address({
    name: "gateway.base-url",
    description:
      "URL of an upstream of the gateway, such as http://127.0.0.1:11434/v1, for the models that no table [[gateway.upstreams]] names",
  }),
  gatewayKind: choice(
    {
      name: "gateway.kind",
      description: "APIs of the upstream at gateway.base-url: OpenAI-compatible, or Anthropic",
    },
    "openai",
    upstreamKinds,
  ),
  gatewayApiKey: secret({
    name: "gateway.api-key",
    description: "API key for the upstream at gateway.base-url; most local servers need none",
  }),
  gatewayExchanges: whole(
    {
      name: "gateway.exchanges",
      description: "maximum number of requests that the gateway forwards at once",
    },
    512,
    1,
    10_000,
  ),
  gatewayExchangesPerKey: whole(
    {
      name: "gateway.exchanges-per-key",
      description: "maximum number of requests of one key that the gateway forwards at once",
    },
    256,
    1,
    10_000,
  ),
  gatewayRemember: toggle(
    {
      name: "gateway.remember",
      description:
        "extract memories from the conversations that the gateway forwards, unless the request or its key says otherwise",
    },
    false,
  ),
  gatewayRememberDetail: choice(
    {
      name: "gateway.remember-detail",
      description:
        "how much of these conversations becomes a memory: what is essential, everything word for word, or with a language model every statement",
    },
    defaultDetail,
    extractionDetails,
  ),
};

/** The tables themselves. They can only be in memledger.toml. */
export const upstreamTables = setting<readonly object[]>(
  { name: "gateway.upstreams", description: "the upstreams of the gateway" },
  [],
  {
    expectation: "tables with the title [[gateway.upstreams]], one for each upstream",
    placeholder: "tables",
    read: (raw) => (Array.isArray(raw) && raw.every(isObject) ? raw : undefined),
  },
);

/** The keys of a table `[[gateway.upstreams]]` in memledger.toml. */
export const upstreamSettings = {
  name: name({ name: "name", description: "name of the upstream, by which records call it" }),
  kind: choice(
    { name: "kind", description: "APIs of the upstream: OpenAI-compatible, or Anthropic" },
    "openai",
    upstreamKinds,
  ),
  baseUrl: address({
    name: "base-url",
    description: "URL of the upstream: with /v1 if it is OpenAI-compatible; redirects are not followed",
  }),
  apiKey: secret({ name: "api-key", description: "API key for the upstream; most local servers need none" }),
  apiKeyFile: file({ name: "api-key-file", description: "file with the API key, instead of api-key" }),
  models: models({
    name: "models",
    description: "names of models that are sent to this upstream; * in a name is any text",
  }),
  timeoutSeconds: whole(
    {
      name: "timeout-seconds",
      description: "seconds without data from the upstream after which a request is ended",
    },
    600,
    1,
    3_600,
  ),
  allowPlainHttp: toggle(
    {
      name: "allow-plain-http",
      description:
        "send the API key also over plain HTTP to another machine, such as one of a private network",
    },
    false,
  ),
  askForUsage: toggle(
    {
      name: "ask-for-usage",
      description:
        "ask for the number of tokens in streams of Chat Completions; false for servers that refuse it",
    },
    true,
  ),
  subjectFromUser: toggle(
    {
      name: "subject-from-user",
      description:
        "the subject of a conversation is its user or safety_identifier (OpenAI) or metadata.user_id (Anthropic), unless a header names one",
    },
    false,
  ),
  prices: prices({
    name: "prices",
    description: "prices of models in US dollars for a million tokens, for the audit records",
  }),
  memory: toggle(
    { name: "memory", description: "put memory into requests, unless the request or its key says otherwise" },
    true,
  ),
  memoryBudget: wholeOrNone(
    {
      name: "memory-budget",
      description:
        "maximum number of characters of facts and contexts in one request; without it, there is no limit",
    },
    0,
    promptMaxCharacters,
  ),
  memoryFloor: share({
    name: "memory-floor",
    description:
      "minimum similarity of facts and contexts; without it, the relevance decides, as in an injection",
  }),
  memoryTags: tags({
    name: "memory-tags",
    description: "tags that facts and contexts must have; without them, all are searched",
  }),
  memoryFailure: choice(
    {
      name: "memory-failure",
      description:
        "a request whose memory cannot be found in time is sent without it (open), or refused (closed)",
    },
    "open",
    ["open", "closed"],
  ),
  memoryDeadlineMs: whole(
    { name: "memory-deadline-ms", description: "time to find the memory for a request, in milliseconds" },
    1_000,
    1,
    60_000,
  ),
};
