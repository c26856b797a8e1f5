// Reads what strace wrote about a server: what it did to the files of one folder, and when it answered. Must never skip a change that
// it does not understand: such a trace is refused.

/** In the order in which the kernel saw them. `thread` is that of the call. */
export type TraceEvent =
  | { readonly kind: "write"; readonly path: string; readonly offset: number; readonly bytes: Uint8Array }
  | { readonly kind: "truncate"; readonly path: string; readonly size: number }
  /** O_CREAT: it may have existed. */
  | { readonly kind: "create"; readonly path: string }
  | { readonly kind: "folder"; readonly path: string }
  | { readonly kind: "unlink"; readonly path: string }
  | { readonly kind: "rename"; readonly from: string; readonly to: string }
  /** A second name of the same file. */
  | { readonly kind: "link"; readonly from: string; readonly to: string }
  /** What was written before the start of a sync is on the disk at its end. */
  | { readonly kind: "syncStart" | "syncEnd"; readonly path: string; readonly thread: string }
  /** The server has read a request that names this call on the connection. */
  | { readonly kind: "request"; readonly socket: string; readonly call: number }
  /** From here on the client may know. */
  | { readonly kind: "answer"; readonly socket: string; readonly status: number }
  | { readonly kind: "ready" };

const traced =
  "openat,open,creat,write,pwrite64,writev,pwritev,pwritev2,fsync,fdatasync,sync_file_range,ftruncate,truncate,fallocate,rename,renameat,renameat2,link,linkat,unlink,unlinkat,mkdir,mkdirat,sendto,sendmsg,recvfrom,recvmsg,sendfile,copy_file_range";

/** Words before the command to trace; strace detaches itself, so that the process which is started is the server. */
export function tracer(file: string): readonly string[] {
  return [...["strace", "-D", "-f", "-y", "-xx", "-s", "1000000", "-e", `trace=${traced}`], ...["-o", file]];
}

/** Files that hold nothing to lose: rebuilt or empty. */
const ignored = /-shm$|\.sock$|\.lock$|\/runtime(\/|$)/;

