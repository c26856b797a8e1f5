// Holds the figures in the sentences of the documentation to the source and to the results of the benchmarks.

import { expect, test } from "bun:test";
import manifest from "../../package.json";
import { bytesPerMemory } from "../../src/engines/sqlite/search/index/search-index.ts";
import { rowsPerBlock } from "../../src/memory/ranking/limits.ts";
import { importanceWeight, relevanceWeight } from "../../src/memory/ranking/scores.ts";
import * as rememberingLimits from "../../src/memory/remembering/limits.ts";
import * as extractionLimits from "../../src/models/extraction/limits.ts";
import * as limits from "../../src/platform/limits.ts";
import { settings } from "../../src/server/config/settings.ts";
import { read, tableOf } from "./pages.ts";

const number = (value: number) => value.toLocaleString("en");
const mib = (bytes: number) => `${bytes / 1024 / 1024} MiB`;
const seconds = (ms: number) => ms / 1_000;
const minutes = (ms: number) => ms / 60_000;
const words = ["no", "one", "two", "three", "four"];

/** Of a memory with a vector of the built-in model, and how many fit into the search cache, in full ten thousands. */
const bytesInCache = 384 + bytesPerMemory;
const cacheBytes = Number(settings.searchCacheMb.default) * 1024 * 1024;
const searchableMemories = Math.floor((cacheBytes / bytesInCache - rowsPerBlock) / 10_000) * 10_000;

/** A sentence of a page, with the figure that the program uses. Line ends count as spaces. */
const sentences: readonly (readonly [string, string])[] = [
  ["docs/user/API.md", `final_score = ${relevanceWeight} × similarity + ${importanceWeight} × importance`],
  ["docs/user/AUDIT.md", `With \`page\` this lasts ${words[limits.pagePinMs / 3_600_000]} hour`],
  ["docs/user/AUDIT.md", `A call waits ${seconds(limits.verificationWaitMs)} seconds at most`],
  ["docs/user/ERRORS.md", `the body is larger than ${mib(limits.bodyMaxBytes)}`],
  ["docs/user/EXTRACTION.md", `A project can run ${words[limits.extractionsPerProject]} extractions at once`],
  ["docs/user/EXTRACTION.md", `${limits.extractionQueueLimits.perProject} more can wait`],
  [
    "docs/user/EXTRACTION.md",
    `more than ${extractionLimits.sentenceMaxCharacters} characters without a full stop`,
  ],
  ["docs/user/EXTRACTION.md", `A chunk has at most ${number(extractionLimits.llmChunkMaxBytes)} bytes`],
  ["docs/user/EXTRACTION.md", `the chunk before (at most ${extractionLimits.llmOverlapMaxBytes} bytes)`],
  ["docs/user/EXTRACTION.md", `A call sends ${words[extractionLimits.llmRequestsPerCall]} requests at once`],
  ["docs/user/EXTRACTION.md", `all calls together send ${words[extractionLimits.llmRequestsAtOnce]}`],
  [
    "docs/user/EXTRACTION.md",
    `after ${extractionLimits.llmRetryDelaysMs.map((ms) => words[seconds(ms)]).join(" and ")} seconds`,
  ],
  ["docs/user/EXTRACTION.md", `up to ${seconds(extractionLimits.llmRetryAfterMaxMs)} seconds`],
  ["docs/user/EXTRACTION.md", `an answer larger than ${mib(extractionLimits.llmAnswerMaxBytes)} is refused`],
  [
    "docs/user/EXTRACTION.md",
    `A request gets ${words[Number(settings.llmTimeoutSeconds.default) / 60]} minutes`,
  ],
  ["docs/user/EXTRACTION.md", `longer than ${number(limits.contentMaxCharacters)} characters`],
  ["docs/user/EXTRACTION.md", `at least ${words[extractionLimits.evidenceMinWords]} words and six letters`],
  [
    "docs/user/EXTRACTION.md",
    `asked for, at most ${words[extractionLimits.llmRetryAfterMaxSeconds / 3_600]} hour`,
  ],
  ["docs/operator/LEDGER.md", `signs one after ${number(limits.checkpointEveryRecords)} records`],
  ["docs/operator/LEDGER.md", `after ${minutes(limits.checkpointEveryMs)} minutes if there are new records`],
  ["docs/operator/LEDGER.md", `${settings.installationRetentionDays.default} days by default`],
  ["docs/OPERATIONS.md", `a project with ${number(searchableMemories)} memories`],
  ["docs/OPERATIONS.md", `takes ${(bytesInCache / 1_000).toFixed(1)} KB of it`],
  ["docs/operator/INSTALLATION.md", `\`search-cache-mb\` (${settings.searchCacheMb.default} MiB)`],
  ["docs/operator/LOG.md", `${mib(limits.freeSpaceReserveBytes)} are needed`],
  ["docs/operator/DATA-DIRECTORY.md", `newest ${number(limits.recentRecordsPerChain)} audit records`],
  ["docs/operator/DATA-DIRECTORY.md", `${number(limits.recentRecordsInAll)} in all`],
  ["docs/user/LIMITS.md", `up to the last ${mib(limits.exportReserveBytes)}`],
  [
    "docs/user/LIMITS.md",
    `all of the ${mib(limits.bodiesMaxBytes)} for up to ${seconds(limits.bodyArrivalMaxMs)} seconds`,
  ],
  [
    "docs/user/LIMITS.md",
    `each with ${limits.bodiesMaxBytesPerProject / limits.bodyMaxBytes} announced bodies`,
  ],
  [
    "docs/user/LIMITS.md",
    `Up to ${number(rememberingLimits.waitingMaxPerProject)} answers of a project wait for extraction`,
  ],
  [
    "docs/user/LIMITS.md",
    `in up to ${rememberingLimits.partsMax} parts of ${number(rememberingLimits.partMaxCharacters)} characters`,
  ],
  ["docs/user/LIMITS.md", `is tried up to ${rememberingLimits.attemptsMax} times`],
  ["src/engines/sqlite/threads/README.md", `all waiting calls (at most ${limits.groupMaxCalls})`],
  [
    "src/engines/sqlite/threads/README.md",
    `body has more than ${number(limits.groupMaxCharacters)} characters`,
  ],
  ["src/engines/sqlite/threads/README.md", `A group is closed after ${limits.groupMaxMs} ms`],
  ["src/engines/sqlite/words/README.md", `stops for it every ${number(limits.purgeErasureRows)} memories`],
  ["src/engines/sqlite/words/README.md", `Of the first ${limits.queryWordsMax} distinct words of a query`],
  ["src/engines/sqlite/words/README.md", `only the ${limits.queryTermsMax} rarest count`],
  ["src/audit/README.md", `in steps of ${limits.verificationStepRows} records`],
  ["src/audit/README.md", `after ${number(limits.checkpointEveryRecords)} records of a chain or ten minutes`],
  ["src/audit/README.md", `after ${settings.installationRetentionDays.default} days by default`],
  ["README.md", `[Bun](https://bun.sh) ${manifest.devDependencies["bun-types"]}`],
  ["docs/operator/INSTALLATION.md", `[Bun](https://bun.sh) ${manifest.devDependencies["bun-types"]}`],
  ["docs/engineer/DEVELOPMENT.md", `Bun ${manifest.devDependencies["bun-types"]} only`],
  ["docs/engineer/AUDIT-FORMAT.md", `memledger reads up to ${mib(limits.evidenceFileMaxBytes)}`],
];

