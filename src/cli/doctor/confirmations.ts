// Owns the checks of `memledger doctor` on those to whom checkpoints are sent. The running server knows whom it has reached.

import { askConfirmations } from "../../assistants/local-access/ask-confirmations.ts";
import { counted } from "../../platform/text/plural.ts";
import type { Config } from "../../server/config/config.ts";
import type { DataDirectory } from "../../server/data-directory/data-directory.ts";
import type { ShownConfirmation } from "../../transports/http/console/overview/state.ts";

/** One for each of them, or one that says that there is none. `find` throws an Error when checkpoints are not confirmed. */
export async function confirmationChecks(
  { witness, timestampUrl, keep }: Pick<Config, "witness" | "timestampUrl" | "keep">,
  { socket }: Pick<DataDirectory, "socket">,
): Promise<readonly { readonly check: string; readonly find: () => string }[]> {
  const known = await askConfirmations(socket);
  const configured = witness.length + (timestampUrl === null ? 0 : 1) + keep.length;
  if (known === null && configured > 0) {
    const said = `${configured} configured. Only a running server knows what was confirmed: start it and repeat the command`;
    return [{ check: "confirmations", find: () => said }];
  }
  if (known === null || known.length === 0) return [{ check: "confirmations", find: () => nobody }];
  return known.map((each) => ({ check: `${kindOf(each)} ${each.name}`, find: () => describe(each) }));
}

const nobody =
  "nobody outside signs this ledger's checkpoints. The settings witness and timestamp-url name who does";

function kindOf({ kind }: ShownConfirmation): string {
  return kinds[kind] ?? kind;
}

const kinds: Readonly<Record<string, string>> = {
  cosignature: "witness",
  timestamp: "time stamp authority",
  deposit: "kept in",
};

function describe({
  confirmed_records,
  confirmed_at,
  waiting,
  waiting_since,
  failure,
}: ShownConfirmation): string {
  const last =
    confirmed_at === null
      ? "nothing confirmed yet"
      : `last confirmed ${counted(confirmed_records ?? 0, "record")} at ${confirmed_at}`;
  const wait =
    waiting === 0
      ? "no checkpoint waits"
      : `the newest checkpoint of ${counted(waiting, "chain")} waits since ${waiting_since}`;
  if (failure !== null)
    throw new Error(
      `${wait.slice(0, 1).toUpperCase()}${wait.slice(1)}. The cause: ${ended(failure)} It is tried again; ${last}.`,
    );
  return `${last}; ${wait}`;
}

function ended(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
