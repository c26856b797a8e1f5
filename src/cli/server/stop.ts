// Binds `memledger stop`: ends the background server of a data directory.

import type { Command } from "commander";
import { stopBackgroundServer } from "../../assistants/local-access/background-server.ts";
import { bindWork, type Session } from "../command.ts";

export function addStopCommand(program: Command, session: Session): void {
  const command = program
    .command("stop")
    .description("Stop the background server that programs of this user have started.");
  bindWork(
    command,
    session,
    async ({ config: { dataDir } }) => {
      const pid = await stopBackgroundServer(dataDir);
      const text =
        pid === null
          ? `No background server uses ${dataDir}. A server that was started with memledger serve is stopped with Ctrl+C or by its service manager.`
          : `The background server of ${dataDir}, process ${pid}, has stopped. The next program that needs it starts it again.`;
      return { data: { stopped: pid !== null, pid }, text };
    },
    { dataDir: "of the user" },
  );
}
