// One key sends requests of 1.8 MB with 60,000 short messages to the gateway over six connections; another project must be served
// meanwhile. Prints how many times longer its calls take than on an idle server: bun test/attack/long-requests.ts [seconds]

import { chatAnswer } from "../gateway/upstream-shapes.ts";
import { type Attack, print } from "./attack.ts";

const connections = 6;

export const longRequest = (model: string, messages = 60_000): string => {
  const message = '{"role":"user","content":"a"}';
  return `{"model":"${model}","messages":[${Array.from({ length: messages }, () => message).join(",")}]}`;
};

export const longRequests: Attack = {
  unit: "long requests answered",
  upstream: () => ({ body: JSON.stringify(chatAnswer("fake", "Yes.")) }),
  async run(send, signal) {
    let answered = 0;
    const body = longRequest("fake");
    const repeat = async () => {
      while (!signal.aborted) {
        const response = await send("POST", "/v1/chat/completions", body, signal);
        await response.text();
        if (response.ok) answered += 1;
      }
    };
    await Promise.all(Array.from({ length: connections }, () => repeat().catch(() => {})));
    return answered;
  },
};

if (import.meta.main) await print(longRequests);
