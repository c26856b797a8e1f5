// Owns how browsers get the console: the page under each address of its table, and the files that the page loads. Everything is the same
// for everyone, so nobody has to be signed in to load it; what it shows comes from calls. Must never answer data.

import { type Address, addresses } from "../../../console/addresses.ts";
import { Refusal } from "../../../platform/errors.ts";
import type { Handler } from "../handler.ts";
import { assetsPath } from "./console-build.ts";
import {
  type ConsoleFile,
  consoleFiles,
  licenceName,
  noticesName,
  verifierFileName,
  verifierName,
} from "./console-files.ts";
import { chooseCoding } from "./content-coding.ts";

/**
 * Of every file, because a worker has the policy of its own script. No script and no style may be inline. Styles that scripts set through
 * the CSSOM are no inline styles.
 */
export const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

const start = "/console/";
const pageName = "index.html";
/** Files with an address of their own, whose names have no hash of their content. */
const unhashed = [pageName, verifierName, licenceName, noticesName];

export interface ConsolePages {
  readonly routes: readonly [path: string, handler: Handler][];
  /** For a path that is no route: the page, which says so, to a browser that asked for one below /console/; otherwise null. */
  readonly notFound: (request: Request) => Promise<Response> | null;
}

/** Of a server without the console. */
export const noPages: ConsolePages = { routes: [], notFound: () => null };

export function createConsolePages(): ConsolePages {
  const files = once(consoleFiles);
  const page = async (request: Request, status = 200) => {
    const file = (await files()).get(pageName);
    if (file === undefined) throw new Error("the console has no page");
    return send(file, request, { status, caching: "no-cache" });
  };
  const asset: Handler = async ({ request, path }) => {
    const name = path.slice(assetsPath.length);
    const file = unhashed.includes(name) ? undefined : (await files()).get(name);
    if (file === undefined)
      throw new Refusal(
        1404,
        "The console has no such file. Load the page again: it may be of another version.",
      );
    return send(file, request, { status: 200, caching: "public, max-age=31536000, immutable" });
  };
  const verifier: Handler = async ({ request }) => {
    const file = (await files()).get(verifierName);
    if (file === undefined) throw new Error("the console has no page to save");
    const response = await send(file, request, { status: 200, caching: "no-cache" });
    response.headers.set("Content-Disposition", `attachment; filename="${verifierFileName}"`);
    return response;
  };
  const text = (name: string): [path: string, handler: Handler] => [
    `${start}${name}`,
    async ({ request }) => {
      const file = (await files()).get(name);
      if (file !== undefined) return send(file, request, { status: 200, caching: "no-cache" });
      throw new Refusal(
        1404,
        "This server runs from source, so it has no list of its components. Their licences are in the folder of each package.",
      );
    },
  ];
  const paths = Object.values<Address>(addresses).map(({ path }) => path);
  return {
    routes: [
      ["/", ({ request }) => fromRoot(request)],
      [start.slice(0, -1), () => redirect(308)],
      ...paths.map((path): [string, Handler] => [path, ({ request }) => page(request)]),
      [`${start}${verifierName}`, verifier],
      text(licenceName),
      text(noticesName),
      [`${assetsPath}:name`, asset],
    ],
    notFound: (request) =>
      isRead(request) && wantsPage(request) && new URL(request.url).pathname.startsWith(start)
        ? page(request, 404)
        : null,
  };
}

/** Only browsers are led to the console; a program that asks for `/` has the wrong address. */
function fromRoot(request: Request): Response {
  if (wantsPage(request)) return redirect(302);
  throw new Refusal(1404, "Route not found. All routes of the API are listed at /docs.");
}

function isRead({ method }: Request): boolean {
  return method === "GET" || method === "HEAD";
}

function wantsPage({ headers }: Request): boolean {
  return /\btext\/html\b/i.test(headers.get("accept") ?? "");
}

function redirect(status: 302 | 308): Response {
  return new Response(null, {
    status,
    headers: { Location: start, "Cache-Control": "no-cache", Vary: "Accept" },
  });
}

interface Sending {
  readonly status: number;
  /** The header Cache-Control. */
  readonly caching: string;
}

async function send(file: ConsoleFile, request: Request, { status, caching }: Sending): Promise<Response> {
  const coding = chooseCoding(request.headers.get("accept-encoding"));
  const bytes = await file.read(coding);
  const tag = `"${Bun.hash(bytes).toString(36)}"`;
  const headers: Record<string, string> = {
    "Content-Security-Policy": contentSecurityPolicy,
    "Cache-Control": caching,
    ETag: tag,
    Vary: "Accept-Encoding",
    // The policy does not cover DNS, and browsers may resolve the host names of links in advance.
    "X-DNS-Prefetch-Control": "off",
  };
  if (status === 200 && isAmong(tag, request.headers.get("if-none-match")))
    return new Response(null, { status: 304, headers });
  headers["Content-Type"] = file.type;
  if (coding !== "identity") headers["Content-Encoding"] = coding;
  return new Response(bytes, { status, headers });
}

/** RFC 9110, section 13.1.2: weak comparison. */
function isAmong(tag: string, list: string | null): boolean {
  return (list ?? "")
    .split(",")
    .some((each) => each.trim().replace(/^W\//, "") === tag || each.trim() === "*");
}

/** Computes the value at the first call and keeps it, unless it fails. */
function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | null = null;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = null;
      throw error;
    });
    return made;
  };
}
