// Binds `memledger version`.

import type { Command } from "commander";
import { commit, version } from "../version.ts";
import { bindWork, type Session } from "./command.ts";
import type { Report } from "./terminal.ts";

export const versionText = `memledger ${version} (${commit})`;
export const versionReport: Report = { data: { version, commit }, text: versionText };

export function addVersionCommand(program: Command, session: Session): void {
  const command = program.command("version").description("Print the version and the commit.");
  bindWork(command, session, async () => versionReport, { ignoresConfig: () => true });
}
