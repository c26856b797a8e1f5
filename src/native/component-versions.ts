// Owns the versions of what this program consists of. From source nothing is embedded, and only the program and the runtime are known.

import { commit, version } from "../version.ts";
import { type EmbeddedComponents, embedded } from "./embedded.ts";

export interface ComponentVersions {
  readonly version: string;
  readonly commit: string;
  readonly bun: string;
  /** Null: the program runs from source. */
  readonly embedded: EmbeddedVersions | null;
}

interface EmbeddedVersions extends Pick<EmbeddedComponents, "target" | "sqlite" | "packages"> {
  readonly sqlite_vec: string;
  readonly onnxruntime: string;
  readonly model: { readonly id: string; readonly sha256: string };
  readonly api_reference: string;
}

export function componentVersions(): ComponentVersions {
  return { version, commit, bun: Bun.version, embedded: embeddedVersions() };
}

function embeddedVersions(): EmbeddedVersions | null {
  if (embedded === null) return null;
  const { components, model } = embedded;
  return {
    target: components.target,
    sqlite: components.sqlite,
    sqlite_vec: components.sqliteVec,
    onnxruntime: components.onnxRuntime,
    model: { id: model.id, sha256: model.sha256 },
    api_reference: components.apiReference,
    packages: components.packages,
  };
}
