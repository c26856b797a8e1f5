// Reads what a data directory stores, for tests of erasures. Must never miss a file.

import { Database } from "bun:sqlite";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** The bytes of every file of the data directory, with the frames of zstd decompressed. */
export function everythingStored(dataDir: string): string {
  // The backup that a migration makes is a copy, which the operator removes.
  const files = readdirSync(dataDir, { recursive: true })
    .map((name) => join(dataDir, String(name)))
    .filter((file) => statSync(file).isFile() && !file.includes("before-migration"));
  const bytes = files.map((file) => readFileSync(file));
  const frame = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
  const texts = bytes.map((each) => each.toString("latin1"));
  for (const each of bytes)
    for (let at = each.indexOf(frame); at !== -1; at = each.indexOf(frame, at + 1)) {
      try {
        texts.push(Buffer.from(Bun.zstdDecompressSync(each.subarray(at))).toString());
      } catch {
        // No frame, or one over several pages: payloadsIn reads these.
      }
    }
  return texts.join("\n");
}

/** The texts of all payloads, which may be over several pages. */
export function payloadsIn(dataDir: string): string {
  using database = new Database(join(dataDir, "memledger.db"), { readonly: true });
  const rows = database.query("SELECT text FROM audit_payload").values();
  return rows
    .map(([text]) => Buffer.from(Bun.zstdDecompressSync(text as Uint8Array<ArrayBuffer>)).toString())
    .join("\n");
}
