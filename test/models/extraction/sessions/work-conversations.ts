// Reads the conversations about work in this folder. Each begins with a line that describes it, then come its messages, `---`, and questions
// that a colleague would ask later, each with a short answer. ⟦Brackets⟧ mark noise: what nobody wants to read again.

import { readdirSync, readFileSync } from "node:fs";

interface WorkMessage {
  readonly role: "user" | "assistant";
  /** Without brackets. */
  readonly content: string;
}

export interface WorkConversation {
  readonly name: string;
  readonly messages: readonly WorkMessage[];
  readonly questions: readonly { readonly question: string; readonly answer: string }[];
  /** Texts between brackets. */
  readonly noise: readonly string[];
}

export function loadWorkConversations(): readonly WorkConversation[] {
  return readdirSync(import.meta.dir)
    .filter((file) => file.endsWith(".txt"))
    .sort()
    .map((file) => parse(file.slice(0, -".txt".length), readFileSync(`${import.meta.dir}/${file}`, "utf8")));
}

function parse(name: string, text: string): WorkConversation {
  const [said = "", asked = ""] = text.slice(text.indexOf("\n\n") + 2).split("\n---\n");
  const messages = said.split(/^(?=(?:user|assistant): )/m).map((part) => {
    const [, role, content = ""] = /^(user|assistant): ([\s\S]*)$/.exec(part) ?? [];
    if (role !== "user" && role !== "assistant") throw new Error(`${name}: no speaker in: ${part}`);
    return { role, content: content.replace(/[⟦⟧]/g, "").trim() } as const;
  });
  const questions = asked
    .trim()
    .split("\n")
    .map((line) => {
      const [question, answer] = line.split(" | ");
      if (question === undefined || answer === undefined) throw new Error(`${name}: no answer in: ${line}`);
      return { question, answer };
    });
  return {
    name,
    messages,
    questions,
    noise: [...said.matchAll(/⟦([^⟧]+)⟧/g)].map(([, noise = ""]) => noise),
  };
}

/** Whether at least half of the sentence or sentences, as an extraction names them as evidence, is noise. */
export function isNoise(evidence: string, { noise }: WorkConversation): boolean {
  const inside = noise.filter((each) => evidence.includes(each)).reduce((sum, each) => sum + each.length, 0);
  return inside >= evidence.length / 2 || noise.some((each) => each.includes(evidence));
}
