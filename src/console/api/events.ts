// Owns the one event stream of the page. It is open while something listens and the tab is visible: a browser has few connections to one
// server, and hidden tabs would hold them. After a failure it is opened again with a growing delay.

import { effect, signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { checkConnection, isConnected } from "./connection.ts";

/** Whether events arrive at present. */
export const isLive = signal(false);

const path = "/console/api/events";
const firstDelayMs = 1_000;
const delayMaxMs = 60_000;

type Handle = (data: unknown) => void;

interface Stream {
  readonly source: EventSource;
  readonly project: string | null;
  readonly names: ReadonlySet<string>;
}

const listeners = new Map<string, Set<Handle>>();
let project: string | null = null;
let stream: Stream | null = null;
let timer: ReturnType<typeof setTimeout> | null = null;
let delayMs = firstDelayMs;
let isChanging = false;

/** @param name of the event. @returns a function that ends it */
export function listen(name: string, handle: Handle): () => void {
  const handles = listeners.get(name) ?? new Set();
  listeners.set(name, handles.add(handle));
  followSoon();
  return () => {
    handles.delete(handle);
    if (handles.size === 0) listeners.delete(name);
    followSoon();
  };
}

/** The project whose events are wanted; null: those of the installation, or of the only project of a key. */
export function watchProject(id: string | null): void {
  project = id;
  followSoon();
}

/** Listens while the component is shown. The function may change with each render. */
export function useEvent(name: string, handle: Handle): void {
  const current = useRef(handle);
  current.current = handle;
  useEffect(() => listen(name, (data) => current.current(data)), [name]);
}

document.addEventListener("visibilitychange", follow);

// A server that is back is followed at once.
effect(() => {
  if (!isConnected.value || timer === null) return;
  clearTimeout(timer);
  timer = null;
  follow();
});

/** A view that replaces another one changes several listeners: the stream follows once. */
function followSoon(): void {
  if (isChanging) return;
  isChanging = true;
  queueMicrotask(() => {
    isChanging = false;
    follow();
  });
}

/** Opens or closes the stream, as it is needed now. */
function follow(): void {
  const isNeeded = listeners.size > 0 && !document.hidden;
  if (stream !== null && (!isNeeded || !isEnough(stream))) close();
  if (!isNeeded && timer !== null) clearTimeout(timer);
  if (!isNeeded) timer = null;
  else if (stream === null && timer === null) open();
}

/** A new name needs a new stream: the server sends what is known of each event when a stream begins. */
function isEnough(open: Stream): boolean {
  return open.project === project && [...listeners.keys()].every((name) => open.names.has(name));
}

function open(): void {
  timer = null;
  const query = project === null ? "" : `?${new URLSearchParams({ project })}`;
  const source = new EventSource(path + query);
  const opened = { source, project, names: new Set(listeners.keys()) };
  stream = opened;
  for (const name of opened.names) source.addEventListener(name, receive);
  source.addEventListener("open", () => {
    isLive.value = true;
    delayMs = firstDelayMs;
  });
  // The browser would try again with a delay that does not grow, and not at all after an answer with an error.
  source.addEventListener("error", () => {
    if (stream !== opened) return;
    close();
    checkConnection();
    timer = setTimeout(() => {
      timer = null;
      follow();
    }, delayMs);
    delayMs = Math.min(2 * delayMs, delayMaxMs);
  });
}

function close(): void {
  stream?.source.close();
  stream = null;
  isLive.value = false;
}

function receive({ type, data, target }: MessageEvent): void {
  if (target !== stream?.source) return;
  const value: unknown = JSON.parse(String(data));
  for (const handle of listeners.get(type) ?? []) handle(value);
}
