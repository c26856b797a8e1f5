// A time stamp authority behind HTTP, as a program of its own would be: openssl makes the answers.

import type { TestAuthority } from "./authority.ts";

export interface RunningAuthority {
  readonly url: string;
  /** Requests so far. */
  readonly asked: readonly Uint8Array[];
  /** Answers from now on; null: as an authority. */
  answerWith(answer: ((request: Uint8Array) => Response) | null): void;
  stop(): Promise<void>;
}

export function startAuthority({ answer }: TestAuthority, hostname = "127.0.0.1"): RunningAuthority {
  const asked: Uint8Array[] = [];
  let other: ((request: Uint8Array) => Response) | null = null;
  const server = Bun.serve({
    hostname,
    port: 0,
    async fetch(request) {
      const body = await request.bytes();
      asked.push(body);
      if (other !== null) return other(body);
      const isQuery = request.headers.get("content-type") === "application/timestamp-query";
      if (request.method !== "POST" || !isQuery) return new Response("no query", { status: 415 });
      return stampReply(answer(body));
    },
  });
  return {
    url: `http://${hostname}:${server.port}/tsr`,
    asked,
    answerWith(answers) {
      other = answers;
    },
    stop: () => server.stop(true),
  };
}

export function stampReply(answer: Uint8Array): Response {
  return new Response(Uint8Array.from(answer), {
    headers: { "Content-Type": "application/timestamp-reply" },
  });
}
