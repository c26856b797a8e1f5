// Runs the tests of the Python client, against a real server of this test.

import { expect } from "bun:test";
import { join } from "node:path";
import { createAdministrationKey } from "../../src/calls/operations/access/administration-key-operations.ts";
import { startTestApp } from "../fixture.ts";
import { program, testWith } from "../needs.ts";
import { python, pythonClient, reason } from "./python.ts";

testWith(program("python3"))(
  `the tests of the Python client pass${reason}`,
  async () => {
    const app = await startTestApp();
    try {
      const { key } = await app.createProject("custom");
      const admin = await app.administer(createAdministrationKey, { name: "client" });
      const child = Bun.spawn(
        [python ?? "", "-W", "error", "-B", "-m", "unittest", "discover", "--verbose"],
        {
          cwd: join(pythonClient, "tests"),
          // The proxies of the machine that runs the tests are not for addresses of this machine.
          env: {
            PATH: process.env.PATH,
            PYTHONPATH: join(pythonClient, "src"),
            MEMLEDGER_TEST_URL: app.url,
            MEMLEDGER_TEST_KEY: key,
            MEMLEDGER_TEST_ADMIN_KEY: String(admin.key),
          },
          stdout: "pipe",
          stderr: "pipe",
        },
      );
      const report = await new Response(child.stderr).text();
      const exitCode = await child.exited;
      expect({ exitCode, report: exitCode === 0 ? "" : report }).toEqual({ exitCode: 0, report: "" });
      const [, count] = /^Ran (\d+) tests/m.exec(report) ?? [];
      expect(Number(count)).toBeGreaterThan(25);
    } finally {
      await app.stop();
    }
  },
  180_000,
);
