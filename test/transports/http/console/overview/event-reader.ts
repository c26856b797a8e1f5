// Owns reading an event stream in tests, as a browser does: events with their data, in the order in which they come.

import { isObject, type JsonObject } from "../../../../../src/platform/json/json.ts";

export interface ReadEvent {
  readonly event: string;
  readonly data: JsonObject;
}

export interface EventReader {
  readonly response: Response;
  /** All events so far. */
  readonly events: readonly ReadEvent[];
  /** Number of empty events. */
  heartbeats(): number;
  /** Waits for the next event of this name that matches. @throws Error if the stream ends before */
  next(event: string, matches?: (data: JsonObject) => boolean): Promise<JsonObject>;
  /** Resolves when the server has ended the stream. */
  readonly ended: Promise<void>;
  close(): void;
}

export async function readEvents(url: string, init: RequestInit = {}): Promise<EventReader> {
  const aborting = new AbortController();
  const response = await fetch(url, { ...init, signal: aborting.signal });
  const events: ReadEvent[] = [];
  let heartbeats = 0;
  let hasEnded = false;
  let changed = Promise.withResolvers<void>();
  const positions = new Map<string, number>();
  const tell = () => {
    const { resolve } = changed;
    changed = Promise.withResolvers();
    resolve();
  };
  const take = (block: string): void => {
    if (block === ":") heartbeats += 1;
    const event = /^event: (.*)$/m.exec(block)?.[1];
    const data: unknown = JSON.parse(/^data: (.*)$/m.exec(block)?.[1] ?? "null");
    if (event !== undefined && isObject(data)) events.push({ event, data });
  };
  const read = async (): Promise<void> => {
    let rest = "";
    const decoder = new TextDecoder();
    try {
      for await (const chunk of response.body ?? []) {
        const blocks = (rest + decoder.decode(chunk, { stream: true })).split("\n\n");
        rest = blocks.pop() ?? "";
        for (const block of blocks) take(block);
        tell();
      }
    } catch {
      // The test closed the connection, or the server did.
    }
    hasEnded = true;
    tell();
  };
  const ended = read();
  return {
    response,
    events,
    heartbeats: () => heartbeats,
    ended,
    async next(event, matches = () => true) {
      for (;;) {
        const found = events.findIndex(
          (each, index) => index >= (positions.get(event) ?? 0) && each.event === event && matches(each.data),
        );
        if (found >= 0) {
          positions.set(event, found + 1);
          return events[found]?.data ?? {};
        }
        if (hasEnded) throw new Error(`the stream has ended without the event ${event}`);
        await changed.promise;
      }
    },
    close: () => aborting.abort(),
  };
}
