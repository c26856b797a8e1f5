// Owns the prompt sections and bodies that tests of the gateway share.

import { dividePrompt } from "../../src/memory/search/prompt.ts";

const at = Date.UTC(2026, 10, 2);
const dates = { createdAt: at, updatedAt: at, expiresAt: null };

export const rule = { content: "Use bun, never npm.", type: "rule", ...dates } as const;
export const fact = { content: "Releases are on Tuesdays.", type: "fact", ...dates } as const;
export const context = { content: "Staging is down.", type: "context", ...dates } as const;

export const prompt = dividePrompt([rule, fact, context]);
export const nothing = { rules: "", reference: "" };
