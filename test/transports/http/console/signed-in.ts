// Signs people in to the console of a test server, and sends what their browsers would send.

import { createSignInLink } from "../../../../src/calls/operations/access/session-operations.ts";
import type { SignedInWithToken } from "../../../../src/transports/http/console/session-routes.ts";
import { type CallOptions, type Reply, type TestApp, toReply } from "../../../fixture.ts";

export interface Browser {
  /** As the header Cookie has it. */
  readonly cookie: string;
  readonly session: SignedInWithToken;
  /** Sends a request as a page of the console does. A header that is an empty text is left out. */
  send(method: string, path: string, options?: Omit<CallOptions, "key">): Promise<Reply>;
}

export const sessionPath = "/console/api/session";

/** What signing in needs of a server. */
type SignInServer = Pick<TestApp, "url" | "administer">;

export async function newLink(app: SignInServer): Promise<string> {
  return String((await app.administer(createSignInLink, {})).secret);
}

/** Sends a request without an API key. A header that is an empty text is left out. */
export async function request(
  app: Pick<TestApp, "url">,
  method: string,
  path: string,
  { body, headers = {} }: Omit<CallOptions, "key"> = {},
): Promise<Reply> {
  const json = body === undefined ? {} : { "Content-Type": "application/json" };
  const sent = Object.entries({ ...json, ...headers }).filter(([, value]) => value !== "");
  const response = await fetch(app.url + path, {
    method,
    headers: Object.fromEntries(sent),
    redirect: "manual",
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  return toReply(response.status, response.headers, await response.text());
}

/** @param proof null: a new sign-in link */
export async function signIn(
  app: SignInServer,
  proof: { readonly link: string } | { readonly key: string } | null = null,
  headers: Readonly<Record<string, string>> = {},
): Promise<Browser> {
  const body = proof ?? { link: await newLink(app) };
  const reply = await request(app, "POST", sessionPath, { body, headers });
  if (reply.status !== 201) throw new Error(`nobody was signed in: ${reply.text}`);
  const cookie = cookieOf(reply);
  const session = reply.data as unknown as SignedInWithToken;
  return {
    cookie,
    session,
    send: (method, path, options = {}) =>
      request(app, method, path, {
        ...options,
        headers: {
          Cookie: cookie,
          Origin: app.url,
          "Sec-Fetch-Site": "same-origin",
          "Memledger-Request-Token": session.request_token,
          ...options.headers,
        },
      }),
  };
}

/** What the browser keeps of Set-Cookie. */
export function cookieOf({ headers }: Pick<Reply, "headers">): string {
  const [cookie = ""] = headers.getSetCookie();
  return cookie.split(";")[0] ?? "";
}
