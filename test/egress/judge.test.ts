// Tests that the judge of system calls finds what must not happen and accepts what has to: otherwise a silent proof would say nothing.

import { describe, expect, test } from "bun:test";
import { whyNoTrace } from "../crash/record.ts";
import { testWith } from "../needs.ts";
import { judge, type Limits } from "./judge.ts";
import { missedLeaks } from "./leaks.ts";

const limits: Limits = {
  folder: "/box/cwd",
  writable: ["/box/data", "/box/named"],
  untouched: ["/box/home", "/box/tmp", "/box/cwd"],
  ports: [11434],
  executable: "/opt/memledger",
};

const here = "AT_FDCWD</box/cwd>";
const loopback = (port: number) =>
  `{sa_family=AF_INET, sin_port=htons(${port}), sin_addr=inet_addr("127.0.0.1")}, 16`;

describe("accepted", () => {
  test.each([
    `execve("/opt/memledger", ["memledger", "serve"], 0x7ffd /* 3 vars */) = 0`,
    `openat(${here}, "/box/data/memledger.db", O_RDWR|O_CREAT|O_CLOEXEC, 0600) = 9</box/data/memledger.db>`,
    `openat(9</box/data/exports>, "a.csv", O_WRONLY|O_CREAT, 0600) = 10</box/data/exports/a.csv>`,
    `openat(${here}, "../named/a.csv", O_WRONLY|O_CREAT, 0600) = 10</box/named/a.csv>`,
    `openat(${here}, "/dev/null", O_RDWR) = 4</dev/null>`,
    `openat(${here}, "/proc/self/statm", O_RDONLY <unfinished ...>`,
    `openat(${here}, "/box/cwd", O_RDONLY|O_DIRECTORY) = 3</box/cwd>`,
    "clone3({flags=CLONE_VM|CLONE_FS|CLONE_FILES|CLONE_SIGHAND|CLONE_THREAD|CLONE_SYSVSEM, stack_size=0x5ff00}, 88) = 4712",
    `socket(AF_INET, SOCK_STREAM|SOCK_CLOEXEC|SOCK_NONBLOCK, IPPROTO_TCP) = 12<socket:[66008]>`,
    `bind(12<socket:[66008]>, ${loopback(0)}) = 0`,
    `bind(13<socket:[66012]>, {sa_family=AF_UNIX, sun_path="/box/data/memledger.sock"}, 110) = 0`,
    `connect(13<socket:[66012]>, ${loopback(11434)}) = -1 EINPROGRESS (Operation now in progress)`,
    `sendto(14<socket:[67755]>, "HTTP/1.1 200 OK\\r\\nsa=1 \\"/etc/hosts\\""..., 1151, MSG_NOSIGNAL, NULL, 0) = 1151`,
    `sendfile(14<socket:[67755]>, 33</box/data/exports/a.csv>, [0] => [1158946], 1158946) = 1158946`,
    `accept4(12<socket:[66008]>, ${loopback(34567)}, SOCK_CLOEXEC) = 14<socket:[67755]>`,
  ])("%s", (call) => {
    expect(judge(`4711  ${call}\n`, limits)).toEqual([]);
  });
});

test("a command that starts itself in the background may start a process, but no other program", () => {
  const start = '4711  vfork() = 4712\n4712  execve("/opt/memledger", ["memledger"], 0x7ffd) = 0\n';
  expect(judge(start, { ...limits, startsItself: true })).toEqual([]);
  expect(judge(start, limits)).toHaveLength(1);
  const other = start.replace("/opt/memledger", "/bin/sh");
  expect(judge(other, { ...limits, startsItself: true })).toHaveLength(1);
});

