// Owns how this program starts itself again: as the executable, or from source.

import { embedded } from "./embedded.ts";

/** The words of a command before the arguments. */
export const ownCommand: readonly string[] =
  embedded === null
    ? [process.execPath, Bun.fileURLToPath(new URL("../../main.ts", import.meta.url))]
    : [process.execPath];
