// Owns the clients of the proof: each has one stream after another, hears it to its end or hangs up in the middle, and keeps what it heard.

import { hear, speak } from "./spoken.ts";

export interface Outcome {
  readonly id: string;
  /** What the upstream was asked to say. */
  readonly text: string;
  readonly heard: string;
  /** "broken": the connection ended without the final event. "refused": an error of the gateway. */
  readonly end: "complete" | "hung up" | "broken" | "refused";
  readonly status: number;
  /** Null: there was no answer at all. */
  readonly record: string | null;
}

export interface Streaming {
  readonly url: string;
  readonly key: string;
  readonly clients: number;
  /** Of a stream, least and most. */
  readonly words: readonly [number, number];
  /** Of all streams, the share whose client hangs up. */
  readonly hangUpShare: number;
  /** From 0 to 1. */
  random(): number;
  isOver(): boolean;
}

/** Clients begin at any moment of this time, at first and after an upstream has failed. */
const beginMs = 5_000;

export async function streamAll(options: Streaming): Promise<readonly Outcome[]> {
  const { random } = options;
  const outcomes: Outcome[] = [];
  const run = async (client: number) => {
    await Bun.sleep(random() * beginMs);
    for (let turn = 0; !options.isOver(); turn++) {
      const outcome = await streamOnce(options, `s${client}-${turn}`, client + turn);
      outcomes.push(outcome);
      // As people do. An upstream that is down would be asked without a pause.
      if (outcome.end !== "complete") await Bun.sleep(random() * beginMs);
    }
  };
  await Promise.all(Array.from({ length: options.clients }, (_, client) => run(client)));
  return outcomes;
}

async function streamOnce(
  { url, key, words, hangUpShare, random }: Streaming,
  id: string,
  api: number,
): Promise<Outcome> {
  const [least, most] = words;
  const { path, body, text } = speak(id, least + Math.floor(random() * (most - least)), api);
  const hangsUpAt = random() < hangUpShare ? Math.floor(text.length * random()) : Number.POSITIVE_INFINITY;
  const stop = new AbortController();
  const response = await fetch(`${url}${path}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    body: JSON.stringify(body),
    signal: stop.signal,
  });
  const { status } = response;
  const record = response.headers.get("Memledger-Record");
  const known = { id, text, status, record };
  let received = "";
  let hasHungUp = false;
  const decoder = new TextDecoder();
  try {
    for await (const bytes of response.body ?? []) {
      received += decoder.decode(bytes, { stream: true });
      // Hearing all again with each piece takes time, and most clients never hang up.
      if (status === 200 && Number.isFinite(hangsUpAt) && hear(received).text.length >= hangsUpAt) {
        hasHungUp = true;
        stop.abort();
        break;
      }
    }
  } catch (error) {
    if (!(error instanceof Error)) throw error;
  }
  if (status !== 200) return { ...known, heard: received, end: "refused" };
  const { text: heard, isComplete } = hear(received);
  return { ...known, heard, end: hasHungUp ? "hung up" : isComplete ? "complete" : "broken" };
}
