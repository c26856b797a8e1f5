// Decides whether a system call could take something off this machine, look something up, or leave something behind.
// A call that it does not know is a fault: silence must mean that everything was judged.

import { resolve } from "node:path";
import { parseSystemCalls, type SystemCall } from "./system-calls.ts";

export interface Limits {
  /** The working directory of the program. */
  readonly folder: string;
  /** Files and folders that may be changed, with everything below. */
  readonly writable: readonly string[];
  /** Folders in which nothing may even be looked at: the home directory, the folder for temporary files. */
  readonly untouched: readonly string[];
  /** Ports on the loopback interface that the user named. */
  readonly ports: readonly number[];
  /** The program itself. */
  readonly executable: string;
  /** Whether the command starts the program once more, in the background. */
  readonly startsItself?: boolean;
}

/** @returns what is wrong, each once, with the first system call that shows it; [] when nothing is */
export function judge(trace: string, limits: Limits): string[] {
  const faults = new Map<string, string>();
  for (const call of parseSystemCalls(trace, limits.folder)) {
    const fault = judgeCall(call, limits);
    if (fault !== null && !faults.has(fault)) faults.set(fault, `${fault}: ${call.text}`);
  }
  return [...faults.values()];
}

/** They name a file and change nothing. */
const looks = new Set(
  [
    "access faccessat faccessat2 stat lstat stat64 lstat64 newfstatat fstatat64 statx statfs statfs64 readlink readlinkat getcwd",
    "getxattr lgetxattr listxattr llistxattr inotify_add_watch name_to_handle_at utimensat_time64",
  ].flatMap((names) => names.split(" ")),
);
const changes = new Set(
  [
    "creat mkdir mkdirat mknod mknodat rmdir unlink unlinkat rename renameat renameat2 link linkat symlink symlinkat truncate",
    "truncate64 chmod fchmod fchmodat fchmodat2 chown lchown fchown fchownat utime utimes utimensat futimesat setxattr lsetxattr",
    "removexattr lremovexattr",
  ].flatMap((names) => names.split(" ")),
);
/** They name no address, or one that was judged when the socket was connected or bound; sendfile moves between open files. */
const onSockets = new Set(
  [
    "socketpair listen accept accept4 shutdown getsockname getpeername getsockopt setsockopt recv recvfrom recvmsg recvmmsg",
    "recvmmsg_time64 sendfile sendfile64",
  ].flatMap((names) => names.split(" ")),
);
const starts = new Set(["fork", "vfork", "clone", "clone3"]);
const toAddresses = new Set(["connect", "bind", "sendto", "sendmsg", "sendmmsg"]);

/** @returns what is wrong with a system call, null when nothing is */
function judgeCall(call: SystemCall, limits: Limits): string | null {
  const { name, text, paths } = call;
  if (onSockets.has(name)) return null;
  if (name === "socket") return judgeSocket(text);
  if (toAddresses.has(name)) return judgeAddress(call, limits);
  // A process of its own, even one that runs no other program: the crash handler of Bun forks.
  if (starts.has(name))
    return text.includes("CLONE_THREAD") || limits.startsItself === true ? null : "starts a process";
  if (name === "execve") return judgeProgram(paths, limits);
  // The process in the background must not keep the working directory of its client. Relative paths are judged as in that directory.
  if (name === "chdir" && limits.startsItself === true && paths.every(isBelow(limits.writable))) return null;
  if (name === "open" || name === "openat" || name === "openat2") {
    const writes = /\bO_(WRONLY|RDWR|CREAT|TRUNC|TMPFILE)\b/.test(text);
    return (writes ? judgeChange(paths, limits) : null) ?? judgeLook(paths, limits);
  }
  if (looks.has(name)) return judgeLook(paths, limits);
  if (changes.has(name)) {
    const target = name === "fchmod" || name === "fchown" ? descriptor(text) : paths;
    return judgeChange(target, limits);
  }
  return `makes the system call ${name}, which this proof does not know`;
}

function judgeSocket(text: string): string | null {
  const [, family = "?", type = "?"] = /^socket\((\w+), (\w+)/.exec(text) ?? [];
  if (family === "AF_UNIX") return null;
  const isInternet = family === "AF_INET" || family === "AF_INET6";
  if (isInternet && type === "SOCK_STREAM") return null;
  // Look-ups of names use datagrams, and a netlink socket tells interfaces and routes.
  return `opens a ${type} socket of the family ${family}`;
}

function judgeAddress({ name, text }: SystemCall, limits: Limits): string | null {
  const [, family] = /sa_family=(\w+)/.exec(text) ?? [];
  // Sent over a socket that was connected or accepted before.
  if (family === undefined)
    return name === "connect" || name === "bind" ? `${name} without an address` : null;
  if (family === "AF_UNIX") {
    const [, path] = /sun_path="([^"]*)"/.exec(text) ?? [];
    const isOwn = path !== undefined && isBelow(limits.writable)(resolve(limits.folder, path));
    return isOwn ? null : `${name} to a Unix socket that is not the program's own`;
  }
  const address = /inet_addr\("([^"]*)"\)|inet_pton\(AF_INET6, "([^"]*)"/.exec(text);
  const host = address?.[1] ?? address?.[2] ?? "?";
  if (!/^127\.\d+\.\d+\.\d+$|^::1$|^::ffff:127\./.test(host)) return `${name} to ${host}`;
  const port = Number(/sin6?_port=htons\((\d+)\)/.exec(text)?.[1]);
  if (name === "bind" || limits.ports.includes(port)) return null;
  return `${name} to port ${port} of this machine, which nobody named`;
}

function judgeProgram(paths: readonly string[], { executable }: Limits): string | null {
  return paths[0] === executable ? null : `starts the program ${paths[0]}`;
}

/** Files that are read to look up names, users or networks, or to recognise the machine. */
const revealing =
  /^\/etc\/(resolv\.conf|hosts|hostname|host\.conf|nsswitch\.conf|gai\.conf|services|protocols|networks|passwd|group|machine-id|os-release)$|\/libnss_|\/libresolv|^\/(var\/)?run\/(nscd|systemd|avahi|dbus)|^\/var\/lib\/(dbus|sss)|^\/sys\/class\/(dmi|net)|^\/proc\/(self\/)?net|^\/proc\/sys\/kernel\/(random\/boot_id|hostname)/;

function judgeLook(paths: readonly string[], { untouched, writable }: Limits): string | null {
  for (const path of paths) {
    if (revealing.test(path)) return `reads ${path}`;
    if (isBelow(untouched)(path) && !isBelow(writable)(path) && !untouched.includes(path))
      return `looks for ${path}`;
  }
  return null;
}

function judgeChange(paths: readonly string[], { writable }: Limits): string | null {
  const outside = paths.find((path) => path !== "/dev/null" && !isBelow(writable)(path));
  return outside === undefined ? null : `changes ${outside}`;
}

function descriptor(text: string): string[] {
  const [, path] = /^\w+\(\d+<([^>]*)>/.exec(text) ?? [];
  return path === undefined ? [] : [path];
}

function isBelow(folders: readonly string[]): (path: string) => boolean {
  return (path) => folders.some((folder) => path === folder || path.startsWith(`${folder}/`));
}
