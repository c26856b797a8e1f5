// Owns the channel to the server of a data directory of this machine, over its local socket. It needs no secret: whoever can open the
// socket may use every project of the directory.

import { administratorOf } from "../../access/machine-administrator.ts";
import { successCode } from "../../platform/errors.ts";
import { isObject } from "../../platform/json/json.ts";
import { withoutProxy } from "../../platform/native/direct-fetch.ts";
import { quoteWord } from "../../platform/text/shell-word.ts";
import { version } from "../../platform/version.ts";
import { locate } from "../../server/data-directory/data-directory.ts";
import {
  callerHeader,
  keyHeader,
  type LocalCaller,
  printCaller,
} from "../../transports/local-socket/local-caller.ts";
import { findLocalSocket } from "../../transports/local-socket/socket-path.ts";
import { askServer, refuseForeignSocket } from "./ask-server.ts";
import { ensureServer } from "./background-server.ts";
import type { Channel, ChannelRequest } from "./channel.ts";
import { AccessRefused, isNotConnected, OutcomeUnknown, ServerUnreachable } from "./channel-failure.ts";

export interface LocalTarget {
  /** Absolute. */
  readonly dataDir: string;
  /** Id or name; created if it does not exist. */
  readonly project: string;
  /** Whether to start a background server if none runs. */
  readonly start: boolean;
  readonly onProjectCreated?: () => void;
}

/** A server may end between its start and the request. */
const attemptsMax = 3;

export function createLocalChannel(target: LocalTarget): Channel {
  const { dataDir, start } = target;
  const key = createKeySource(target);

  const sendWithKey = async (path: string, request: ChannelRequest): Promise<Response> => {
    const first = await key.current();
    const response = await send(dataDir, path, request, first);
    if (response.status !== 401) return response;
    // The key was revoked, or the database was replaced. Another local key may be valid now.
    key.forget();
    const next = await key.current();
    if (next === first) return response;
    await response.body?.cancel();
    return send(dataDir, path, request, next);
  };

  return {
    async fetch(path, request) {
      for (let attempt = 1; ; attempt++) {
        try {
          return await sendWithKey(path, request);
        } catch (error) {
          // Only this error says that nothing was sent.
          if (!start || !(error instanceof ServerUnreachable) || attempt === attemptsMax) throw error;
          await ensureServer(dataDir);
        }
      }
    },
  };
}

function callerOfProcess(): LocalCaller {
  return { administrator: administratorOf(process.env), client: `memledger/${version}` };
}

interface KeySource {
  /** The id of the local key of the project. Asked once; a failure is not kept. @throws ServerUnreachable, AccessRefused */
  current(): Promise<string>;
  forget(): void;
}

function createKeySource({ dataDir, project, onProjectCreated }: LocalTarget): KeySource {
  let keyId: Promise<string> | null = null;
  const ask = async (): Promise<string> => {
    const { socket } = locate(dataDir);
    const reply = await askServer(socket, "key.local", { project }, callerOfProcess()).catch((error) => {
      // Nothing of the request was sent, and asking again changes nothing more.
      throw error instanceof OutcomeUnknown ? notRunning(dataDir) : error;
    });
    if (reply === null) throw notRunning(dataDir);
    if (reply.code !== successCode) throw new AccessRefused(reply.message);
    const { data } = reply;
    if (!isObject(data) || typeof data.key_id !== "string") throw new AccessRefused(otherVersion);
    if (data.created_project === true) onProjectCreated?.();
    return data.key_id;
  };
  return {
    current() {
      keyId ??= ask().catch((error: unknown) => {
        keyId = null;
        throw error;
      });
      return keyId;
    },
    forget() {
      keyId = null;
    },
  };
}

/** @throws ServerUnreachable, OutcomeUnknown; what the signal is aborted with */
async function send(dataDir: string, path: string, request: ChannelRequest, key: string): Promise<Response> {
  const unix = findLocalSocket(locate(dataDir).socket);
  if (unix === null) throw notRunning(dataDir);
  const { signal = null, body = null } = request;
  const init: BunFetchRequestInit = {
    unix,
    method: request.method,
    headers: { ...request.headers, [callerHeader]: printCaller(callerOfProcess()), [keyHeader]: key },
    body,
    signal,
    // A connection that is kept could be closed by a server that stops, just when the next request is sent.
    keepalive: false,
  };
  try {
    return await fetch(`http://localhost${path}`, withoutProxy(init));
  } catch (error) {
    if (signal?.aborted === true) throw error;
    if (isNotConnected(error)) throw notRunning(dataDir);
    refuseForeignSocket(unix);
    throw new OutcomeUnknown(
      "The memledger server stopped before it answered. Check whether the change was made, then try again.",
      { cause: error },
    );
  }
}

function notRunning(dataDir: string): ServerUnreachable {
  return new ServerUnreachable(
    `No memledger server uses the data directory ${dataDir}. Start it: memledger serve --data-dir ${quoteWord(dataDir)}`,
  );
}

const otherVersion =
  "The answer of the running memledger server is not in the expected format. Restart the server with the version of this program.";
