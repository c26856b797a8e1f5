// What a conversation costs where the provider charges for what is not in its prompt cache: the bytes of each request behind the longest
// beginning that an earlier request of the same conversation had.

import type { FakeUpstream } from "../test/gateway/fake-upstream.ts";
import { createRandom, question } from "./texts.ts";

export const turns = 6;
export const callsPerTurn = 5;
/** Of one result of a tool, so that the conversation without memory has about 200 KB. */
const resultCharacters = 6_600;

interface Way {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Sends a conversation of an agent. @returns its uncached bytes */
export async function uncachedBytes(way: Way, upstream: Pick<FakeUpstream, "received">): Promise<number> {
  const random = createRandom(11);
  const messages: object[] = [{ role: "system", content: "You work in a repository, with tools." }];
  const sent: Buffer[] = [];
  let uncached = 0;
  const send = async (): Promise<void> => {
    const response = await fetch(`${way.url}/v1/chat/completions`, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...way.headers },
      body: JSON.stringify({ model: "m", messages }),
    });
    await response.text();
    const body = upstream.received.at(-1)?.body;
    if (!response.ok || body === undefined) throw new Error(`A request failed: ${response.status}`);
    uncached += body.length - Math.max(0, ...sent.map((earlier) => common(earlier, body)));
    sent.push(body);
  };
  for (let turn = 0; turn < turns; turn++) {
    messages.push({ role: "user", content: question(random, turn) });
    await send();
    for (let call = 0; call < callsPerTurn; call++) {
      const id = `call_${turn}_${call}`;
      const made = {
        id,
        type: "function",
        function: { name: "read_file", arguments: `{"path":"${id}.ts"}` },
      };
      messages.push({ role: "assistant", content: null, tool_calls: [made] });
      messages.push({ role: "tool", tool_call_id: id, content: resultOf(random) });
      await send();
    }
    messages.push({ role: "assistant", content: `This was answered in turn ${turn}.` });
  }
  return uncached;
}

function resultOf(random: () => number): string {
  return Array.from({ length: resultCharacters }, () =>
    String.fromCharCode(97 + Math.floor(random() * 26)),
  ).join("");
}

function common(earlier: Buffer, later: Buffer): number {
  let at = 0;
  while (at < earlier.length && earlier[at] === later[at]) at += 1;
  return at;
}
