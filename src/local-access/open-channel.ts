// Owns the choice of the channel: over HTTP with an API key, or over the local socket of a data directory.

import type { Channel } from "./channel.ts";
import { createLocalChannel, type LocalTarget } from "./local-channel.ts";
import { createRemoteChannel, type RemoteTarget } from "./remote-channel.ts";

/** Connects at the first request. */
export function openChannel(target: RemoteTarget | LocalTarget): Channel {
  return "url" in target ? createRemoteChannel(target) : createLocalChannel(target);
}
