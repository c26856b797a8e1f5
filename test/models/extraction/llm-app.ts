// Starts a server that extracts with a scripted language model. Owns the settings and the item that tests of such a server share.

import { startTestApp } from "../../fixture.ts";
import { startFakeLlm } from "./fake-llm.ts";

/** What the model finds in a text with the sentence "I have moved to Lisbon." of Dana. */
export const moved = { content: "Dana has moved to Lisbon.", evidence: "I have moved to Lisbon." };

/** @returns both servers; `stop` ends them and returns what the server complained about, each without its details. */
export async function startLlmApp(settings: Readonly<Record<string, string>>) {
  const llm = await startFakeLlm();
  const llmSettings = { "llm-base-url": llm.url, "llm-model": "small", ...settings };
  const app = await startTestApp(llmSettings);
  return {
    llm,
    app,
    llmSettings,
    async stop(): Promise<string[]> {
      const complaints = app.complaints.splice(0);
      await app.stop();
      await llm.stop();
      return complaints.map((complaint) => complaint.split(" {")[0] ?? "");
    },
  };
}
