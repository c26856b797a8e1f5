// What tests of one view share: a server and a browser for the file, a project for each test, and pages that are signed in.

import { afterAll, beforeAll, setDefaultTimeout } from "bun:test";
import type { Browser, Page } from "playwright-core";
import type { Permission } from "../../src/access/key.ts";
import { isObject, type Json, type JsonObject } from "../../src/platform/json/json.ts";
import { signIn } from "../transports/http/console/signed-in.ts";
import { openAsAdministrator } from "./administration.ts";
import { chromiumPath, launchBrowser, openPage, picture, type Watched } from "./browser.ts";
import { type ConsoleApp, startConsoleApp } from "./console-app.ts";

export interface Place {
  readonly project: string;
  /** With all permissions. */
  readonly key: string;
}

type Query = Readonly<Record<string, string>>;

/** Starts and stops both with the tests of the file. They are there when its tests run. */
export function useConsole() {
  setDefaultTimeout(120_000);
  let started: { readonly app: ConsoleApp; readonly browser: Browser } | null = null;
  beforeAll(async () => {
    if (chromiumPath === null) return;
    const [app, browser] = await Promise.all([startConsoleApp(), launchBrowser()]);
    started = { app, browser };
  });
  afterAll(async () => {
    await started?.browser.close();
    await started?.app.stop();
  });
  const running = () => {
    if (started === null) throw new Error("the server of the test does not run");
    return started;
  };
  const addressOf = ({ project }: Place, view: string, query: Query) =>
    `/console/projects/${project}/${view}?${new URLSearchParams(query)}`;
  return {
    get app() {
      return running().app;
    },
    picture,
    async newPlace(): Promise<Place> {
      const { id: project, key } = await running().app.createProject("business");
      return { project, key };
    },
    /** As an administrator. */
    open(place: Place, view: string, query: Query = {}): Promise<Watched> {
      const { app, browser } = running();
      return openAsAdministrator(browser, app, addressOf(place, view, query));
    },
    /** With a new key that has the permissions. */
    async openWithKey(
      place: Place,
      permissions: readonly Permission[],
      view: string,
      query: Query = {},
    ): Promise<Watched> {
      const { app, browser } = running();
      const { key } = await app.createKey(place.project, permissions);
      const watched = await openPage(browser, app.url);
      const [name = "", value = ""] = (await signIn(app, { key })).cookie.split("=");
      await watched.context.addCookies([{ name, value, url: app.url }]);
      await watched.page.goto(app.url + addressOf(place, view, query));
      return watched;
    },
    /** The JSON file that a button saves. */
    async downloaded(
      page: Page,
      button: string,
    ): Promise<{ readonly name: string; readonly data: JsonObject }> {
      const [file] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: button, exact: true }).click(),
      ]);
      const data: Json = JSON.parse(await Bun.file(await file.path()).text());
      if (!isObject(data)) throw new Error("the file is no JSON object");
      return { name: file.suggestedFilename(), data };
    },
  };
}
