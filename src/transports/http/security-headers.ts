// Owns the headers that tell browsers how to treat every answer: as data, which no page may embed, and which tells no other server where a
// user was. Must never replace a header that the answer has: the page /docs has a policy of its own.

const headers: Readonly<Record<string, string>> = {
  "X-Content-Type-Options": "nosniff",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  // For browsers that do not know frame-ancestors.
  "X-Frame-Options": "DENY",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Cross-Origin-Opener-Policy": "same-origin",
};

/** RFC 6797: a browser uses https only for this host, for a year after each answer. Names below it may belong to others. */
const httpsOnly = { "Strict-Transport-Security": "max-age=31536000" };

/**
 * @param requiresHttps whether browsers must not call the host without TLS again. A server for this machine must not say so: browsers would
 * apply it to every other server on localhost.
 * @returns a function that adds the headers to an answer
 */
export function createSecurityHeaders(requiresHttps: boolean): (response: Response) => void {
  const added = Object.entries(requiresHttps ? { ...headers, ...httpsOnly } : headers);
  return (response) => {
    for (const [name, value] of added) if (!response.headers.has(name)) response.headers.set(name, value);
  };
}
