// Owns the messages between a page and the worker that verifies for it, and between this one and the worker that hashes the file.

import type { SuppliedFile } from "../../audit/verify/evidence.ts";
import type { Outcome } from "./outcome.ts";
import type { ExportInput, Progress } from "./verify-export.ts";

/** Where the bytes come from. */
export type ExportSource =
  | { readonly kind: "file"; readonly file: File }
  /** Not an export, but the receipt of a record. */
  | { readonly kind: "receipt"; readonly file: File }
  /** An address of this server. The browser sends its cookie. */
  | { readonly kind: "download"; readonly path: string; readonly headers: Readonly<Record<string, string>> };

export interface VerificationRequest extends Omit<ExportInput, "file" | "fileHash"> {
  readonly source: ExportSource;
  /** Which witnesses suffice for a receipt; null: any that is given. */
  readonly policy: SuppliedFile | null;
}

/** The two ports are connected: the page starts both workers, because a worker of a saved page cannot start another one. */
export type ToWorker =
  | { readonly kind: "verify"; readonly request: VerificationRequest; readonly hasher: MessagePort }
  | { readonly kind: "hash for"; readonly verifier: MessagePort };

/** To the worker that hashes the file. */
export type ToHasher = { readonly kind: "bytes"; readonly bytes: Uint8Array } | { readonly kind: "digest" };

export type FromHasher =
  | { readonly kind: "hashed"; readonly bytes: number }
  | { readonly kind: "digest"; readonly sha256: string };

/** `failed`: the file or the download ended with an error, so there is no verdict. */
export type FromWorker =
  | { readonly kind: "progress"; readonly progress: Progress }
  | { readonly kind: "outcome"; readonly outcome: Outcome }
  | { readonly kind: "failed"; readonly message: string };
