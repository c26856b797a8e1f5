// Owns the pages that explain the API: /openapi.json and /docs, and how pages of the documentation are sent. They load nothing from other servers.

import { apiReferenceScript } from "../../../platform/native/assets.ts";
import { version } from "../../../platform/version.ts";
import type { Handler } from "../handler.ts";
import { openApiDocument } from "./openapi.ts";

const scriptPath = "/docs/reference.js";

/** The page may load from this server only; Scalar sets styles from its script. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Everything that sends requests to other servers, or links to them, is switched off. */
const scalarConfiguration = {
  url: "/openapi.json",
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: "never",
  defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
};

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>memledger API</title>
    <link rel="icon" href="data:,">
  </head>
  <body>
    <a href="/docs/handbook">Handbook</a>
    <noscript>This page needs JavaScript. The API is described in <a href="/openapi.json">/openapi.json</a>.</noscript>
    <script id="api-reference" data-configuration='${JSON.stringify(scalarConfiguration)}'></script>
    <script src="${scriptPath}?v=${version}"></script>
  </body>
</html>
`;

export function docsRoutes(): [path: string, handler: Handler][] {
  const document = once(() => JSON.stringify(openApiDocument(), null, 2));
  const script = once(apiReferenceScript);
  return [
    ["/docs", () => respondWithPage(page)],
    ["/openapi.json", () => respond(document(), "application/json")],
    [
      scriptPath,
      async () =>
        respond(await script(), "text/javascript; charset=utf-8", {
          "Content-Encoding": "gzip",
          "Cache-Control": "public, max-age=86400",
        }),
    ],
  ];
}

export function respondWithPage(html: string): Response {
  return respond(html, "text/html; charset=utf-8", {
    "Content-Security-Policy": contentSecurityPolicy,
    // The policy does not cover DNS, and browsers may resolve the host names of links in advance.
    "X-DNS-Prefetch-Control": "off",
  });
}

/** Computes the value at the first call, and keeps it. */
function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function respond(
  body: string | Uint8Array<ArrayBuffer>,
  type: string,
  headers: Record<string, string> = {},
): Response {
  return new Response(body, {
    headers: {
      "Content-Type": type,
      "Cache-Control": "no-cache",
      "X-Content-Type-Options": "nosniff",
      "Referrer-Policy": "no-referrer",
      ...headers,
    },
  });
}
