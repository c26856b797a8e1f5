// Owns the kinds of settings that are lists: in memledger.toml also an array, elsewhere separated by commas. Must never read a file or the
// environment.

import { isIP } from "node:net";
import { resolve } from "node:path";
import { parseWitness } from "../../audit/witness/witness.ts";
import { parseKeep } from "../depositing/keep-setting.ts";
import { type Naming, type Setting, setting } from "./setting.ts";

/** Addresses or networks. */
export function networks(naming: Naming): Setting<readonly string[]> {
  return list(naming, "comma-separated addresses or networks, such as 127.0.0.1,10.0.0.0/8", isNetwork);
}

/** Host names or addresses, without ports. */
export function hosts(naming: Naming): Setting<readonly string[]> {
  return list(
    naming,
    "comma-separated host names without ports, such as memory.example.com,[fd00::1]",
    isHost,
  );
}

/** Origins, as browsers send them. */
export function origins(naming: Naming): Setting<readonly string[]> {
  return list(naming, "comma-separated origins, such as https://chat.example.com", isOrigin);
}

/** Witnesses of checkpoints. */
export function witnesses(naming: Naming): Setting<readonly string[]> {
  return list(
    naming,
    "comma-separated witnesses, each an http or https URL, a space and a verifier key with the type of a cosignature",
    (part) => parseWitness(part) !== null,
  );
}

/** Where the records of the ledger are kept. Relative paths are relative to the base of the source. */
export function destinations(naming: Naming): Setting<readonly string[]> {
  const texts = list(
    naming,
    "comma-separated destinations, each the path of a folder that begins with / or ./, s3://BUCKET/PREFIX, or command: and a program with arguments",
    (part) => parseKeep(part) !== null,
  );
  const isFolder = (part: string) => parseKeep(part)?.kind === "folder";
  const read: typeof texts.read = (raw, base) => {
    const parts = texts.read(raw, base);
    return parts?.some(isFolder) === true
      ? parts.map((part) => (isFolder(part) ? resolve(base, part) : part))
      : parts;
  };
  return { ...texts, read };
}

export function list(
  naming: Naming,
  expectation: string,
  isValid: (part: string) => boolean,
  fallback: readonly string[] = [],
): Setting<readonly string[]> {
  return setting<readonly string[]>(naming, fallback, {
    expectation,
    placeholder: "list",
    read: (raw) => {
      const parts = typeof raw === "string" ? raw.split(",").map((part) => part.trim()) : raw;
      if (!Array.isArray(parts)) return undefined;
      return parts.every((part) => typeof part === "string" && isValid(part)) ? parts : undefined;
    },
  });
}

function isHost(text: string): boolean {
  return URL.parse(`http://${text}/`)?.hostname === text.toLowerCase();
}

/** Without a path. Browsers send schemes that they do not know, such as those of extensions, in the same form. */
function isOrigin(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@]+$/i.test(text) && URL.canParse(text);
}

function isNetwork(text: string): boolean {
  const [address = "", prefix = "0", ...rest] = text.split("/");
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  return rest.length === 0 && /^\d{1,3}$/.test(prefix) && Number(prefix) <= bits;
}
