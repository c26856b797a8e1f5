// Owns the settings of the client of the API in the console, which nobody chooses: this server, and the session instead of a key.

import {
  type Fetch,
  maxRetriesDefault,
  type Settings,
  sleep,
} from "../../../clients/typescript/src/settings.ts";

/** @param fetch adds the credentials of the session */
export function settingsWith(fetch: Fetch): Settings {
  return {
    baseUrl: location.origin,
    headers: {},
    timeoutMs: null,
    maxRetries: maxRetriesDefault,
    fetch,
    sleep,
    random: Math.random,
  };
}