test.each(sentences)("%s: %s", (page, sentence) => {
  // Not the page itself, which would fill the screen.
  expect(read(page).replace(/\s+/g, " ").includes(sentence)).toBe(true);
});

test("the quality of the recognition of secrets is that of the last run", () => {
  const row = tableOf("bench/RESULTS.md", "cases").find(([name]) => name === "unseen");
  const [, secrets, , found, others, wrong] = row ?? [];
  const sentence = `${found} of ${secrets} secrets were removed, and something was removed from ${wrong} of ${others} texts`;
  expect(read("docs/user/EXTRACTION.md").replace(/\s+/g, " ")).toContain(sentence);
});

test("the figures of the embedding model are those of the last run", () => {
  const card = new Map(
    tableOf("models/memledger-embed-v1/README.md", "measure").map(([name = "", value = ""]) => [
      name,
      Number(value.replaceAll("*", "")),
    ]),
  );
  const rows = tableOf("bench/RESULTS.md", "model").filter(([name]) => name === "memledger-embed-v1");
  const [similarity = [], search = []] = rows;
  expect(card.get("STS-B dev, Spearman (float32 export: 0.826)")).toBe(Number(similarity[1]));
  const hits = ["LoCoMo dev, 383 questions, any-hit@1", "any-hit@5", "any-hit@10", "any-hit@20"];
  const percent = hits.map((name) => ((card.get(name) ?? 0) * 100).toFixed(1));
  expect(percent).toEqual(search.slice(1, 5));
});
