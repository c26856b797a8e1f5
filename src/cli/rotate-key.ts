// Binds `memledger audit rotate-key`: changes the signing key while no server runs. Decides nothing about keys itself.

import { resolve } from "node:path";
import type { Command } from "commander";
import { rotateKey } from "../audit/rotate-key.ts";
import type { Config } from "../config/config.ts";
import { settings } from "../config/settings.ts";
import { holdDirectory, requireDatabase } from "../data-directory/directory-hold.ts";
import { changeKey } from "../data-directory/key-rotation.ts";
import { ownKeyPath } from "../data-directory/ledger-files.ts";
import { createLogger } from "../log/logger.ts";
import { quoteWord } from "../text/shell-word.ts";
import { addSettings, bindWork, type Session } from "./command.ts";
import { type Confirmation, confirm, requirePerson } from "./confirmation.ts";
import { list } from "./terminal.ts";

export function addRotateKeyCommand(audit: Command, session: Session): void {
  const command = audit
    .command("rotate-key")
    .description(rotateKey.description)
    .option(
      "--new-key <file>",
      "the new Ed25519 key in PEM, which stays there (default: make one in the data directory)",
    )
    .option("--former-key-lost", "nobody has the former key any more, so it cannot attest the new one")
    .option("--yes", "do it without asking for a confirmation");
  addSettings(command, [settings.auditKey]);
  bindWork(command, session, async ({ config, options, terminal }) => {
    if (options.yes !== true) requirePerson(terminal);
    requireDatabase(config.dataDir);
    if (options.yes !== true) await confirm(confirmationOf(config));
    const held = await holdDirectory(config.dataDir);
    try {
      const newKey = typeof options.newKey === "string" ? options.newKey : null;
      const isFormerLost = options.formerKeyLost === true;
      const logger = createLogger(config.logLevel);
      const data = await changeKey(held, { config, newKey, isFormerLost, logger });
      return { data, text: `${list(data)}\n\n${nextSteps(newKey, config, data.attested === true)}` };
    } finally {
      held.release();
    }
  });
}

function confirmationOf({ auditKey }: Config): Confirmation {
  const former =
    auditKey === null ? "The former private key in the data directory is destroyed" : "The former key";
  const end = auditKey === null ? ", and it can never sign again." : " can never sign again.";
  return {
    warning: `This changes the key that signs the ledger. ${former}${end}`,
    word: "rotate",
    wordIs: 'the word "rotate"',
  };
}

function nextSteps(newKey: string | null, { auditKey, dataDir }: Config, isAttested: boolean): string {
  const isOwn = newKey !== null && resolve(newKey) === ownKeyPath(dataDir);
  const steps = [
    newKey === null
      ? auditKey === null
        ? "The former private key was replaced and is not kept. Start the server again."
        : `The new key is in the data directory. Start the server without --audit-key, and destroy ${auditKey}.`
      : isOwn
        ? "Start the server without --audit-key, and destroy the former private key where it is still kept."
        : `Start the server with --audit-key ${quoteWord(resolve(newKey))}, and destroy the former private key where it is still kept.`,
    isAttested
      ? "Auditors can go on with the former public key and the file audit.rotations; give them the new key as well."
      : "The former key did not attest the new one: give the new key to auditors in a way that they trust.",
  ];
  return steps.join("\n");
}
