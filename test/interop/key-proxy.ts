// A proxy on 127.0.0.1 that adds the API key to every request, for programs that can send no header. It passes everything else on as
// it is, Host and Origin included, because the server has to judge them. Must never be part of the product.

export interface KeyProxy {
  readonly url: string;
  stop(): Promise<void>;
}

/** @param target base URL of the server */
export function startKeyProxy(target: string, apiKey: string): KeyProxy {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    // Streams stay open for as long as the client listens.
    idleTimeout: 0,
    async fetch(request) {
      const { pathname, search, host } = new URL(request.url);
      const headers = new Headers(request.headers);
      headers.set("Authorization", `Bearer ${apiKey}`);
      // The client means this proxy's port; any other Host is an attack that the server has to refuse.
      if (headers.get("Host") === host && host === own()) headers.set("Host", new URL(target).host);
      return fetch(`${target}${pathname}${search}`, {
        method: request.method,
        headers,
        body: request.body,
        redirect: "manual",
        decompress: false,
        signal: request.signal,
      });
    },
  });
  const own = () => `127.0.0.1:${server.port}`;
  return { url: `http://${own()}`, stop: () => server.stop(true) };
}
