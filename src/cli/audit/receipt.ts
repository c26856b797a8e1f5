// Binds `memledger audit receipt`: writes the receipt of one record to a file, or prints it. Must never print anything beside a receipt.

import { resolve } from "node:path";
import type { Command } from "commander";
import { showReceipt } from "../../calls/operations/ledger/receipts.ts";
import { isObject } from "../../platform/json/json.ts";
import { administer } from "../access/administer.ts";
import { bindWork, type Session } from "../command.ts";
import { createOutputFile } from "../output-text.ts";
import { list } from "../terminal.ts";

export function addReceiptCommand(audit: Command, session: Session): void {
  const command = audit
    .command("receipt")
    .description(showReceipt.description)
    .argument("<record-id>")
    .option("--no-payload", "leave out what was asked and answered: the receipt proves the entry alone")
    .option("--out <file>", "write the receipt to this file, such as call.tlog-proof (default: print it)")
    .option("--force", "overwrite the file if it exists");
  bindWork(command, session, async ({ config, options, operands }) => {
    const [record = ""] = operands;
    const out = typeof options.out === "string" ? resolve(options.out) : null;
    const input = { record, payload: options.payload !== false };
    const data = await administer(config, showReceipt, input, { record: "<record-id>" });
    const receipt = isObject(data) ? String(data.receipt) : "";
    if (out === null) return { data, text: receipt.trimEnd() };
    const output = createOutputFile(out, { mayReplace: options.force === true, dataDir: config.dataDir });
    try {
      await output.write(receipt);
      await output.finish();
    } catch (error) {
      output.discard();
      throw error;
    }
    const written = { record, file: out, bytes: Buffer.byteLength(receipt) };
    return { data: written, text: list(written) };
  });
}
