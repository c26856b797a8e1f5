// Owns the version and the commit. build.ts inserts the commit; it is "source" when the program runs from source.

import manifest from "../../package.json";

declare const MEMLEDGER_COMMIT: string | undefined;

export const version: string = manifest.version;
export const commit: string = typeof MEMLEDGER_COMMIT === "string" ? MEMLEDGER_COMMIT : "source";
