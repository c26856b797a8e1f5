// The cells of a table: its head, and a row that is loaded or not.

import { Icon } from "./icon.tsx";
import { isSelected } from "./selection.ts";
import type { Column, Sort, TableProps } from "./table-types.ts";

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
  readonly props: TableProps<Row>;
  readonly onClick: () => void;
  readonly onToggle: (isRange: boolean) => void;
}

export function BodyRow<Row>({ id, index, row, isActive, props, onClick, onToggle }: BodyRowProps<Row>) {
  const { columns, idOf, nameOf, openId, selection } = props;
  const span = columns.length + (selection === undefined ? 0 : 1);
  if (row === undefined)
    return (
      <tr id={id} aria-rowindex={index + 2} class="unknown" data-active={isActive}>
        <td colSpan={span}>
          <span class="visually-hidden">Loading</span>
        </td>
      </tr>
    );
  const isChosen = selection !== undefined && isSelected(selection, idOf(row));
  return (
    <tr
      id={id}
      aria-rowindex={index + 2}
      aria-selected={selection === undefined ? undefined : isChosen}
      aria-current={openId === idOf(row) ? "true" : undefined}
      data-active={isActive}
      data-opens={props.onOpen !== undefined}
      onClick={(event) => !isControl(event.target) && onClick()}
    >
      {selection !== undefined && (
        <td class="chooser">
          <input
            type="checkbox"
            aria-label={`Select ${nameOf(row)}`}
            tabIndex={-1}
            checked={isChosen}
            onClick={(event) => {
              event.preventDefault();
              onToggle(event.shiftKey);
            }}
          />
        </td>
      )}
      {columns.map(({ name, cell, align, narrow = "detail" }) => (
        <td key={name} data-align={align} data-narrow={narrow}>
          {cell(row)}
        </td>
      ))}
    </tr>
  );
}

function isControl(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest("a, button, input, select, label") !== null;
}
