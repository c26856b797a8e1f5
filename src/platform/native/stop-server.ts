// Owns the shutdown of a listening server: it accepts no new requests, waits for running ones, and closes them after a time limit.

/** Resolves when all connections are closed. */
export async function stopServer(server: Bun.Server<unknown>, graceMs: number): Promise<void> {
  const late = setTimeout(() => void server.stop(true), graceMs);
  await server.stop();
  clearTimeout(late);
}
