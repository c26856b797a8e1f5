// Owns whether the server can be reached, as the last request has shown. While it cannot, the server is asked with a growing delay.

import { signal } from "@preact/signals";

export const isConnected = signal(true);

const firstDelayMs = 1_000;
const delayMaxMs = 30_000;

let timer: ReturnType<typeof setTimeout> | null = null;

/** What a request has shown. */
export function reportConnection(reached: boolean): void {
  isConnected.value = reached;
  if (!reached && timer === null) tryAgain(firstDelayMs);
}

/** Asks at once: the person wants to, or the system says that there is a network again. */
export function checkConnection(): void {
  if (timer !== null) clearTimeout(timer);
  void ask(firstDelayMs);
}

function tryAgain(delayMs: number): void {
  timer = setTimeout(() => void ask(delayMs), delayMs);
}

async function ask(delayMs: number): Promise<void> {
  timer = null;
  try {
    await fetch("/health/live", { cache: "no-store" });
    isConnected.value = true;
  } catch {
    isConnected.value = false;
    tryAgain(Math.min(2 * delayMs, delayMaxMs));
  }
}

addEventListener("online", () => {
  if (!isConnected.value) checkConnection();
});
