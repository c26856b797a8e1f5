// Owns how this program starts itself again: as the executable, or from source.

import { embedded } from "../native/embedded.ts";

/** The words of a shell command before the arguments. */
export const ownCommand: readonly string[] =
  embedded === null ? [process.execPath, Bun.main] : [process.execPath];
