// Owns the address of a request to an upstream. Must never take a host, a path or a key from the request.

import type { UpstreamKind } from "./upstream.ts";

/**
 * @param path that of the API without `/v1`, such as `/chat/completions`
 * @param search the query of the request with its question mark, such as `?beta=true`; "" without one
 */
export function toTargetUrl(
  { baseUrl, kind }: { readonly baseUrl: string; readonly kind: UpstreamKind },
  path: string,
  search: string,
): string {
  const base = baseUrl.replace(/\/{1,8}$/, "");
  // The clients of both providers are configured in this way: with /v1, and without it.
  const version = kind === "anthropic" && !/\/v[0-9]{1,3}$/.test(base) ? "/v1" : "";
  return `${base}${version}${path}${search}`;
}
