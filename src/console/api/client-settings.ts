// Owns the settings of the client of the API in the console, which nobody chooses: this server, and the session instead of a key.

import {
  type Fetch,
  maxRetriesDefault,
  type Settings,
  sleep,
  subjectHeader,
} from "../../../clients/typescript/src/settings.ts";

/**
 * @param fetch adds the credentials of the session
 * @param subject for whom the calls are; null: for nobody
 */
export function settingsWith(fetch: Fetch, subject: string | null = null): Settings {
  return {
    baseUrl: location.origin,
    headers: subjectHeader(subject ?? undefined),
    timeoutMs: null,
    maxRetries: maxRetriesDefault,
    fetch,
    sleep,
    random: Math.random,
  };
}
