// Binds `memledger console`: prints a link by which one person signs in to the console, and opens it; lists and revokes sessions.

import { existsSync } from "node:fs";
import type { Command } from "commander";
import { askConsole } from "../../assistants/local-access/ask-console.ts";
import {
  createSignInLink,
  listSessions,
  revokeSessions,
} from "../../calls/operations/access/session-operations.ts";
import { isObject, type Json, objectsIn } from "../../platform/json/json.ts";
import { counted } from "../../platform/text/plural.ts";
import { quoteWord } from "../../platform/text/shell-word.ts";
import type { Config } from "../../server/config/config.ts";
import { assistantsAdvice, directoryOfAssistants } from "../../server/data-directory/assistants-advice.ts";
import { locate } from "../../server/data-directory/data-directory.ts";
import { signInAddress } from "../../transports/http/console/sign-in-address.ts";
import { administer } from "../access/administer.ts";
import { bindOperation } from "../access/administration.ts";
import { bindWork, type Session } from "../command.ts";
import { tableOf } from "../terminal.ts";
import { findOpener, openBrowser } from "./open-browser.ts";

export function addConsoleCommands(program: Command, session: Session): void {
  const command = program
    .command("console")
    .description(
      "Sign in to the console: print a link that is valid once, for ten minutes, and open it in the browser.",
    )
    .option("--no-open", "print the link only");
  bindWork(command, session, async ({ config, options, terminal }) => {
    const url = await findConsole(config);
    const made = await administer(config, createSignInLink, {});
    const secret = isObject(made) && typeof made.secret === "string" ? made.secret : "";
    const expiresAt = isObject(made) ? (made.expires_at ?? null) : null;
    const address = signInAddress(url, secret);
    const opener = terminal.isJson || options.open === false ? null : findOpener(terminal.variables);
    await terminal.print({
      data: { url: address, expires_at: expiresAt },
      text: `Open this link to sign in to the console as an administrator. It is valid once, for ten minutes:\n\n  ${address}`,
    });
    if (opener !== null && !(await openBrowser(opener, locate(config.dataDir).signInPage, address)))
      terminal.writeError("memledger: No browser could be started. Open the link yourself.");
    return null;
  });
  bindOperation(command, session, { name: "sessions", operation: listSessions, toText: toTable });
  bindOperation(command, session, {
    name: "revoke",
    operation: revokeSessions,
    operand: { show: "session-id", field: "session", isOptional: true },
    fields: [{ flags: "--all", field: "all", description: "end all sessions" }],
    toText: toRevoked,
  });
}

/** The address of the server, without a slash at the end. @throws Error that says what to do if there is no console */
async function findConsole({ dataDir }: Config): Promise<string> {
  const place = await askConsole(locate(dataDir).socket);
  if (place === null) throw new Error(explainNoServer(dataDir));
  if (place === "unknown")
    throw new Error(
      "The running server is of a version without the console. Restart it with the version of this command.",
    );
  if (place.url !== null) return place.url;
  throw new Error(
    place.because === "background"
      ? `The server of ${dataDir} is a background server, which opens no port. Run "memledger serve --data-dir ${dataDir}", which replaces it, then run this command again.`
      : 'The console is switched off. Remove "console = false" from memledger.toml, or --console false from the command of the server, and restart the server.',
  );
}

/** The database of assistants is meant if there is none in the directory: a server there would begin a second one. */
function explainNoServer(dataDir: string): string {
  const hasDatabase = existsSync(locate(dataDir).database);
  const meant = hasDatabase ? dataDir : (directoryOfAssistants(dataDir) ?? dataDir);
  const advice = meant === dataDir ? "" : assistantsAdvice(dataDir);
  const option = `--data-dir ${quoteWord(meant)}`;
  return `No server runs on ${dataDir}, so there is no console. ${advice}Start one with "memledger serve ${option}", then run "memledger console ${option}".`;
}

const columns = [
  "id",
  "kind",
  "project_name",
  "key_name",
  "os_user",
  "ip_address",
  "created_at",
  "last_used_at",
  "expires_at",
];

function toTable(data: Json): string {
  const rows = objectsIn(data);
  if (rows.length === 0) return "Nobody is signed in to the console.";
  return tableOf(columns, rows);
}

function toRevoked(data: Json): string {
  const ids = isObject(data) && Array.isArray(data.revoked) ? data.revoked : [];
  return `${counted(ids.length, "session")} of the console ${ids.length === 1 ? "was" : "were"} ended.`;
}
