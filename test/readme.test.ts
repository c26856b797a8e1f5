// Keeps the README true: its commands run, and its tables say what the program says.

import { expect, test } from "bun:test";
import { resolve } from "node:path";
import manifest from "../package.json";
import { defaultPlans } from "../src/access/plan.ts";
import { flagOf, generalSettings, variableOf } from "../src/config/settings.ts";
import { errorStatus } from "../src/errors.ts";
import { routes } from "../src/transports/http/routes.ts";
import { createFolder, readme, removeFolder, startServer, walk } from "./walk.ts";

const main = resolve(import.meta.dir, "../src/main.ts");

test("every command of the README works, and every endpoint is shown", async () => {
  const folder = createFolder(`bun ${main}`);
  const server = await startServer(folder);
  try {
    const { exitCode, output, calls } = await walk(folder, server);
    expect({ exitCode, output: exitCode === 0 ? "" : output }).toEqual({ exitCode: 0, output: "" });
    expect(output).toMatch(/exit code 20/);
    expect(output.match(/INTACT: every check passed/g)).toHaveLength(2);
    expect(calls.filter(({ status }) => status < 200 || status > 299)).toEqual([]);
    for (const { method, path } of routes) {
      const pattern = new RegExp(`^${path.replace(/:\w+/g, "[0-9a-f-]{32,36}")}$`);
      expect({
        method,
        path,
        shown: calls.some((call) => call.method === method && pattern.test(call.path)),
      }).toEqual({
        ...{ method, path },
        shown: true,
      });
    }
  } finally {
    expect(await server.stop()).toBe(0);
    removeFolder(folder);
  }
}, 60_000);

test("the configuration table is the table of settings", () => {
  for (const setting of generalSettings) {
    const shown = String(setting.default ?? "") === "" ? "none" : `\`${setting.default}\``;
    expect(readme).toContain(
      `| \`${flagOf(setting)}\` | \`${variableOf(setting)}\` | ${shown} | ${setting.description} |`,
    );
  }
});

test("the plan table shows the default plans", () => {
  const number = (value: number | null, none: string) => (value === null ? none : value.toLocaleString("en"));
  for (const [name, { memoryLimit, retentionDays, rate, ...has }] of Object.entries(defaultPlans)) {
    const memories = memoryLimit === 0 ? "none" : number(memoryLimit, "unlimited");
    const retention = retentionDays === null ? "unlimited" : `${retentionDays} days`;
    const calls = rate === null ? "unlimited" : `${rate.perSecond} (${number(rate.burst, "")})`;
    const yes = (flag: boolean) => (flag ? "yes" : "no");
    expect(readme).toContain(
      `| ${name} | ${memories} | ${retention} | ${yes(has.export)} | ${yes(has.hash)} | ${calls} |`,
    );
  }
});

test("the error table names codes with their status", () => {
  const statusOf = new Map<string, number>(Object.entries(errorStatus));
  const rows = [...readme.matchAll(/^\| ([\d, ]+) \| ([\d, ]+) \| /gm)];
  const codes = rows.flatMap(([, names = "", statuses = ""]) =>
    names.split(", ").map((code, index) => [code, Number(statuses.split(", ")[index])] as const),
  );
  expect(codes.length).toBeGreaterThan(10);
  for (const [code, status] of codes) expect([code, statusOf.get(code)]).toEqual([code, status]);
});

test("every dependency has its reason", () => {
  const [, section = ""] = readme.split("## Dependencies");
  for (const name of Object.keys(manifest.dependencies))
    expect(section).toMatch(new RegExp(`\\| .*${name}.* \\| .{15,}`));
  for (const name of Object.keys(manifest.devDependencies)) expect(section).toContain(name);
});
