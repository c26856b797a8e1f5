// Binds `memledger audit rotate-key`: changes the signing key while no server runs. data-directory/key-rotation.ts has the rules.

import { resolve } from "node:path";
import type { Command } from "commander";
import { rotateKey } from "../../calls/operations/ledger/rotate-key.ts";
import { createLogger } from "../../platform/log/logger.ts";
import { quoteWord } from "../../platform/text/shell-word.ts";
import type { Config } from "../../server/config/config.ts";
import { settings } from "../../server/config/settings.ts";
import { lockDirectory, requireDatabase } from "../../server/data-directory/directory-lock.ts";
import { changeKey } from "../../server/ledger/key-rotation.ts";
import { ownKeyPath } from "../../server/ledger/ledger-files.ts";
import { addSettings, bindWork, type Session } from "../command.ts";
import { type Confirmation, confirm, requirePrompt } from "../confirmation.ts";
import { list } from "../terminal.ts";

export function addRotateKeyCommand(audit: Command, session: Session): void {
  const command = audit
    .command("rotate-key")
    .description(rotateKey.description)
    .option(
      "--new-key <file>",
      "PEM file with the new Ed25519 private key; it is not copied (default: create a key in the data directory)",
    )
    .option("--former-key-lost", "the previous private key is lost, so the new key is not signed by it")
    .option("--yes", "skip the confirmation prompt");
  addSettings(command, [settings.auditKey]);
  bindWork(command, session, async ({ config, options, terminal }) => {
    if (options.yes !== true) requirePrompt(terminal);
    await requireDatabase(config.dataDir);
    if (options.yes !== true) await confirm(confirmationOf(config));
    const locked = await lockDirectory(config.dataDir);
    try {
      const newKey = typeof options.newKey === "string" ? options.newKey : null;
      const isPreviousLost = options.formerKeyLost === true;
      const logger = createLogger(config.logLevel);
      const data = await changeKey(locked, { config, newKey, isPreviousLost, logger });
      return { data, text: `${list(data)}\n\n${nextSteps(newKey, config, data.attested === true)}` };
    } finally {
      locked.release();
    }
  });
}

function confirmationOf({ auditKey }: Config): Confirmation {
  const isDeleted = auditKey === null ? " The previous private key in the data directory is deleted." : "";
  return {
    warning: `This changes the key that signs the ledger.${isDeleted} The server will never sign with the previous key again.`,
    word: "rotate",
    wordDescription: 'the word "rotate"',
  };
}

function nextSteps(newKey: string | null, { auditKey, dataDir }: Config, isAttested: boolean): string {
  const isOwn = newKey !== null && resolve(newKey) === ownKeyPath(dataDir);
  const steps = [
    newKey === null
      ? auditKey === null
        ? "The previous private key was deleted. Start the server."
        : `The new key is in the data directory. Start the server without --audit-key, and delete ${auditKey}.`
      : isOwn
        ? "Start the server without --audit-key, and delete all copies of the previous private key."
        : `Start the server with --audit-key ${quoteWord(resolve(newKey))}, and delete all copies of the previous private key.`,
    isAttested
      ? "Auditors can still verify with the previous public key and the file audit.rotations. Give them the new public key as well."
      : "The new key is not signed by the previous key. Give the new public key to auditors in a way that they trust.",
  ];
  return steps.join("\n");
}
