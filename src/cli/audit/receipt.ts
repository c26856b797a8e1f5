// Binds `memledger audit receipt`: verifies the receipt of an erasure, on any machine. Must never write a file.

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Command } from "commander";
import { runtimeCryptography } from "../../audit/runtime-cryptography.ts";
import { readKeys } from "../../audit/verify/note-reader.ts";
import { UnusableInput, verdicts } from "../../audit/verify/verdict.ts";
import { verifyErasureReceipt } from "../../audit/verify/receipts/erasure-receipt.ts";
import { readJson } from "../../platform/json/json.ts";
import { bindWork, type Session } from "../command.ts";
import { list } from "../terminal.ts";
import { readText } from "./evidence.ts";

export function addReceiptCommand(audit: Command, session: Session): void {
  const command = audit
    .command("receipt")
    .description(
      "Verify the receipt of the erasure of a subject or a conversation: that the ledger has signed it. Needs no server and no network.",
    )
    .argument("<file>", "the receipt, a JSON object, or the answer that has it")
    .option("--public-key <file>", "public key of the ledger (default: audit.pub beside the receipt)");
  bindWork(
    command,
    session,
    async ({ operands, options }) => {
      const [file = ""] = operands;
      try {
        const beside = join(dirname(file), "audit.pub");
        const given = typeof options.publicKey === "string" ? options.publicKey : beside;
        if (options.publicKey === undefined && !existsSync(beside))
          throw new UnusableInput("No public key was given or found. Add --public-key FILE.");
        const keys = readKeys(readText(given), given, runtimeCryptography);
        const found = verifyErasureReceipt(readJson(readText(file)), keys, runtimeCryptography);
        if (typeof found !== "string")
          return { data: { valid: true, ...found }, text: `VALID\n\n${list({ ...found })}` };
        session.exitCode = verdicts.broken;
        return { data: { valid: false, reason: found }, text: `NOT VALID: ${found}.` };
      } catch (error) {
        if (!(error instanceof UnusableInput)) throw error;
        session.exitCode = verdicts.unusable;
        return { data: { valid: false, reason: error.message }, text: `UNUSABLE: ${error.message}` };
      }
    },
    { ignoresConfig: () => true },
  );
}
