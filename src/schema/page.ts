// Owns the input fields of operations that return a list page by page. Knows no list.

import { Type } from "@sinclair/typebox";
import { pageMax, pageSizeMax } from "../limits.ts";

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
