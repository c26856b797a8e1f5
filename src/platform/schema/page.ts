// Owns the input fields of operations that return a list page by page, and the place of a page in its list. Knows no list.

import { type Static, Type } from "@sinclair/typebox";
import { fieldRefusal, Refusal } from "../errors.ts";
import { pageMax, pageSizeMax } from "../limits.ts";
import { Fields, Nullable } from "./schema.ts";

interface PageOptions {
  /** What the list contains, capitalised, such as "Memories". */
  readonly items: string;
  readonly defaultSize: number;
}

/** The optional fields `page` (from 1) and `page_size`. */
export function pageFields({ items, defaultSize }: PageOptions) {
  return {
    page: Type.Optional(
      Type.Integer({ minimum: 1, maximum: pageMax, default: 1, description: "Page number, from 1." }),
    ),
    page_size: pageSizeField(`${items} per page.`, defaultSize),
  };
}

/** The optional field `page_size`. */
export function pageSizeField(description: string, defaultSize: number, maximum = pageSizeMax) {
  return Type.Optional(Type.Integer({ minimum: 1, maximum, default: defaultSize, description }));
}

/** The optional field `cursor` beside `page`. @param same what the pages of a list have in common, such as "filters and order" */
export function cursorField(same: string) {
  const description = `next_cursor of the previous page, with the same ${same}. Cannot be combined with page.`;
  return Type.Optional(Type.String({ description }));
}

export const nextCursor = Nullable(
  Type.String({ description: "Cursor of the next page; null on the last page." }),
);

interface WantedPlace {
  readonly cursor?: string | undefined;
  readonly page?: number | undefined;
}

/** @throws Refusal 1400 */
export function requireOnePlace({ cursor, page }: WantedPlace): void {
  if (cursor === undefined || page === undefined) return;
  const reason = "cannot be combined with page";
  throw new Refusal(1400, 'Send either "cursor" or "page", not both.', { field: "cursor", reason });
}

/** Where a page begins: a number of items to skip, or `next` of the page before. */
export type PageStart = { readonly skip: number } | { readonly cursor: string };

/** @throws Refusal 1400 */
export function pageStart(input: WantedPlace, limit: number): PageStart {
  requireOnePlace(input);
  const { cursor, page = 1 } = input;
  return cursor === undefined ? { skip: (page - 1) * limit } : { cursor };
}

/** The place of a page in its list. */
export interface PagePlace {
  /** Of all pages; with a cursor: when the first page was read. */
  readonly total: number;
  /** Number of items on the pages before. */
  readonly before: number;
  /**
   * Opaque, and tells nothing about other projects; null: the last page. The next page begins behind the place of the last item, also when
   * that item is changed or deleted, so an item that stays at its place is on exactly one page.
   */
  readonly next: string | null;
}

/** @param same as of `cursorField`, such as "filters and order" */
export function foreignCursor(same: string): Refusal {
  const reason = "is not a cursor of this list";
  const advice = `Send next_cursor as it was returned, with the same ${same}, or begin again without it`;
  return fieldRefusal("cursor", reason, advice);
}

/** The place of a page, as the answer has it. */
export const pagination = Fields(
  {
    page: Type.Integer(),
    page_size: Type.Integer(),
    total: Type.Integer({ description: "Number of matching items on all pages." }),
    total_pages: Type.Integer(),
  },
  { title: "Pagination" },
);

/** The fields of the answer that say which page it is. */
export function toPageFields({ total, before, next }: PagePlace, limit: number) {
  const page = Math.floor(before / limit) + 1;
  const place: Static<typeof pagination> = {
    page,
    page_size: limit,
    total,
    total_pages: Math.ceil(total / limit),
  };
  return { pagination: place, next_cursor: next };
}
