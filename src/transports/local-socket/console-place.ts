// Owns what a server says on its local socket about where its console is. Must never answer a secret.

import { isObject, readJson } from "../../platform/json/json.ts";

export const consolePath = "/console";

/** `background`: a background server has no port. `off`: the console is switched off. */
export type ConsolePlace =
  | { readonly url: string }
  | { readonly url: null; readonly because: "background" | "off" };

export function printConsolePlace(place: ConsolePlace): Response {
  return Response.json(place);
}

/** Null: it is the answer of a version without the console. */
export function readConsolePlace(text: string): ConsolePlace | null {
  const place = readJson(text);
  if (!isObject(place)) return null;
  const { url, because } = place;
  if (typeof url === "string") return { url };
  return because === "background" || because === "off" ? { url: null, because } : null;
}
