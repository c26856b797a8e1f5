// Reads the ready line of a server that a test started in a way of its own.

import { isObject, type Json } from "../../../src/platform/json/json.ts";
import type { Target } from "./exporting.ts";

export async function readyOf(stdout: ReadableStream<Uint8Array>): Promise<Target> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stdout) {
    text += decoder.decode(chunk, { stream: true });
    if (!text.includes("\n")) continue;
    const ready: Json = JSON.parse(text.slice(0, text.indexOf("\n")));
    if (isObject(ready)) return { url: String(ready.url), key: String(ready.api_key) };
  }
  throw new Error(`the server ended before it was ready: ${text}`);
}
