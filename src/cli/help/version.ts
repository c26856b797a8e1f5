// Binds `memledger version`.

import type { Command } from "commander";
import { databaseFormat } from "../../engines/engines.ts";
import { componentVersions } from "../../platform/native/component-versions.ts";
import { commit, version } from "../../platform/version.ts";
import { bindWork, type Session } from "../command.ts";
import type { Report } from "../terminal.ts";

export const versionText = `memledger ${version} (${commit})`;
export const versionReport: Report = { data: { version, commit }, text: versionText };

/** Everything in the executable, with versions. From source, `embedded` is null, because nothing is embedded. */
function componentsReport(): Report {
  const { embedded, bun } = componentVersions();
  return { data: { version, commit, format: databaseFormat, bun, embedded }, text: versionText };
}

export function addVersionCommand(program: Command, session: Session): void {
  const command = program
    .command("version")
    .description("Print the version and the commit; with --json also those of everything in the executable.");
  bindWork(command, session, async () => componentsReport(), { ignoresConfig: () => true });
}
