// Owns how a listening server ends: it takes nothing new, lets running requests finish, and cuts off those that take too long.

/** Resolves when no connection is left. */
export async function stopServer(server: Bun.Server<unknown>, graceMs: number): Promise<void> {
  const late = setTimeout(() => void server.stop(true), graceMs);
  await server.stop();
  clearTimeout(late);
}
