// Says which program this is. build.ts stamps the commit in; from source it is "source".

import manifest from "../package.json";

declare const MEMLEDGER_COMMIT: string | undefined;

export const version: string = manifest.version;
export const commit: string = typeof MEMLEDGER_COMMIT === "string" ? MEMLEDGER_COMMIT : "source";
