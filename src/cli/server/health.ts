// Binds `memledger health`: asks the server of a data directory whether it is ready. For health checks in containers without a shell.

import type { Command } from "commander";
import { askHealth } from "../../assistants/local-access/ask-health.ts";
import { locate } from "../../server/data-directory/data-directory.ts";
import { bindWork, type Session } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";

export function addHealthCommand(program: Command, session: Session): void {
  const command = program
    .command("health")
    .description(
      "Ask the running server whether it is ready, as GET /health/ready does, over the local socket. Ends with 1 if it is not, or if none runs.",
    );
  bindWork(command, session, async ({ config: { dataDir } }) => {
    const { isReady, message } = await askHealth(locate(dataDir));
    if (!isReady) session.exitCode = exitCodes.failed;
    return { data: { ready: isReady, message }, text: message };
  });
}
