// A table of any length: only visible rows are in the document, pages of rows are loaded while one scrolls (rows.ts). The arrow keys and
// `j` `k` move, Enter opens, Space selects, Shift selects a range. On narrow screens each row has two lines.

import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { isConnected } from "../../api/connection.ts";
import { Failure } from "../failure.tsx";
import { useShortcuts } from "../shortcuts.ts";
import { countOf } from "../text/count.tsx";
import { BodyRow, HeadCell, isControl } from "./cells.tsx";
import { chooserWidth, fittingColumns } from "./columns.ts";
import { rowWindow, scrollToRow } from "./row-window.ts";
import { isSelected, select } from "./selection.ts";
import type { TableProps } from "./types.ts";

/** Of each row, in pixels: as in parts.css. */
const rowHeights = { wide: 36, narrow: 60 };
/** A narrower table has two lines for each row. In pixels. */
const narrowMax = 620;
/** A longer range is not selected row by row. */
const rangeMax = 1_000;
/** Rows below the visible ones that are loaded before one scrolls to them. */
const ahead = 40;

export function Table<Row>(props: TableProps<Row>) {
  const { rows, label, noun, idOf, openId = null, selection, onSelect } = props;
  const id = useId();
  const view = useRef<HTMLDivElement>(null);
  const [scrollTop, setScrollTop] = useState(0);
  const [{ width, height: viewHeight }, setSize] = useState({ width: innerWidth, height: 600 });
  const [active, setActive] = useState(0);
  const anchor = useRef(0);
  /** A range begins at the row where one was last without Shift. */
  const activate = (index: number) => {
    setActive(index);
    anchor.current = index;
  };
  const isNarrow = width < narrowMax;
  const columns = useMemo(
    () =>
      isNarrow ? props.columns : fittingColumns(props.columns, width / remPixels(), onSelect !== undefined),
    [props.columns, isNarrow, width, onSelect !== undefined],
  );
  const rowHeight = isNarrow ? rowHeights.narrow : rowHeights.wide;
  const version = rows.version.value;
  const known = rows.known();
  const isComplete = rows.isComplete();
  const failure = rows.failure();
  const isShown = known > 0 || !(isComplete || failure !== null);
  // One more row stands for those that are not known yet.
  const count = isComplete ? known : known + 1;
  const scrolled = { count, rowHeight, viewHeight, scrollTop };
  const { first, end, above, below } = rowWindow(scrolled);

  useLayoutEffect(() => {
    const { current } = view;
    if (current === null) return;
    const observer = new ResizeObserver(() =>
      setSize({ width: current.clientWidth, height: current.clientHeight }),
    );
    observer.observe(current);
    setScrollTop(0);
    return () => observer.disconnect();
  }, [isShown]);
  const formerHeight = useRef(rowHeight);
  useLayoutEffect(() => {
    // The same rows stay visible when the table becomes narrow or wide.
    if (view.current !== null) view.current.scrollTop *= rowHeight / formerHeight.current;
    formerHeight.current = rowHeight;
  }, [rowHeight]);
  useEffect(() => {
    rows.need(first, end + ahead);
  }, [rows, first, end, version]);
  const connected = isConnected.value;
  useEffect(() => {
    if (connected && rows.failure() !== null) rows.retry();
  }, [connected]);
  useEffect(() => {
    activate(0);
    view.current?.scrollTo(0, 0);
    return () => rows.close();
  }, [rows]);

  const move = (index: number, isRange = false) => {
    const next = Math.max(0, Math.min(index, known - 1));
    if (isRange) void toggle(next, true, true);
    (isRange ? setActive : activate)(next);
    const { current } = view;
    if (current === null) return;
    const headHeight = current.querySelector("thead")?.clientHeight ?? 0;
    const to = scrollToRow(
      { ...scrolled, viewHeight: viewHeight - headHeight, scrollTop: current.scrollTop },
      next,
    );
    if (to !== null) current.scrollTop = to;
    const row = rows.at(next);
    if (openId !== null && row !== undefined) props.onOpen?.(row);
  };
  const toggle = async (index: number, isRange: boolean, isAdding = false) => {
    if (selection === undefined || onSelect === undefined) return;
    const row = rows.at(index);
    if (row === undefined) return;
    const selected = isAdding || !isSelected(selection, idOf(row));
    const [from, to] = isRange
      ? [Math.min(anchor.current, index), Math.max(anchor.current, index)]
      : [index, index];
    if (!isRange) activate(index);
    if (to - from >= rangeMax) return;
    // The failure is shown below the table.
    const range = await rows.collect(from, to).catch(() => []);
    onSelect(select(selection, range.map(idOf), selected));
  };
  const openActive = () => {
    const row = rows.at(active);
    if (row !== undefined) props.onOpen?.(row);
  };
  const editActive = () => {
    const row = rows.at(active);
    if (row !== undefined) props.onEdit?.(row);
  };
  useShortcuts(label, [
    { keys: "j", label: "Next row", run: () => move(active + 1) },
    { keys: "k", label: "Previous row", run: () => move(active - 1) },
    ...(props.onOpen === undefined ? [] : [{ keys: "Enter", label: "Open the row", run: openActive }]),
    ...(props.onEdit === undefined ? [] : [{ keys: "e", label: "Edit the row", run: editActive }]),
    ...(onSelect === undefined
      ? []
      : [{ keys: "x", label: "Select the row", run: () => void toggle(active, false) }]),
  ]);
  const keyDown = (event: KeyboardEvent) => {
    const page = Math.max(Math.floor(viewHeight / rowHeight) - 1, 1);
    const targets: Readonly<Record<string, number>> = {
      ArrowDown: active + 1,
      ArrowUp: active - 1,
      PageDown: active + page,
      PageUp: active - page,
      Home: 0,
      End: known - 1,
    };
    const target = targets[event.key];
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
    if (target !== undefined) {
      event.preventDefault();
      move(target, event.shiftKey);
    } else if (event.key === " ") {
      event.preventDefault();
      void toggle(active, event.shiftKey);
    }
  };

  const clicked = (event: MouseEvent) => {
    const { target } = event;
    if (!(target instanceof Element)) return;
    const index = Number(target.closest("tr")?.ariaRowIndex) - 2;
    if (target.matches(".chooser input")) {
      view.current?.querySelector("table")?.focus({ preventScroll: true });
      // The browser sets the box back after this event, so that it shows what is selected, not what was clicked.
      event.preventDefault();
      setTimeout(() => void toggle(index, event.shiftKey));
    } else if (index >= 0 && !isControl(target)) {
      activate(index);
      const row = rows.at(index);
      if (row !== undefined) props.onOpen?.(row);
    }
  };

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
