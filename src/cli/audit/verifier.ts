// Binds `memledger audit verifier`: writes the HTML page that verifies exports in a browser, without memledger and without a network. It is the
// page that the console saves, byte for byte.

import { createHash } from "node:crypto";
import { resolve } from "node:path";
import type { Command } from "commander";
import { verifierFileName, verifierPage } from "../../transports/http/console/console-files.ts";
import { bindWork, type Session } from "../command.ts";
import { createOutputFile } from "../output-text.ts";
import { list } from "../terminal.ts";

export function addVerifierCommand(audit: Command, session: Session): void {
  const command = audit
    .command("verifier")
    .description(
      "Write the HTML page that verifies exports in a browser, for auditors without memledger, and print its SHA-256.",
    )
    .option("--out <file>", "path of the page", verifierFileName)
    .option("--force", "overwrite the file if it exists");
  bindWork(command, session, async ({ config, options }) => {
    const file = resolve(String(options.out));
    const page = await (await verifierPage()).read("identity");
    const output = createOutputFile(file, { mayReplace: options.force === true, dataDir: config.dataDir });
    try {
      await output.write(new TextDecoder().decode(page));
      await output.finish();
    } catch (error) {
      output.discard();
      throw error;
    }
    const data = { file, bytes: page.length, sha256: createHash("sha256").update(page).digest("hex") };
    return { data, text: `${list(data)}\n\n${nextStep}` };
  });
}

const nextStep =
  "Give an auditor this SHA-256 in another way than the file. It is also in SHA256SUMS of the release, and every program of this version writes the same page.";
