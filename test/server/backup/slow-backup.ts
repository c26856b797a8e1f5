// Makes a backup of a data directory, and waits forever after its first step, until the process that started it ends it. Arguments: the
// data directory and the new file.

import { chooseEngine } from "../../../src/engines/engines.ts";
import { makeBackup } from "../../../src/server/backup/make-backup.ts";
import { locate } from "../../../src/server/data-directory/data-directory.ts";

const [dataDir = "", target = "", stage = "0"] = process.argv.slice(2);
const directory = locate(dataDir);
await makeBackup(
  { directory, engine: chooseEngine(directory) },
  {
    target,
    mayReplace: false,
    auditKey: null,
    includesSigningKey: false,
    now: 1_795_000_000_000,
    onProgress(done, total) {
      if (done < (Number(stage) / 3) * total) return;
      process.stdout.write("begun\n");
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    },
  },
);
