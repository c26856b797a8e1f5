// The data of an answer of the HTTP API. Must never accept a status that was not expected.

import type { HttpReply } from "./http-client.ts";

export function dataOf({ status, body }: HttpReply, ...expected: readonly number[]): unknown {
  const text = Buffer.from(body).toString("utf8");
  if (!expected.includes(status)) throw new Error(`The server answered ${status}: ${text}`);
  return (JSON.parse(text) as { data: unknown }).data;
}
