// Holds the tables of the documentation to the source: settings, plans, errors, limits, permissions, exit codes and dependencies.

import { expect, test } from "bun:test";
import manifest from "../../package.json";
import { permissions } from "../../src/access/key.ts";
import {
  administrationKeyRate,
  exchangeBodiesMaxBytes,
  exchangeBodiesMaxBytesPerProject,
  projectsPageMax,
} from "../../src/access/limits.ts";
import { defaultPlans } from "../../src/access/plan.ts";
import { verdicts } from "../../src/audit/verify/verdict.ts";
import { exitCodes } from "../../src/cli/exit-codes.ts";
import { batchMaxItems, sourceIdMaxCharacters } from "../../src/memory/limits.ts";
import { foundMax, proposedMax } from "../../src/memory/suggestions/limits.ts";
import { errorStatus } from "../../src/platform/errors.ts";
import * as limits from "../../src/platform/limits.ts";
import { upstreamSettings } from "../../src/server/config/gateway-settings.ts";
import { headingOf } from "../../src/server/config/setting-groups.ts";
import { flagOf, generalSettings, variableOf } from "../../src/server/config/settings.ts";
import { contents } from "../../src/server/data-directory/contents.ts";
import { routes } from "../../src/transports/http/routes.ts";
import { read, tableOf } from "./pages.ts";

const number = (value: number) => value.toLocaleString("en");
const mib = (bytes: number) => `${bytes / 1024 / 1024} MiB`;
const kib = (bytes: number) => `${bytes / 1024} KiB`;
const seconds = (ms: number) => `${ms / 1000} s`;

test("settings", () => {
  const groups = Map.groupBy(generalSettings, (setting) => headingOf(setting)?.slice(0, -1) ?? "Other");
  expect(tableOf("docs/operator/CONFIGURATION.md", "group")).toEqual(
    [...groups].map(([group, settings]) => [
      group,
      settings.map((setting) => `\`${`${flagOf(setting)} ${setting.default ?? ""}`.trimEnd()}\``).join(", "),
    ]),
  );
});

test("the variable of a setting follows from its flag", () => {
  expect(read("docs/operator/CONFIGURATION.md")).toContain(
    "The variable of `--llm-base-url` is `MEMLEDGER_LLM_BASE_URL`",
  );
  for (const setting of generalSettings)
    expect(variableOf(setting)).toBe(
      `MEMLEDGER_${flagOf(setting).slice(2).replaceAll("-", "_").toUpperCase()}`,
    );
});

test("settings of an upstream", () => {
  const required: readonly unknown[] = [upstreamSettings.name, upstreamSettings.baseUrl];
  expect(tableOf("docs/operator/CONFIGURATION.md", "key")).toEqual(
    Object.values(upstreamSettings).map((setting) => [
      `\`${setting.name}\``,
      required.includes(setting)
        ? "required"
        : String(setting.default ?? "") === ""
          ? "none"
          : `\`${setting.default}\``,
      setting.description,
    ]),
  );
});

test("plans", () => {
  const limitOf = (value: number | null) => (value === null ? "unlimited" : number(value));
  const yes = (flag: boolean) => (flag ? "yes" : "no");
  expect(tableOf("docs/operator/PROJECTS.md", "plan")).toEqual(
    Object.entries(defaultPlans).map(([name, plan]) => [
      name,
      plan.memoryLimit === 0 ? "none" : limitOf(plan.memoryLimit),
      plan.passageLimit === 0 ? "none" : limitOf(plan.passageLimit),
      plan.retentionDays === null ? "unlimited" : `${plan.retentionDays} days`,
      yes(plan.export),
      yes(plan.hash),
      plan.rate === null ? "unlimited" : `${plan.rate.perSecond} (${number(plan.rate.burst)})`,
    ]),
  );
});

test("calls", () => {
  const named = tableOf("README.md", "call").map(([call = ""]) => call.replaceAll("`", ""));
  const known = routes.map(({ method, path }) => `${method} ${path}`);
  expect(named).toHaveLength(5);
  expect(named.filter((call) => !known.includes(call))).toEqual([]);
});

test("limits of administration", () => {
  const { perSecond, burst } = administrationKeyRate;
  const page = read("docs/operator/PROJECTS.md");
  expect(page).toContain(`can send ${perSecond} calls per second (burst ${burst})`);
  expect(page).toContain(`at most ${number(projectsPageMax)} in one answer`);
});

test("permissions", () => {
  const names = tableOf("docs/operator/PROJECTS.md", "permission").map(([name]) => name);
  expect(names).toEqual(permissions.map((name) => `\`${name}\``));
});

test("errors", () => {
  const rows = tableOf("docs/user/ERRORS.md", "code").map(([code, status]) => [code, Number(status)]);
  expect(rows).toEqual(Object.entries(errorStatus));
});

test("exit codes", () => {
  const shown = tableOf("docs/OPERATIONS.md", "exit code").flatMap(([codes = ""]) => codes.split(", "));
  expect(shown.map(Number)).toEqual(Object.values(exitCodes));
});

test("exit codes of audit verify", () => {
  const rows = Object.entries(verdicts).map(([name, exitCode]) => [String(exitCode), name]);
  for (const [page, head] of [
    ["docs/operator/LEDGER.md", "exit code"],
    ["docs/engineer/AUDIT-FORMAT.md", "exit"],
  ] as const)
    expect(tableOf(page, head).map((row) => row.slice(0, 2))).toEqual(rows);
});

