// Owns the files of a witness: its key, its verifier key with its name, and its database. Must never make a second key for states that another key
// has cosigned.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { runtimeCryptography } from "../../audit/runtime-cryptography.ts";
import { createSigningKey } from "../../audit/signed-note.ts";
import { type Cosigner, createCosigner } from "../../audit/witness/cosigner.ts";
import { parseVerifierKeyOf } from "../../audit/witness/verifier-key.ts";
import { makeFolder, writeWhole } from "../../platform/files/durable.ts";
import { readRegularText } from "../../platform/files/regular-file.ts";
import { evidenceFileMaxBytes } from "../../platform/limits.ts";
import { locate } from "../data-directory/data-directory.ts";

export interface WitnessDirectory {
  readonly cosigner: Cosigner;
  readonly database: string;
  /** Folder of the unpacked native libraries. */
  readonly runtime: string;
}

const defaultName = "memledger-witness";

/**
 * Creates the folder and the key at the first start.
 * @param name of the key; null: the one that it has
 * @throws Error that says what to do
 */
export function openWitnessDirectory(root: string, name: string | null): WitnessDirectory {
  const [key, publicKey, database] = ["witness.key", "witness.pub", "witness.db"].map((file) =>
    join(root, file),
  ) as [string, string, string];
  if (existsSync(locate(root).database))
    throw new Error(
      `${root} is the data directory of a memledger server. A witness needs a folder of its own, on another machine: name it with --data-dir.`,
    );
  makeFolder(root);
  if (!existsSync(key)) {
    if (existsSync(database) || existsSync(publicKey))
      throw new Error(
        `${key} is missing. Put the file back from your copy, or begin with an empty folder: a new key is another witness.`,
      );
    writeWhole(key, createSigningKey());
  }
  const known = existsSync(publicKey)
    ? parseVerifierKeyOf(readRegularText(publicKey, evidenceFileMaxBytes).trim(), runtimeCryptography)
    : null;
  const cosigner = createCosigner(
    name ?? known?.name ?? defaultName,
    readRegularText(key, evidenceFileMaxBytes),
  );
  const { text } = cosigner.verifierKey;
  if (known !== null && known.text !== text)
    throw new Error(
      `${publicKey} has the verifier key ${known.text}, but the key and the name now give ${text}. Start the witness without --name, or begin with an empty folder.`,
    );
  if (known === null) writeWhole(publicKey, `${text}\n`);
  return { cosigner, database, runtime: join(root, "runtime") };
}
