// Runs the conformance suite of the Model Context Protocol against the server, for both eras of the protocol. What cannot pass is in
// expected-failures-REVISION.yaml, each with its reason; the suite itself fails on any other failure, and on one that passes.
// Must never judge a check itself.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { folder } from "./install.ts";
import { runProgram } from "./programs.ts";
import type { Report } from "./report.ts";

const revisions = ["2025-11-25", "2026-07-28"] as const;
const suite = join(folder, "node_modules/@modelcontextprotocol/conformance/dist/index.js");

/** Scenarios that the suite runs without counting them, and that have to pass here all the same. */
const alsoRequired: Readonly<Record<(typeof revisions)[number], readonly string[]>> = {
  "2025-11-25": ["server-session-lifecycle", "server-sse-polling"],
  "2026-07-28": ["http-header-validation"],
};

/** @param url of the endpoint, which needs no key; @param results empty folder for what the suite writes */
export async function runConformance(url: string, results: string, report: Report): Promise<void> {
  for (const revision of revisions) {
    const written = join(results, revision);
    const expected = join(folder, `expected-failures-${revision}.yaml`);
    const { exitCode, output } = await runProgram(
      [process.execPath, suite, "server", "--url", url, "--requirements", revision].concat([
        "--expected-failures",
        expected,
        "--output-dir",
        written,
      ]),
      { folder },
    );
    report.claim(
      `the conformance suite finds nothing unexpected for ${revision}`,
      exitCode === 0,
      verdictOf(output),
    );
    for (const scenario of alsoRequired[revision]) {
      const failures = failuresIn(written, scenario);
      const ran = scenariosIn(written).includes(scenario);
      report.claim(`${scenario} of ${revision} passes`, ran && failures.length === 0, failures.join("\n"));
    }
  }
}

/** The end of the output: what failed or passed unexpectedly. The suite has printed each check before. */
function verdictOf(output: string): string {
  const expected = output.indexOf("Expected failures (in baseline)");
  return expected < 0 ? output.slice(-3000) : output.slice(expected);
}

const scenarioOf = (name: string) => name.replace(/^server-/, "").replace(/-\d{4}-\d\d-\d\dT.*$/, "");

function scenariosIn(results: string): string[] {
  return readdirSync(results).map(scenarioOf);
}

/** Failed checks of a scenario, with the reason. */
function failuresIn(results: string, scenario: string): string[] {
  return readdirSync(results)
    .filter((name) => scenarioOf(name) === scenario)
    .flatMap((name) => {
      const checks: { id: string; status: string; errorMessage?: string }[] = JSON.parse(
        readFileSync(join(results, name, "checks.json"), "utf8"),
      );
      const failed = checks.filter(({ status }) => status === "FAILURE");
      return failed.map(({ id, errorMessage = "" }) => `${id}: ${errorMessage}`);
    });
}