test("limits of the input", () => {
  const noBlank = "not only white space, no NUL";
  const chunks = `with more than ${number(limits.bodySmallChunksMax)} chunks, ${limits.bodyChunkMinBytes} bytes per chunk on average`;
  const pageSizes = `default ${limits.pageSizeDefault} for memories, ${limits.auditPageSizeDefault} for audit records and ${limits.tagPageSizeDefault} for tags`;
  const refusedIn = (operation: string, field: string) => {
    const schema = routes.find((route) => route.operation.name === operation)?.operation.input.properties[
      field
    ];
    return new RegExp(schema?.pattern, "u").test(" ") ? "no NUL" : noBlank;
  };
  const expected = [
    [
      "content of a memory",
      `1 to ${number(limits.contentMaxCharacters)} characters; ${refusedIn("memory.create", "content")}`,
    ],
    [
      "search query",
      `1 to ${number(limits.queryMaxCharacters)} characters; ${refusedIn("memory.search", "query")}`,
    ],
    [
      "text of an extraction",
      `1 to ${number(limits.extractionTextMaxCharacters)} characters; ${refusedIn("memory.extract", "text")}`,
    ],
    ["`tags` of a memory, or of a filter", `${limits.tagsMax}; at least 1 in a filter`],
    [
      "a tag",
      `1 to ${limits.tagMaxCharacters} characters after NFC and without surrounding white space; no control characters`,
    ],
    [
      "the name of a subject or a person, the id of a conversation",
      `1 to ${limits.subjectMaxCharacters} characters after NFC and without surrounding white space; no control characters; not \`.\` or \`..\`, which clients remove from addresses`,
    ],
    [
      "`metadata` of a memory",
      `${limits.memoryMetadataMembersMax} members, ${kib(limits.memoryMetadataMaxBytes)} as JSON without white space`,
    ],
    ["`memories` of a batch", `1 to ${number(batchMaxItems)} items`],
    ["`source_id`", `1 to ${number(sourceIdMaxCharacters)} characters; ${noBlank}`],
    ["`page_size`", `1 to ${limits.pageSizeMax}, ${pageSizes}`],
    [
      "request body",
      `${mib(limits.bodyMaxBytes)}, received within ${seconds(limits.bodyArrivalMaxMs)}; ${chunks}`,
    ],
    [
      "JSON of a body or of `X-Audit-Metadata`",
      `${limits.jsonMaxDepth} levels, ${number(limits.jsonMaxValues)} values; no duplicate names, no number that a double cannot hold`,
    ],
    ["`X-Audit-Metadata`", `a JSON object of ${kib(limits.metadataMaxBytes)}`],
    ["exports", `one in progress per project; files are kept for ${limits.exportLifeMs / 86_400_000} days`],
    ["suggestions of an owner", `${proposedMax} that were proposed, and ${foundMax} that were found`],
  ];
  expect(tableOf("docs/user/LIMITS.md", "what").slice(0, expected.length)).toEqual(expected);
});

test("limits of queues, of calls without a key, and of the shutdown", () => {
  const queue = (what: string, { perProject, total }: { perProject: number; total: number }) => [
    what,
    number(perProject),
    number(total),
  ];
  const rate = ({ perSecond, burst }: { perSecond: number; burst: number }) =>
    `${burst} at once, then ${perSecond} per second`;
  const expected = [
    ["bodies of running calls, in memory", mib(limits.bodiesMaxBytesPerProject), mib(limits.bodiesMaxBytes)],
    [
      "bodies of requests to the gateway that were not sent to an upstream yet",
      mib(exchangeBodiesMaxBytesPerProject),
      mib(exchangeBodiesMaxBytes),
    ],
    queue("calls that wait to be written", limits.writerQueueLimits),
    ["extractions and batches that run", String(limits.extractionsPerProject), ""],
    queue("extractions and batches that wait", limits.extractionQueueLimits),
    queue("texts that wait for the embedding model", limits.embeddingQueueLimits),
    queue("searches that wait", limits.searchQueueLimits),
    queue("lists and reads that wait", limits.readQueueLimits),
    ["recorded calls from one network (IPv4 /24, IPv6 /48)", rate(limits.unauthenticatedNetworkRate)],
    ["recorded calls from all networks", rate(limits.unauthenticatedRate)],
    ["running calls after SIGTERM", `${seconds(limits.httpGraceMs)} to finish`],
    ["the process after SIGTERM", `is killed after ${seconds(limits.endDeadlineMs)}`],
  ];
  expect(tableOf("docs/user/LIMITS.md", "what").slice(-expected.length)).toEqual(expected);
});

test("every dependency has its reason", () => {
  const reasons = tableOf("docs/engineer/DEPENDENCIES.md", "package");
  const named = reasons.flatMap(([names = "", why = ""]) => (why.length < 15 ? [] : names.split(", ")));
  const { dependencies, devDependencies } = manifest;
  const all = [...Object.keys(dependencies), ...Object.keys(devDependencies)];
  expect(named.toSorted()).toEqual(all.toSorted());
  expect(read("README.md")).toContain("](docs/engineer/DEPENDENCIES.md)");
});

test("files of the data directory", () => {
  const rows = tableOf("docs/operator/DATA-DIRECTORY.md", "name").map(([names = "", text = ""]) => [
    names.replaceAll("`", "").split(", "),
    text.replaceAll(/\[(\w+)\]\([^)]*\)|`/g, "$1"),
  ]);
  const expected = contents.map(({ names, description }) => [[...names], description]);
  expect(rows).toEqual(expected);
});
