// Binds `memledger version`.

import type { Command } from "commander";
import { databaseFormat } from "../engines/engines.ts";
import { embedded } from "../native/embedded.ts";
import { commit, version } from "../version.ts";
import { bindWork, type Session } from "./command.ts";
import type { Report } from "./terminal.ts";

export const versionText = `memledger ${version} (${commit})`;
export const versionReport: Report = { data: { version, commit }, text: versionText };

/** Everything in the executable, with versions. From source, `embedded` is null, because nothing is embedded. */
function componentsReport(): Report {
  const facts = { version, commit, format: databaseFormat, bun: Bun.version };
  if (embedded === null) return { data: { ...facts, embedded: null }, text: versionText };
  const { components, model } = embedded;
  const contents = {
    target: components.target,
    sqlite: components.sqlite,
    sqlite_vec: components.sqliteVec,
    onnxruntime: components.onnxRuntime,
    model: { id: model.id, sha256: model.sha256 },
    api_reference: components.apiReference,
    packages: components.packages,
  };
  return { data: { ...facts, embedded: contents }, text: versionText };
}

export function addVersionCommand(program: Command, session: Session): void {
  const command = program
    .command("version")
    .description("Print the version and the commit; with --json also those of everything in the executable.");
  bindWork(command, session, async () => componentsReport(), { ignoresConfig: () => true });
}
