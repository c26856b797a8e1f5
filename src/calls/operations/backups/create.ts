// Owns the record of a backup. It is appended before the database is copied, so that the copy contains it, and whoever reads the ledger
// knows that there may be a copy of everything. Must never copy anything.

import { Type } from "@sinclair/typebox";
import { Fields, Text, Timestamp } from "../../../platform/schema/schema.ts";
import { toTimestamp } from "../../../platform/time/timestamp.ts";
import { installationOperation } from "../../contract/operation.ts";

const pathMaxCharacters = 4_096;

export const createBackup = installationOperation({
  name: "backup.create",
  summary: "Create a backup",
  description:
    "Writes a copy of the data directory to one compressed file, with or without a running server. The signing key and secret settings are left out by default. No memory is changed, and calls do not wait.",
  effects: { readOnly: true, destructive: false, idempotent: true },
  input: Fields({
    file: Text({ maxLength: pathMaxCharacters, description: "Path of the new file." }),
    includes_signing_key: Type.Boolean({ description: "Whether the backup contains the signing key." }),
  }),
  output: Fields({ recorded_at: Timestamp({ description: "When the backup was recorded." }) }),

  async apply({ audit }, _input, { now }) {
    // A person who verifies the backup with the public key alone finds a signature on each chain.
    await audit.signDueCheckpoints(now);
    return { data: { recorded_at: toTimestamp(now) } };
  },
});
