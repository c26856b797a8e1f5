// The handbook in the executable: `memledger docs` prints the pages, /docs/handbook shows them, and every link between them leads there.

import { afterAll, beforeAll, expect, test } from "bun:test";
import {
  handbookPages,
  handbookPaths,
  pageName,
  readHandbookFile,
} from "../../src/platform/handbook/pages.ts";
import { run } from "../cli/command.ts";
import { startTestApp, type TestApp } from "../fixture.ts";
import { pages, read } from "./pages.ts";

const root = "/docs/handbook";
let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

const open = async (path: string): Promise<string> => (await fetch(`${app.url}${path}`)).text();

test("it has every page for users and operators, each once, in the order of the index", async () => {
  const files = pages.filter((page) => page.startsWith("docs/")).map((page) => page.slice("docs/".length));
  const forEngineers = (path: string) => path.startsWith("engineer/") || path === "ARCHITECTURE.md";
  const expected = files.filter((path) => path !== "README.md" && !forEngineers(path));
  const listed = (await handbookPages()).map(({ path }) => path);
  expect(listed.toSorted()).toEqual(expected.toSorted());
  expect(listed).toEqual([...handbookPaths]);
  expect(new Set(listed.map(pageName)).size).toBe(listed.length);
});

test("memledger docs lists the pages with a sentence each", async () => {
  const { exitCode, stdout } = await run(["docs"]);
  expect(exitCode).toBe(0);
  for (const { name, summary } of await handbookPages()) {
    expect(stdout).toMatch(new RegExp(`^${name} +\\w`, "m"));
    expect(summary.length).toBeGreaterThan(20);
  }
  expect(stdout).not.toMatch(/\]\(|`/);
});

test("memledger docs PAGE prints the page as it is, and --json has it as data", async () => {
  const { exitCode, stdout } = await run(["docs", "recipes/back-up"]);
  expect([exitCode, stdout]).toEqual([0, read("docs/recipes/BACK-UP.md")]);
  const { stdout: json } = await run(["docs", "errors", "--json"]);
  expect(JSON.parse(json)).toMatchObject({
    name: "errors",
    title: "Errors",
    text: read("docs/user/ERRORS.md"),
  });
});

test.each(["nothing", "../README", "README.md", "/etc/passwd", "__proto__", ""])(
  "there is no page %p",
  async (name) => {
    const { exitCode, stdout } = await run(["docs", name]);
    expect([exitCode, stdout]).toEqual([2, ""]);
    const answer = await fetch(`${app.url}${root}/${encodeURIComponent(name || "x")}`);
    expect(answer.status).toBe(404);
  },
);

test("every link between the pages leads to a page and a heading, and no other file is named", async () => {
  const texts = new Map<string, string>();
  for (const path of [root, ...handbookPaths.map((each) => `${root}/${pageName(each)}`)])
    texts.set(path, await open(path));
  const links = [...texts].flatMap(([from, html]) =>
    [...html.matchAll(/<a href="([^"]*)"/g)].map(([, href = ""]) => ({ from, href })),
  );
  expect(links.length).toBeGreaterThan(300);
  const wrong = links.filter(({ from, href }) => {
    if (/^https?:\/\//.test(href) || href === "/docs" || href === "/console/") return false;
    const [path = "", anchor] = href.split("#");
    const html = texts.get(path === "" ? from : path);
    return html === undefined || (anchor !== undefined && !html.includes(` id="${anchor}"`));
  });
  expect(wrong).toEqual([]);
});

test("a page is sent with the policy of the reference, and loads nothing", async () => {
  const [reference, answer] = await Promise.all(
    ["/docs", `${root}/api`].map((path) => fetch(app.url + path)),
  );
  const policy = answer?.headers.get("content-security-policy");
  expect(policy).toContain("default-src 'none'");
  expect(policy).toBe(reference?.headers.get("content-security-policy") ?? "");
  expect(answer?.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(await reference?.text()).toContain(`href="${root}"`);
  for (const path of handbookPaths) {
    const html = await open(`${root}/${pageName(path)}`);
    expect({ path, loads: /<(script|img|iframe|link rel="stylesheet")|\ssrc=/.test(html) }).toEqual({
      path,
      loads: false,
    });
  }
});

test("the text of a page is escaped: nothing of it becomes an element", async () => {
  const markdown = await readHandbookFile("user/PROMPT-FORMAT.md");
  expect(markdown).toContain("<memories>");
  const html = await open(`${root}/prompt-format`);
  expect(html).toContain("&lt;memories&gt;");
  expect(html).not.toContain("<memories>");
  expect(html).toMatch(/<h1 id="[\w-]+">/);
});
