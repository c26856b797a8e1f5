// Owns the machines of a scenario: network namespaces, two of them joined by a cable, and one with nothing. Must never leave one behind.

import { readdirSync } from "node:fs";

export interface Machine {
  /** Words before a command that runs there. */
  readonly words: readonly string[];
  readonly address: string;
}

export interface Machines {
  /** Where the server runs. */
  readonly own: Machine;
  /** Where third parties run. */
  readonly others: Machine;
  /** Words before a command that reaches nobody. */
  readonly alone: readonly string[];
}

const made = new Set<string>();

/** Two machines that reach each other and nobody else. @returns null where the system permits none */
export function createMachines(): Machines | null {
  if (Bun.which("ip") === null || Bun.which("unshare") === null) return null;
  const [one, two] = ["a", "b"].map((end) => `ml-${process.pid}-${end}`) as [string, string];
  const [own, others] = [machine(one, "10.231.0.1"), machine(two, "10.231.0.2")];
  for (const name of [one, two]) {
    if (!run("ip", "netns", "add", name)) return null;
    made.add(name);
  }
  const inner = ["veth0", "netns"];
  const cabled = run(
    "ip",
    "link",
    "add",
    "veth0",
    "netns",
    one,
    "type",
    "veth",
    "peer",
    "name",
    ...inner,
    two,
  );
  const isUp = [own, others].every(
    ({ words, address }) =>
      run(...words, "ip", "address", "add", `${address}/24`, "dev", "veth0") &&
      ["lo", "veth0"].every((device) => run(...words, "ip", "link", "set", device, "up")),
  );
  return cabled && isUp ? { own, others, alone: ["unshare", "--net"] } : null;
}

export function removeMachines(): void {
  for (const name of made) run("ip", "netns", "delete", name);
  made.clear();
}

/** The namespaces of this process that are still there. */
export function leftMachines(): readonly string[] {
  return readdirSync("/run/netns").filter((name) => name.startsWith(`ml-${process.pid}-`));
}

function machine(name: string, address: string): Machine {
  return { words: ["ip", "netns", "exec", name], address };
}

function run(...words: readonly string[]): boolean {
  return Bun.spawnSync([...words], { stdout: "ignore", stderr: "ignore" }).success;
}
