// A process that adds to the number in a file, many times, while others do the same: `bun count-up.ts FILE TIMES`.

import {
  readConfiguration,
  replaceConfiguration,
} from "../../../src/assistants/connect/configuration-file.ts";
import { BusyConfiguration } from "../../../src/assistants/connect/new-file.ts";

const [path = "", times = "0"] = process.argv.slice(2);
for (let left = Number(times); left > 0; ) {
  const file = readConfiguration(path);
  try {
    replaceConfiguration(file, `${Number(file.text) + 1}`, { keepsBackup: false });
    left -= 1;
  } catch (error) {
    if (!(error instanceof BusyConfiguration)) throw error;
  }
}
