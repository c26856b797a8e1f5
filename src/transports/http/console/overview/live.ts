// Owns the event streams of people who watch the console: who is connected, what each may see, and when something is sent. Everything
// that several of them see is read and written as text once. Nothing is read while nobody is connected, and nothing is recorded.

import type { Permission } from "../../../../access/key.ts";
import { Refusal } from "../../../../platform/errors.ts";
import type { ClockTimer } from "../../../../platform/time/clock-timers.ts";
import { figuresEveryMs, heartbeatEveryMs, streamsMax, streamsOfSessionMax } from "./limits.ts";
import type { InstallationState } from "./state.ts";
import { createWatched, type LiveEvent, type Watched, type WatchOptions } from "./watched.ts";

/** Who looks. */
export interface Viewer {
  /** Id of the session. */
  readonly session: string;
  /** Id of the project that is watched; null: the installation. */
  readonly project: string | null;
  /** Whether the state of the installation is shown. */
  readonly isAdministrator: boolean;
  readonly permissions: readonly Permission[];
  /** Whether the session is still in force. Asked every second; if it rejects, the stream ends. */
  isActive(): Promise<boolean>;
}

/** Where the events of one stream go. */
export interface Receiver {
  /** @param data JSON text; null: an empty event. @returns false when the client reads too slowly */
  send(event: LiveEvent | null, data: string | null): boolean;
  /** Ends the connection. */
  end(): void;
}

export interface Live {
  /**
   * Sends what is known at once, and then what changes.
   * @returns how the client has closed the stream. @throws Refusal 1429 or 1503 when there are too many streams
   */
  open(viewer: Viewer, receiver: Receiver): Disposable;
  /** Number of streams. */
  streams(): number;
  /** Ends all streams, and opens no other one. */
  close(): void;
}

interface LiveOptions extends WatchOptions {
  readonly readState: () => Promise<InstallationState>;
  /** Has calls of before the start counted, when somebody looks for the first time. */
  readonly readPast: () => Promise<void>;
}

interface Stream {
  readonly viewer: Viewer;
  readonly receiver: Receiver;
  readonly watched: Watched;
  sentAtMs: number;
}

export function createLive(options: LiveOptions): Live {
  const { clock, readState, readPast } = options;
  const streams = new Set<Stream>();
  const watched = new Map<string | null, Watched>();
  let timer: ClockTimer | null = null;
  let isClosed = false;
  let isReadingState = false;
  let isPastRead = false;
  /** The last states as JSON: for administrators, and for others. Null: not known yet. */
  const states: { installation: string | null; health: string | null } = { installation: null, health: null };

  const send = (stream: Stream, event: LiveEvent | null, data: string | null): void => {
    stream.sentAtMs = clock.elapsed();
    if (!stream.receiver.send(event, data)) end(stream);
  };
  const end = (stream: Stream, reason?: string): void => {
    if (!streams.delete(stream)) return;
    if (reason !== undefined) stream.receiver.send("session", JSON.stringify({ reason }));
    stream.receiver.end();
    release(stream.watched);
  };
  const release = (left: Watched): void => {
    if ([...streams].some((stream) => stream.watched === left)) return;
    watched.delete(left.project);
    left[Symbol.dispose]();
    if (streams.size > 0) return;
    timer?.cancel();
    timer = null;
  };
  const watch = (project: string | null): Watched => {
    const known = watched.get(project);
    if (known !== undefined) return known;
    const added = createWatched(project, options);
    watched.set(project, added);
    return added;
  };

  const stateOf = ({ viewer }: Stream) => (viewer.isAdministrator ? states.installation : states.health);
  const refreshState = async (): Promise<void> => {
    if (isReadingState) return;
    isReadingState = true;
    try {
      const state = await readState();
      const { installation, health } = states;
      states.installation = JSON.stringify({ health: state.health, installation: state });
      states.health = JSON.stringify({ health: state.health, installation: null });
      for (const stream of streams) {
        const isChanged = stream.viewer.isAdministrator
          ? states.installation !== installation
          : states.health !== health;
        if (isChanged) send(stream, "state", stateOf(stream));
      }
    } finally {
      isReadingState = false;
    }
  };
  const sendChanges = (of: Watched): Promise<void> =>
    of.sendChanges(({ event, data }) => {
      for (const stream of streams)
        if (stream.watched === of && maySee(stream.viewer, event)) send(stream, event, data);
    });
  const requireSessions = async (): Promise<void> => {
    await Promise.all(
      [...streams].map(async (stream) => {
        const isActive = await stream.viewer.isActive().catch(() => false);
        if (!isActive) end(stream, "ended");
      }),
    );
  };
  const tick = async (): Promise<void> => {
    await requireSessions();
    void refreshState();
    for (const of of watched.values()) void sendChanges(of);
    for (const stream of streams)
      if (clock.elapsed() - stream.sentAtMs >= heartbeatEveryMs) send(stream, null, null);
  };

  return {
    open(viewer, receiver) {
      requireRoom(viewer, streams, isClosed);
      const stream: Stream = { viewer, receiver, watched: watch(viewer.project), sentAtMs: clock.elapsed() };
      streams.add(stream);
      timer ??= clock.every(figuresEveryMs, () => void tick());
      for (const { event, data } of stream.watched.known())
        if (maySee(viewer, event)) send(stream, event, data);
      const known = stateOf(stream);
      if (known !== null) send(stream, "state", known);
      void refreshState();
      void sendChanges(stream.watched);
      if (!isPastRead) {
        isPastRead = true;
        // If it fails, the next one who looks has it read again.
        void readPast().catch(() => {
          isPastRead = false;
        });
      }
      return { [Symbol.dispose]: () => end(stream) };
    },
    streams: () => streams.size,
    close() {
      isClosed = true;
      for (const stream of [...streams]) end(stream);
    },
  };
}

/** @throws Refusal 1429 or 1503 */
function requireRoom({ session }: Viewer, streams: ReadonlySet<Stream>, isClosed: boolean): void {
  if (isClosed) throw new Refusal(1503, "The server is stopping. Connect again in a few seconds.", {}, 5);
  const own = [...streams].filter(({ viewer }) => viewer.session === session).length;
  if (own >= streamsOfSessionMax) {
    const message = `This session has ${streamsOfSessionMax} event streams already. Close a page of the console.`;
    throw new Refusal(1429, message, {}, 60);
  }
  if (streams.size >= streamsMax)
    throw new Refusal(1503, "Too many pages of the console are open. Try again later.", {}, 60);
}

function maySee({ permissions }: Viewer, event: LiveEvent): boolean {
  if (event === "memories") return permissions.includes("memory.read");
  if (event === "records") return permissions.includes("audit.read");
  if (event === "exports") return permissions.includes("audit.export");
  return true;
}
