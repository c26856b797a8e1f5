// Settings as reports say them, for calls that are performed without a server.

import type { ReportedSettings } from "../../src/calls/contract/reported-settings.ts";

export const reportedSettings: ReportedSettings = {
  installationRetentionDays: 365,
  payloadRetentionDays: null,
  languageModel: null,
  rerankerOf: () => null,
};
