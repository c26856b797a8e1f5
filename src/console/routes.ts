// Owns when the views are loaded: beginning with the page, so that they are there when it is known who is signed in.

import { signal } from "@preact/signals";

/** Null: not loaded yet. */
export const views = signal<typeof import("./views/all-views.ts").allViews | null>(null);
/** Why they could not be loaded, such as after an update of the server; null: they could. */
export const viewsFailure = signal<unknown>(null);

import("./views/all-views.ts").then(
  ({ allViews }) => {
    views.value = allViews;
  },
  (error: unknown) => {
    viewsFailure.value = error;
  },
);
