// Owns the address of a sign-in link. The secret is in its fragment, which browsers never send: no proxy and no log sees it.

/** The address of the view "sign-in" (console/addresses.ts), which only the routes of the pages may import. */
export const signInPath = "/console/sign-in";

/** @param url of the server, without a slash at the end */
export function signInAddress(url: string, secret: string): string {
  const server = new URL(url);
  // A server that listens on all addresses is asked by the one of this machine.
  if (server.hostname === "0.0.0.0" || server.hostname === "[::]") server.hostname = "localhost";
  return `${server.origin}${signInPath}#${secret}`;
}
