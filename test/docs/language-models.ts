// Owns which server the pages of the documentation find where they name Ollama. One page shows the gateway, so its upstream speaks all APIs
// and quotes what it was told.

import { startFakeUpstream } from "../gateway/fake-upstream.ts";
import { says, startFakeLlm } from "../models/extraction/fake-llm.ts";
import { gatewayPage } from "./client-packages.ts";

export interface LanguageModel {
  /** Base URL, ending in /v1. */
  readonly url: string;
  stop(): Promise<void>;
}

export async function startLanguageModel(page: string): Promise<LanguageModel> {
  if (page === gatewayPage) {
    const { origin, close } = await startFakeUpstream();
    return { url: `${origin}/v1`, stop: close };
  }
  const llm = await startFakeLlm();
  llm.otherwise(says("Understood."));
  return llm;
}
