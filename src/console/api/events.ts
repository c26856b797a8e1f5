// Owns the one event stream of the page. It is open while something listens and the tab is visible: a browser has few connections to one
// server, and hidden tabs would hold them. After a failure it is opened again with a growing delay.

import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

/** Whether events arrive at present. */
export const isLive = signal(false);

const path = "/console/api/events";
const firstDelayMs = 1_000;
const delayMaxMs = 60_000;

type Handle = (data: unknown) => void;

const listeners = new Map<string, Set<Handle>>();
let stream: EventSource | null = null;
let timer: ReturnType<typeof setTimeout> | null = null;
let delayMs = firstDelayMs;

/** @param name of the event. @returns a function that ends it */
export function listen(name: string, handle: Handle): () => void {
  const handles = listeners.get(name) ?? new Set();
  if (handles.size === 0) stream?.addEventListener(name, receive);
  listeners.set(name, handles.add(handle));
  follow();
  return () => {
    handles.delete(handle);
    if (handles.size > 0) return;
    listeners.delete(name);
    stream?.removeEventListener(name, receive);
    follow();
  };
}

/** Listens while the component is shown. The function may change with each render. */
export function useEvent(name: string, handle: Handle): void {
  const current = useRef(handle);
  current.current = handle;
  useEffect(() => listen(name, (data) => current.current(data)), [name]);
}

document.addEventListener("visibilitychange", follow);

/** Opens or closes the stream, as it is needed now. */
function follow(): void {
  const isNeeded = listeners.size > 0 && !document.hidden;
  if (isNeeded && stream === null && timer === null) open();
  else if (!isNeeded) close();
}

function open(): void {
  timer = null;
  const opened = new EventSource(path);
  stream = opened;
  for (const name of listeners.keys()) opened.addEventListener(name, receive);
  opened.addEventListener("open", () => {
    isLive.value = true;
    delayMs = firstDelayMs;
  });
  // The browser would try again with a delay that does not grow, and not at all after an answer with an error.
  opened.addEventListener("error", () => {
    if (stream !== opened) return;
    close();
    timer = setTimeout(() => {
      timer = null;
      follow();
    }, delayMs);
    delayMs = Math.min(2 * delayMs, delayMaxMs);
  });
}

function close(): void {
  stream?.close();
  stream = null;
  isLive.value = false;
  if (timer !== null) clearTimeout(timer);
  timer = null;
}

function receive({ type, data }: MessageEvent): void {
  const value: unknown = JSON.parse(String(data));
  for (const handle of listeners.get(type) ?? []) handle(value);
}
