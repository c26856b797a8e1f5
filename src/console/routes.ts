// Owns when the views are loaded: beginning with the page, so that they are there when it is known who is signed in.

import type { ComponentType } from "preact";
import { lazy } from "preact-iso";
import { addresses } from "./addresses.ts";

const load = () => import("./views/all-views.ts");

/** By their names in addresses.ts. */
export const views: Readonly<Record<string, ComponentType>> = Object.fromEntries(
  Object.keys(addresses).map((name) => [name, lazy(() => load().then(({ viewNamed }) => viewNamed(name)))]),
);

// A failure is shown when a view is opened, which loads again.
void load().catch(() => undefined);
