// Owns the middleware for the AI SDK (the package `ai`): it adds memories to the prompt, and extracts new ones from what the user says.
// Must never fail the call of the model.

import type { Memledger } from "./client.ts";

export interface MemoryMiddlewareOptions {
  /** Whose memories. Absent: those of the project. */
  readonly subject?: string;
  /** Whether memories are extracted from the conversation. Default: true. */
  readonly extract?: boolean;
  /** Called if memories could not be injected or extracted. The model is called all the same. */
  readonly onError: (error: unknown) => void;
}

/** The members of a prompt of the AI SDK that are read here. */
interface Prompt {
  readonly prompt: readonly Message[];
}
interface Message {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string | readonly { readonly type: string; readonly text?: string }[];
}

/**
 * A middleware for `wrapLanguageModel`. The memories are added to the last message of the user, so that everything before it stays the
 * same and a prompt cache is of use. What the user says, with the answer before it, is extracted once, while the model answers.
 */
export function memoryMiddleware(client: Memledger, options: MemoryMiddlewareOptions) {
  const { extract = true } = options;
  const subject = options.subject === undefined ? {} : { subject: options.subject };
  const report = (error: unknown): null => {
    options.onError(error);
    return null;
  };

  async function extractFrom({ prompt }: Prompt): Promise<void> {
    const messages = toMessages(prompt);
    const isNew = extract && prompt.at(-1)?.role === "user" && messages.at(-1)?.role === "user";
    const start = Math.max(0, messages.findLastIndex(isOf("assistant")));
    if (isNew) await client.memories.extract({ messages: messages.slice(start), ...subject }).catch(report);
  }

  return {
    specificationVersion: "v4" as const,

    async transformParams<Params extends Prompt>({ params }: { params: Params }): Promise<Params> {
      const { prompt } = params;
      // The query is made from the last message of the user, and from the one before if it is short.
      const messages = toMessages(prompt).filter(isOf("user")).slice(-2);
      const at = prompt.findLastIndex(isOf("user"));
      const wanted = { ...(messages.length === 0 ? {} : { messages }), ...subject };
      const found = at < 0 ? null : await client.memories.inject(wanted).catch(report);
      if (!found || found.prompt === "") return params;
      const part = { type: "text", text: found.prompt };
      const add = (message: Message) => ({ ...message, content: [...partsOf(message), part] });
      return { ...params, prompt: prompt.map((each, index) => (index === at ? add(each) : each)) };
    },

    async wrapGenerate<Result>(call: {
      doGenerate: () => PromiseLike<Result>;
      params: Prompt;
    }): Promise<Result> {
      const [result] = await Promise.all([call.doGenerate(), extractFrom(call.params)]);
      return result;
    },

    async wrapStream<Result extends { stream: ReadableStream }>(call: {
      doStream: () => PromiseLike<Result>;
      params: Prompt;
    }): Promise<Result> {
      const extraction = extractFrom(call.params);
      const result = await call.doStream();
      // The stream ends after the extraction, because some platforms stop a program when its answer is complete.
      const end = new TransformStream({ flush: () => extraction });
      return { ...result, stream: result.stream.pipeThrough(end) };
    },
  };
}

const isOf = (role: string) => (message: { readonly role: string }) => message.role === role;

const partsOf = ({ content }: Message) =>
  typeof content === "string" ? [{ type: "text", text: content }] : content;

/** Without files, tool calls and messages that have no text. */
function toMessages(prompt: readonly Message[]) {
  return prompt
    .map((message) => ({
      role: message.role,
      content: partsOf(message).flatMap(({ type, text = "" }) => (type === "text" ? [{ type, text }] : [])),
    }))
    .filter(({ role, content }) => (role === "user" || role === "assistant") && content.length > 0);
}
