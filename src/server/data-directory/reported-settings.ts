// Owns what reports say of the settings of this process.

import type { ReportedSettings } from "../../calls/contract/reported-settings.ts";
import { headOf } from "../../models/embedding/head.ts";
import type { Config } from "../config/config.ts";
import { findModelCopy } from "../model/model-copies.ts";

export function reportedSettingsOf(config: Config): ReportedSettings {
  const { installationRetentionDays, payloadRetentionDays, llm, rerank, dataDir } = config;
  return {
    installationRetentionDays,
    payloadRetentionDays,
    languageModel: llm?.model ?? null,
    rerankerOf({ sha256 }) {
      const embedding = rerank.choice === "off" ? null : findModelCopy(dataDir, sha256);
      return embedding === null ? null : headOf(embedding);
    },
  };
}
