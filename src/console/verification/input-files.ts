// Owns finding out what dropped files are: the export, its manifest, a receipt of a record, public keys, statements about changes of the key, checkpoints,
// a policy. Decides by their beginning, because people rename files.

import type { SuppliedFile } from "../../audit/verify/evidence.ts";
import { tlogProofHeading } from "../../audit/verify/receipts/tlog-proof.ts";
import { beginningBytes, evidenceMaxBytes } from "./limits.ts";

export interface InputFiles {
  readonly exports: readonly File[];
  readonly receipts: readonly File[];
  /** Texts. */
  readonly manifests: readonly SuppliedFile[];
  readonly publicKeys: readonly SuppliedFile[];
  readonly rotations: readonly SuppliedFile[];
  readonly checkpoints: readonly SuppliedFile[];
  readonly policies: readonly SuppliedFile[];
  /** Why files cannot be used. */
  readonly refused: readonly string[];
}

type Kind = Exclude<keyof InputFiles, "refused">;

export async function sortFiles(files: Iterable<File>): Promise<InputFiles> {
  const exports: File[] = [];
  const receipts: File[] = [];
  const refused: string[] = [];
  const texts: Record<Exclude<Kind, "exports" | "receipts">, SuppliedFile[]> = {
    manifests: [],
    publicKeys: [],
    rotations: [],
    checkpoints: [],
    policies: [],
  };
  for (const file of files) {
    try {
      const kind = kindOf(await textOf(file.slice(0, beginningBytes)));
      if (kind === "exports") exports.push(file);
      else if (kind === "receipts") receipts.push(file);
      else if (file.size > evidenceMaxBytes) refused.push(`${file.name} is too large for what it is.`);
      else texts[kind].push({ name: file.name, text: await textOf(file) });
    } catch {
      refused.push(`${file.name} cannot be read. Choose the file again.`);
    }
  }
  return { exports, receipts, ...texts, refused };
}

/** All characters of a file: `Blob.text` drops a byte order mark, and a signed text has none. */
async function textOf(file: Blob): Promise<string> {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(await file.arrayBuffer());
}

/** A file that begins as nothing else is taken for an export: the checks say what it is not. */
export function kindOf(beginning: string): Kind {
  const text = beginning.replace(/^\ufeff/, "").trimStart();
  if (text.startsWith(tlogProofHeading)) return "receipts";
  if (text.startsWith("memledger-export/")) return "manifests";
  if (text.startsWith("memledger-rotation/")) return "rotations";
  if (text.startsWith("memledger+")) return "publicKeys";
  if (text.startsWith("memledger/") || text.startsWith("{")) return "checkpoints";
  if (/^(#|(log|witness|group|quorum)[ \t])/.test(text)) return "policies";
  return "exports";
}
