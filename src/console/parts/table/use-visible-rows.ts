// Owns how large a table is and how far it is scrolled, and so which rows it shows and loads.

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { isConnected } from "../../api/connection.ts";
import { rowWindow } from "./row-window.ts";
import type { Rows } from "./rows.ts";

/** Of each row, in pixels: as in parts.css. */
const rowHeights = { wide: 36, narrow: 60 };
/** A narrower table has two lines for each row. In pixels. */
const narrowMax = 620;
/** Rows below the visible ones that are loaded before one scrolls to them. */
const ahead = 40;

export type VisibleRows = ReturnType<typeof useVisibleRows>;

export function useVisibleRows<Row>(rows: Rows<Row>) {
  const view = useRef<HTMLDivElement>(null);
  const [scrollTop, setScrollTop] = useState(0);
  const [{ width, height: viewHeight }, setSize] = useState({ width: innerWidth, height: 600 });
  const isNarrow = width < narrowMax;
  const rowHeight = isNarrow ? rowHeights.narrow : rowHeights.wide;
  const version = rows.version.value;
  const known = rows.known();
  const isComplete = rows.isComplete();
  const failure = rows.failure();
  const isShown = known > 0 || !(isComplete || failure !== null);
  // One more row stands for those that are not known yet.
  const count = isComplete ? known : known + 1;
  const scrolled = { count, rowHeight, viewHeight, scrollTop };
  const window = rowWindow(scrolled);
  const { first, end } = window;

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
  const previousHeight = useRef(rowHeight);
  useLayoutEffect(() => {
    // The same rows stay visible when the table becomes narrow or wide.
    if (view.current !== null) view.current.scrollTop *= rowHeight / previousHeight.current;
    previousHeight.current = rowHeight;
  }, [rowHeight]);
  useEffect(() => {
    rows.need(first, end + ahead);
  }, [rows, first, end, version]);
  const connected = isConnected.value;
  useEffect(() => {
    if (connected && rows.failure() !== null) rows.retry();
  }, [connected]);
  return { view, setScrollTop, width, isNarrow, known, isComplete, failure, isShown, scrolled, window };
}