describe("found", () => {
  test.each<[fault: RegExp, call: string]>([
    // As ONNX Runtime 1.30 made them.
    [/SOCK_DGRAM/, `socket(AF_INET, SOCK_DGRAM|SOCK_CLOEXEC|SOCK_NONBLOCK, IPPROTO_IP) = 29<socket:[90261]>`],
    [/AF_NETLINK/, `socket(AF_NETLINK, SOCK_RAW|SOCK_CLOEXEC, NETLINK_ROUTE) = 29<socket:[90261]>`],
    [
      /reads \/etc\/resolv\.conf/,
      `openat(${here}, "/etc/resolv.conf", O_RDONLY|O_CLOEXEC) = 29</etc/resolv.conf>`,
    ],
    [/reads \/etc\/machine-id/, `openat(${here}, "/etc/machine-id", O_RDONLY) = 29</etc/machine-id>`],
    [
      /changes .*mat-debug/,
      `openat(${here}, "/box/tmp/mat-debug-7.log", O_WRONLY|O_CREAT|O_TRUNC, 0666 <unfinished ...>`,
    ],
    [/changes \/box\/home\/\.cache/, `mkdir("/box/home/.cache/Microsoft", 0777) = 0`],
    // Others.
    [
      /connect to 20\.42\.65\.91/,
      `connect(29<socket:[1]>, {sa_family=AF_INET, sin_port=htons(443), sin_addr=inet_addr("20.42.65.91")}, 16) = -1`,
    ],
    [
      /connect to 2603::1/,
      `connect(29<socket:[1]>, {sa_family=AF_INET6, sin6_port=htons(443), sin6_flowinfo=htonl(0), inet_pton(AF_INET6, "2603::1", &sin6_addr), sin6_scope_id=0}, 28) = -1`,
    ],
    [
      /sendto to 10\.0\.0\.2/,
      `sendto(29<socket:[1]>, "q", 1, 0, {sa_family=AF_INET, sin_port=htons(53), sin_addr=inet_addr("10.0.0.2")}, 16) = 1`,
    ],
    [/port 53 of this machine/, `connect(29<socket:[1]>, ${loopback(53)}) = 0`],
    [
      /bind to 0\.0\.0\.0/,
      `bind(29<socket:[1]>, {sa_family=AF_INET, sin_port=htons(80), sin_addr=inet_addr("0.0.0.0")}, 16) = 0`,
    ],
    [
      /Unix socket/,
      `connect(29<socket:[1]>, {sa_family=AF_UNIX, sun_path="/var/run/nscd/socket"}, 110) = -1`,
    ],
    [/Unix socket/, `connect(29<socket:[1]>, {sa_family=AF_UNIX, sun_path=@"hidden"}, 9) = 0`],
    [
      /looks for \/box\/home\/\.bunfig/,
      `newfstatat(${here}, "/box/home/.bunfig.toml", 0x7ffd, 0) = -1 ENOENT`,
    ],
    [/looks for \/box\/cwd\/\.env/, `openat(${here}, ".env", O_RDONLY) = -1 ENOENT`],
    [/changes \/etc\/passwd/, `openat(${here}, "/box/data/link", O_WRONLY) = 9</etc/passwd>`],
    [/changes \/elsewhere/, `rename("/box/data/a", "/elsewhere/a") = 0`],
    [/changes \/box\/database/, `unlink("/box/database") = 0`],
    [/changes \/srv/, `fchmod(9</srv/file>, 0600) = 0`],
    [
      /starts a process/,
      "clone(child_stack=NULL, flags=CLONE_CHILD_CLEARTID|CLONE_CHILD_SETTID|SIGCHLD) = 4712",
    ],
    [/starts the program \/bin\/sh/, `execve("/bin/sh", ["sh", "-c", "id"], 0x7ffd /* 3 vars */) = 0`],
    [/io_uring_setup, which this proof does not know/, `io_uring_setup(8, 0x7ffd) = 9`],
    [/chdir, which this proof does not know/, `chdir("/") = 0`],
  ])("%p in %s", (fault, call) => {
    const faults = judge(`4711  ${call}\n4711  ${call}\n`, limits);
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatch(fault);
  });
});

test("a program that starts itself may do so in the data directory, and nowhere else", () => {
  const itself = { ...limits, startsItself: true };
  expect(judge('4711  chdir("/box/data") = 0\n', itself)).toEqual([]);
  expect(judge('4711  chdir("/box") = 0\n', itself)).toHaveLength(1);
  expect(judge('4711  chdir("/box/data") = 0\n', limits)).toHaveLength(1);
});

test("a trace with a line that cannot be read is refused", () => {
  expect(() => judge("4711  something else\n", limits)).toThrow(/cannot be read: 4711/);
});

testWith(whyNoTrace())("a real program that does everything wrong is found out", async () => {
  expect(await missedLeaks()).toEqual([]);
});

test("a thread that was killed at the entry of a call made none; one that goes on is refused", () => {
  const killed = "4711  ???( <unfinished ...>\n";
  expect(judge(`${killed}4711  +++ killed by SIGSEGV +++\n`, limits)).toEqual([]);
  expect(() => judge(`${killed}4711  close(3) = 0\n`, limits)).toThrow(/cannot be read: 4711/);
});
