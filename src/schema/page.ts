// Owns the input fields of operations that return a list page by page, and the place of a page in its list. Knows no list.

import { type Static, Type } from "@sinclair/typebox";
import { pageMax, pageSizeMax } from "../limits.ts";
import { Fields } from "./schema.ts";

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
    page_size: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: pageSizeMax,
        default: defaultSize,
        description: `${items} per page.`,
      }),
    ),
  };
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

export function toPagination(page: number, pageSize: number, total: number): Static<typeof pagination> {
  return { page, page_size: pageSize, total, total_pages: Math.ceil(total / pageSize) };
}
