// The cells of a table: its head, and a row that is loaded or not.

import { useMemo } from "preact/hooks";
import { now } from "../../clock.ts";
import { Icon } from "../icon.tsx";
import { isSelected } from "./selection.ts";
import type { Column, Sort, TableProps } from "./types.ts";

interface HeadCellProps<Row> {
  readonly column: Column<Row>;
  readonly sort: Sort | null;
  readonly onSort: ((sort: Sort) => void) | undefined;
}

export function HeadCell<Row>({ column, sort, onSort }: HeadCellProps<Row>) {
  const { name, title, align, isSortable = false, narrow = "detail" } = column;
  const isSorted = sort?.column === name;
  const direction = isSorted ? (sort.isDescending ? "descending" : "ascending") : undefined;
  if (!isSortable || onSort === undefined)
    return (
      <th scope="col" data-align={align} data-narrow={narrow}>
        {title}
      </th>
    );
  return (
    <th scope="col" aria-sort={direction} data-align={align} data-narrow={narrow}>
      <button
        type="button"
        onClick={() => onSort({ column: name, isDescending: isSorted && !sort.isDescending })}
      >
        {title}
        {isSorted && <Icon name={sort.isDescending ? "down" : "up"} />}
      </button>
    </th>
  );
}

interface BodyRowProps<Row> {
  readonly id: string;
  readonly index: number;
  readonly row: Row | undefined;
  readonly isActive: boolean;
  /** Those that are shown. */
  readonly columns: readonly Column<Row>[];
  readonly props: TableProps<Row>;
}

/** A row that has not changed is not drawn again while the table scrolls, except once in a minute, for the times in it. */
export function BodyRow<Row>({ id, index, row, isActive, columns, props }: BodyRowProps<Row>) {
  const { idOf, nameOf, openId, selection } = props;
  const rowId = row && idOf(row);
  const isChosen = rowId !== undefined && selection !== undefined && isSelected(selection, rowId);
  const isOpen = rowId === openId;
  const selects = selection !== undefined;
  const draw = () =>
    row === undefined ? (
      <tr id={id} aria-rowindex={index + 2} class="unknown" data-active={isActive}>
        <td colSpan={columns.length + (selects ? 1 : 0)}>
          <span class="visually-hidden">Loading</span>
        </td>
      </tr>
    ) : (
      <tr
        id={id}
        aria-rowindex={index + 2}
        aria-selected={selects ? isChosen : undefined}
        aria-current={isOpen ? "true" : undefined}
        data-active={isActive}
        data-opens={props.onOpen !== undefined}
      >
        {selects && (
          <td class="chooser">
            <input type="checkbox" aria-label={`Select ${nameOf(row)}`} tabIndex={-1} checked={isChosen} />
          </td>
        )}
        {columns.map(({ name, cell, align, narrow = "detail" }) => (
          <td key={name} data-align={align} data-narrow={narrow}>
            {cell(row)}
          </td>
        ))}
      </tr>
    );
  return useMemo(draw, [row, isActive, isChosen, isOpen, columns, Math.floor(now() / 60_000)]);
}

/** Whether a click there belongs to a control in a row, not to the row. */
export function isControl(target: Element): boolean {
  return target.closest("a, button, input, select, label") !== null;
}
