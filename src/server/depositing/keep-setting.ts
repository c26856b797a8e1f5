// Owns the form of the setting `keep`. Must never read a file or the environment.

import { isAbsolute } from "node:path";

export type KeepPlace =
  | { readonly kind: "folder"; readonly path: string }
  /** `prefix`: empty, or ends with a slash. */
  | { readonly kind: "bucket"; readonly bucket: string; readonly prefix: string }
  | { readonly kind: "command"; readonly words: readonly string[] };

/** Null: it is none. */
export function parseKeep(setting: string): KeepPlace | null {
  const command = /^command:(.*)$/s.exec(setting)?.[1];
  if (command !== undefined) {
    const words = command.split(/\s+/).filter((word) => word !== "");
    return words.length === 0 ? null : { kind: "command", words };
  }
  const [, bucket, path = ""] =
    /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([A-Za-z0-9!_.*'()/-]*))?$/.exec(setting) ?? [];
  if (bucket !== undefined) {
    const prefix = path.replace(/\/*$/, "");
    return { kind: "bucket", bucket, prefix: prefix === "" ? "" : `${prefix}/` };
  }
  const isPath = isAbsolute(setting) || /^\.{1,2}\//.test(setting);
  return isPath && !setting.includes("\0") ? { kind: "folder", path: setting } : null;
}
