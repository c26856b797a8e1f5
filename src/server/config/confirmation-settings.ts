// Owns the settings of third parties that confirm checkpoints: witnesses, and a time stamp authority.

import { witnesses } from "./list-setting.ts";
import { address, file, whole } from "./setting.ts";

export const confirmationSettings = {
  witness: witnesses({
    name: "witness",
    description:
      "witnesses (C2SP tlog-witness) that cosign checkpoints: of each the URL, a space and the verifier key",
  }),
  timestampUrl: address({
    name: "timestamp-url",
    description: "time stamp authority (RFC 3161) that stamps checkpoints",
  }),
  timestampRoots: file({
    name: "timestamp-roots",
    description:
      "PEM file with trusted certificates, one of which must have issued that of the time stamp authority; without it, the issuer is not checked",
  }),
  timestampMinutes: whole(
    { name: "timestamp-minutes", description: "minutes after which a chain gets another time stamp" },
    60,
    1,
    10_080,
  ),
};
