// A table of any length: only visible rows are in the document, pages of rows are loaded while one scrolls (rows.ts). The arrow keys and
// `j` `k` move, Enter opens, Space selects, Shift selects a range. On narrow screens each row has two lines.

import { useId, useMemo } from "preact/hooks";
import { Failure } from "../failure.tsx";
import { countOf } from "../text/count.tsx";
import { BodyRow, HeadCell } from "./cells.tsx";
import { chooserWidth, fittingColumns } from "./columns.ts";
import type { TableProps } from "./types.ts";
import { useActiveRow } from "./use-active-row.ts";
import { useVisibleRows } from "./use-visible-rows.ts";

export function Table<Row>(props: TableProps<Row>) {
  const { rows, label, noun, onSelect } = props;
  const id = useId();
  const visible = useVisibleRows(rows);
  const { view, setScrollTop, width, isNarrow, known, isComplete, failure, isShown } = visible;
  const { first, end, above, below } = visible.window;
  const columns = useMemo(
    () =>
      isNarrow ? props.columns : fittingColumns(props.columns, width / remPixels(), onSelect !== undefined),
    [props.columns, isNarrow, width, onSelect !== undefined],
  );
  const { active, clicked, keyDown } = useActiveRow(props, visible);

  if (failure !== null && !isShown) return <Failure error={failure} onRetry={() => rows.reload()} />;
  if (!isShown) return <>{props.empty}</>;
  const shown = Array.from({ length: Math.max(end - first, 0) }, (_, offset) => first + offset);
  const span = columns.length + (onSelect === undefined ? 0 : 1);
  return (
    <div class="table" data-selects={onSelect !== undefined} data-is-narrow={isNarrow}>
      <div
        class="scroller"
        ref={view}
        onScroll={({ currentTarget }) => setScrollTop(currentTarget.scrollTop)}
      >
        <table
          role="grid"
          aria-label={label}
          aria-rowcount={isComplete ? known + 1 : -1}
          aria-multiselectable={onSelect === undefined ? undefined : true}
          aria-activedescendant={active >= first && active < end ? `${id}-${active}` : undefined}
          aria-busy={rows.isLoading()}
          tabIndex={0}
          onClick={clicked}
          onKeyDown={keyDown}
        >
          <colgroup>
            {onSelect !== undefined && <col style={{ width: `${chooserWidth}rem` }} />}
            {columns.map(({ name, width, grows }) => (
              <col key={name} style={grows ? undefined : { width: `${width}rem` }} />
            ))}
          </colgroup>
          <thead>
            <tr aria-rowindex={1}>
              {onSelect !== undefined && (
                <th scope="col">
                  <span class="visually-hidden">Selected</span>
                </th>
              )}
              {columns.map((column) => (
                <HeadCell key={column.name} column={column} sort={props.sort ?? null} onSort={props.onSort} />
              ))}
            </tr>
          </thead>
          <tbody aria-hidden="true">
            <tr>
              <td colSpan={span} style={{ height: `${above}px` }} />
            </tr>
          </tbody>
          <tbody>
            {shown.map((index) => (
              <BodyRow
                key={index}
                id={`${id}-${index}`}
                index={index}
                row={rows.at(index)}
                isActive={index === active}
                columns={columns}
                props={props}
              />
            ))}
          </tbody>
          <tbody aria-hidden="true">
            <tr>
              <td colSpan={span} style={{ height: `${below}px` }} />
            </tr>
          </tbody>
        </table>
      </div>
      {failure !== null && <Failure error={failure} onRetry={() => rows.retry()} />}
      <p class="table-foot count" role="status">
        {footText(known, rows.total(), isComplete, noun)}
      </p>
    </div>
  );
}

/** As the person has set the size of texts in the browser. */
function remPixels(): number {
  return Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
}

function footText(
  known: number,
  total: number | null,
  isComplete: boolean,
  [one, many]: readonly [string, string],
): string {
  if (total !== null) return countOf(total, one, many);
  return isComplete ? countOf(known, one, many) : `More than ${countOf(known, one, many)}`;
}
