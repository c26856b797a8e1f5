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

interface EmbeddedModel {
  readonly id: string;
  readonly sha256: string;
}

interface EmbeddedVersions extends Pick<EmbeddedComponents, "target" | "sqlite" | "packages"> {
  readonly sqlite_vec: string;
  readonly onnxruntime: string;
  /** The embedding model of new data directories. */
  readonly model: EmbeddedModel;
  /** All embedding models. */
  readonly models: readonly EmbeddedModel[];
  readonly api_reference: string;
}

export function componentVersions(): ComponentVersions {
  return { version, commit, bun: Bun.version, embedded: embeddedVersions() };
}

function embeddedVersions(): EmbeddedVersions | null {
  if (embedded === null) return null;
  const { components, models } = embedded;
  return {
    target: components.target,
    sqlite: components.sqlite,
    sqlite_vec: components.sqliteVec,
    onnxruntime: components.onnxRuntime,
    model: nameModel(models[0]),
    models: models.map(nameModel),
    api_reference: components.apiReference,
    packages: components.packages,
  };
}

function nameModel({ id, sha256 }: EmbeddedModel): EmbeddedModel {
  return { id, sha256 };
}
