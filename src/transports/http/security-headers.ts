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

/** A browser would apply it to every other server on localhost. */
const localName = /^(?:[^:]+\.)?localhost(?::|$)/i;

/**
 * @param requiresHttps whether browsers must not call the host without TLS again, unless they call it localhost
 * @returns a function that adds the headers to an answer
 */
export function createSecurityHeaders(
  requiresHttps: boolean,
): (request: Request, response: Response) => void {
  const usual = Object.entries(headers);
  const withHttpsOnly = Object.entries({ ...headers, ...httpsOnly });
  return (request, response) => {
    const isLocal = !requiresHttps || localName.test(request.headers.get("host") ?? "");
    for (const [name, value] of isLocal ? usual : withHttpsOnly) {
      if (!response.headers.has(name)) response.headers.set(name, value);
    }
  };
}