/** @param folder only changes of it and below are told. */
export function parseTrace(text: string, folder: string): TraceEvent[] {
  const events: TraceEvent[] = [];
  const unfinished = new Map<string, string>();
  const positions = new Map<string, number>();
  const concerns = (path: string) =>
    (path === folder || path.startsWith(`${folder}/`)) && !ignored.test(path) && !path.endsWith(" (deleted)");
  for (const line of text.split("\n")) {
    const [, thread, rest] = /^(\d+) +(.*)$/s.exec(line) ?? [];
    if (thread === undefined || rest === undefined || /^(\+\+\+|---)/.test(rest)) continue;
    if (rest.endsWith("<unfinished ...>")) {
      const begun = rest.slice(0, -"<unfinished ...>".length).trimEnd();
      unfinished.set(thread, begun);
      const path = /^fd?a?t?a?sync\(\d+<([^>]*)>/.exec(begun)?.[1];
      if (path !== undefined && concerns(decode(path)))
        events.push({ kind: "syncStart", path: decode(path), thread });
      else if (/^(sendto|pwrite64|write)\(/.test(begun)) push(begun, null, thread);
      continue;
    }
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/s.exec(rest)?.[1];
    const whole = resumed === undefined ? rest : `${unfinished.get(thread) ?? ""}${resumed}`;
    const [, call, result] = /^(.*)\) += (-?\d+|\?)[^"]*$/s.exec(whole) ?? [];
    if (call === undefined || result === undefined) continue;
    const isSync = /^f(data)?sync\(/.test(call);
    if (isSync && resumed === undefined) push(call, null, thread);
    if (resumed !== undefined && /^(sendto|pwrite64|write)\(/.test(call)) continue;
    if (!result.startsWith("-")) push(call.trimEnd(), result, thread);
  }
  return events;

  /** `result` is null where the call has only begun. */
  function push(call: string, result: string | null, thread: string): void {
    const name = call.slice(0, call.indexOf("("));
    const path = decode(/^\w+\(\d+<([^>]*)>/.exec(call)?.[1] ?? "");
    switch (name) {
      case "fsync":
      case "fdatasync":
        if (concerns(path)) events.push({ kind: result === null ? "syncStart" : "syncEnd", path, thread });
        return;
      case "pwrite64":
        if (concerns(path)) {
          const offset = Number(/, (\d+)$/.exec(call)?.[1]);
          events.push({ kind: "write", path, offset, bytes: bytesOf(call) });
        }
        return;
      case "write":
        if (concerns(path)) {
          const bytes = bytesOf(call);
          const handle = call.slice(0, call.indexOf(">"));
          const offset = positions.get(handle) ?? 0;
          positions.set(handle, offset + bytes.length);
          events.push({ kind: "write", path, offset, bytes });
        }
        return;
      case "ftruncate":
        if (concerns(path)) events.push({ kind: "truncate", path, size: Number(/, (\d+)$/.exec(call)?.[1]) });
        return;
      case "openat": {
        if (!call.includes("O_CREAT") && !call.includes("O_TRUNC")) return;
        const opened = decode(/, "([^"]*)"/.exec(call)?.[1] ?? "");
        if (!concerns(opened)) return;
        events.push({ kind: "create", path: opened });
        if (call.includes("O_TRUNC")) events.push({ kind: "truncate", path: opened, size: 0 });
        const start = call.includes("O_APPEND") ? Number.POSITIVE_INFINITY : 0;
        positions.set(`write(${result}<${hexOf(opened)}`, start);
        return;
      }
      case "mkdir":
      case "mkdirat":
      case "unlink":
      case "unlinkat": {
        const named = namesOf(call).at(0) ?? "";
        if (concerns(named))
          events.push({ kind: name.startsWith("mkdir") ? "folder" : "unlink", path: named });
        return;
      }
      case "link":
      case "linkat": {
        const [from = "", to = ""] = namesOf(call);
        if (concerns(from) || concerns(to)) events.push({ kind: "link", from, to });
        return;
      }
      case "rename":
      case "renameat":
      case "renameat2": {
        const [from = "", to = ""] = namesOf(call);
        if (concerns(from) || concerns(to)) events.push({ kind: "rename", from, to });
        return;
      }
      case "recvfrom": {
        const found = /x-audit-metadata: *\{"call":(\d+)\}/i.exec(textOf(call))?.[1];
        if (found !== undefined) events.push({ kind: "request", socket: path, call: Number(found) });
        return;
      }
      case "sendto": {
        const sent = textOf(call);
        const status = /^HTTP\/1\.1 (\d+)/.exec(sent)?.[1];
        if (status !== undefined) events.push({ kind: "answer", socket: path, status: Number(status) });
        if (sent.startsWith('{"event":"ready"')) events.push({ kind: "ready" });
        return;
      }
      default:
        if ([path, ...namesOf(call)].some(concerns)) throw new Error(`the explorer does not know ${name}`);
    }
  }
}

function bytesOf(call: string): Uint8Array {
  const start = call.indexOf('"') + 1;
  const end = call.indexOf('"', start);
  if (call.startsWith("...", end + 1)) throw new Error("the trace has cut a write short");
  return Buffer.from(call.slice(start, end).replaceAll("\\x", ""), "hex");
}

function textOf(call: string): string {
  return call.includes('"') ? new TextDecoder("latin1").decode(bytesOf(call)) : "";
}

function namesOf(call: string): string[] {
  return [...call.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g)].map(([, name]) => decode(name ?? ""));
}

function decode(name: string): string {
  return name.includes("\\x") ? Buffer.from(name.replaceAll("\\x", ""), "hex").toString() : name;
}

function hexOf(name: string): string {
  return [...Buffer.from(name)].map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("");
}
