// Owns the settings of third parties that confirm checkpoints, and of destinations that keep them with their records.

import { destinations, witnesses } from "./list-setting.ts";
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
  keep: destinations({
    name: "keep",
    description:
      "where the entries of the ledger are kept, too: a folder, a bucket with Object Lock, a command",
  }),
  keepDays: whole(
    { name: "keep-days", description: "days for which a bucket locks what it keeps" },
    365,
    1,
    36_500,
  ),
  keepS3Endpoint: address({
    name: "keep-s3-endpoint",
    description: "server of the buckets, if it is not Amazon S3",
  }),
};
