// Owns the replacement of the listening socket of a server by that of another server on the same port. Bun can do neither half: it cannot
// change the certificate of a server that listens, and a server that is stopped closes its idle connections. Must never close a connection.
//
// Linux only. Elsewhere, and where the system forbids the foreign function interface of Bun (native/telemetry.ts), nothing is replaced, and
// the caller stops the previous server.

import { dlopen, ptr } from "bun:ffi";
import { closeSync, openSync, readdirSync, readFileSync, readlinkSync } from "node:fs";

/** Connections that the system has accepted for the previous socket reach its server within this time. */
const handOverMs = 100;

/**
 * Opens a second listening socket with `open`, which must set SO_REUSEPORT as the first one did, and then closes the first one. No
 * connection is refused meanwhile, and none is closed.
 * @returns what `open` returns, and whether the first socket was closed
 */
export async function replaceListeningSocket<Server>(
  port: number,
  open: () => Server,
): Promise<{ readonly server: Server; readonly isClosed: boolean }> {
  const [previous, ...others] = listeningSockets(port);
  const server = open();
  if (previous === undefined || others.length > 0) return { server, isClosed: false };
  sendConnectionsToSecond(previous);
  await Bun.sleep(handOverMs);
  return { server, isClosed: closeSocket(previous) };
}

/** The descriptors of the sockets of this process that listen on the TCP port; empty on other systems. */
function listeningSockets(port: number): readonly number[] {
  if (process.platform !== "linux") return [];
  try {
    const inodes = new Set(["tcp", "tcp6"].flatMap((table) => listeningInodes(table, port)));
    return readdirSync("/proc/self/fd")
      .map(Number)
      .filter((descriptor) => inodes.has(inodeOf(descriptor)));
  } catch {
    return [];
  }
}

/** proc_net_tcp(5): the columns are slot, local address, remote address, state, queues, timer, retransmissions, user, timeout, inode. */
function listeningInodes(table: string, port: number): string[] {
  const listening = "0A";
  const rows = readFileSync(`/proc/self/net/${table}`, "utf8").trim().split("\n").slice(1);
  return rows.flatMap((row) => {
    const [, local = "", , state, , , , , , inode = ""] = row.trim().split(/\s+/);
    return state === listening && Number.parseInt(local.split(":")[1] ?? "", 16) === port ? [inode] : [];
  });
}

/** Empty for a descriptor that is no socket, or was closed meanwhile. */
function inodeOf(descriptor: number): string {
  try {
    return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/self/fd/${descriptor}`))?.[1] ?? "";
  } catch {
    return "";
  }
}

/**
 * Attaches a filter to the sockets that share the port. Its value is the index of the socket that gets a new connection, in the order in
 * which they were opened (socket(7), SO_ATTACH_REUSEPORT_CBPF). When only one socket is left, the system ignores the value. Without the
 * filter, connections that the system accepts in the last moment for the first socket would be reset.
 */
function sendConnectionsToSecond(descriptor: number): void {
  const [solSocket, attachFilter, returnConstant] = [1, 51, 0x06];
  const instruction = new DataView(new ArrayBuffer(8));
  instruction.setUint16(0, returnConstant, true);
  instruction.setUint32(4, 1, true);
  const filter = new DataView(new ArrayBuffer(16));
  filter.setUint16(0, 1, true);
  try {
    filter.setBigUint64(8, BigInt(ptr(instruction)), true);
    cLibrary().setsockopt(descriptor, solSocket, attachFilter, ptr(filter), filter.byteLength);
  } catch {
    // Without it, a few new connections may be reset.
  }
}

/** Replaces the socket with an empty file under the same number, because Bun closes this number when the server is stopped. */
function closeSocket(descriptor: number): boolean {
  const empty = openSync("/dev/null", "r");
  try {
    return cLibrary().dup2(empty, descriptor) === descriptor;
  } catch {
    return false;
  } finally {
    closeSync(empty);
  }
}

/** @throws Error when the system forbids it */
function cLibrary() {
  return dlopen("libc.so.6", {
    dup2: { args: ["int", "int"], returns: "int" },
    setsockopt: { args: ["int", "int", "int", "ptr", "u32"], returns: "int" },
  }).symbols;
}
