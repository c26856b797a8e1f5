// Drives the executable as assistants do that start a program: they share one memory and one server, whatever is killed.

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "../src/platform/json/json.ts";
import { type StdioClient, startStdioClient, textOf } from "./assistants/mcp-proxy/stdio-client.ts";

type Check = (claim: string, holds: boolean, details?: unknown) => void;

/** @param folder contains the executable, and gets the home directory of the user */
export async function checkAssistants(folder: string, check: Check): Promise<void> {
  const executable = join(folder, "memledger");
  const home = join(folder, "home");
  const env = { PATH: process.env.PATH ?? "", HOME: home, XDG_DATA_HOME: join(home, "share") };
  const dataDir = join(home, "share", "memledger");
  const run = async (...words: readonly string[]) => {
    const child = Bun.spawn([executable, ...words, "--json"], { env, cwd: folder, stderr: "inherit" });
    const text = await child.stdout.text();
    return { exitCode: await child.exited, data: text === "" ? null : JSON.parse(text) };
  };
  const serverPid = async (): Promise<number> => {
    const unix = join(dataDir, "memledger.sock");
    const answered = await fetch("http://localhost/background", { unix });
    return Number(JSON.parse(await answered.text()).pid);
  };
  const startAssistant = () => startStdioClient([executable, "mcp"], { env, cwd: folder });
  const callTool = async (assistant: StdioClient, name: string, input: JsonObject) =>
    textOf(await assistant.tool(name, input));

  const [one, two] = [startAssistant(), startAssistant()];
  try {
    const saved = await Promise.all([
      callTool(one, "memory_save", { content: "The deploy is on Thursday.", type: "fact" }),
      callTool(two, "memory_save", { content: "Dana prefers tea.", type: "fact" }),
    ]);
    check(
      "two assistants that start at once save",
      saved.every((text) => text.startsWith("created")),
      saved,
    );
    const found = await callTool(two, "memory_search", { query: "When is the deploy?" });
    check("what one assistant saved, the other finds", found.includes("Thursday"), found);
    await one.kill();
    check(
      "an assistant that is killed disturbs no other",
      (await callTool(two, "memory_search", { query: "tea" })).includes("Dana"),
    );
    const pid = await serverPid();
    process.kill(pid, "SIGKILL");
    const again = await callTool(two, "memory_search", { query: "When is the deploy?" });
    check("a server that is killed is started again, with everything", again.includes("Thursday"), again);
    check("the second server is another process", (await serverPid()) !== pid);
    check("an assistant ends in order", (await two.end()) === 0);
    const verified = await run("audit", "verify", "--data-dir", dataDir);
    check("the ledger proves every call", verified.exitCode === 10, verified);
  } finally {
    await one.kill();
    await two.kill();
    const stopped = await run("stop");
    check("memledger stop ends the server in the background", stopped.data?.stopped === true, stopped);
  }
  check("nothing listens any more", !existsSync(join(dataDir, "memledger.sock")));
  const left = readdirSync(home);
  check("nothing else is written to the home directory", left.join() === "share", left);
}
