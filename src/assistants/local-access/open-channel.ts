// Owns the choice of the channel: over HTTP with an API key, or over the local socket of a data directory; and whom its calls are for.

import type { Channel } from "./channel.ts";
import { createLocalChannel, type LocalTarget } from "./local-channel.ts";
import { createRemoteChannel, type RemoteTarget } from "./remote-channel.ts";

/**
 * Connects at the first request.
 * @param subject whose memories all calls are for; null: those of the project itself, or of the subject of the key
 */
export function openChannel(target: RemoteTarget | LocalTarget, subject: string | null = null): Channel {
  const channel = "url" in target ? createRemoteChannel(target) : createLocalChannel(target);
  if (subject === null) return channel;
  // A header has bytes: each character stands for one of the UTF-8 form.
  const named = { "Memledger-Subject": Buffer.from(subject).toString("latin1") };
  return {
    fetch: (path, request) => channel.fetch(path, { ...request, headers: { ...request.headers, ...named } }),
  };
}
