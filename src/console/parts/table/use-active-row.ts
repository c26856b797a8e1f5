// Owns which row of a table is active, and what keys and clicks do with it: move, open, edit, select.

import { useEffect, useRef, useState } from "preact/hooks";
import { useShortcuts } from "../shortcuts.ts";
import { isControl } from "./cells.tsx";
import { scrollToRow } from "./row-window.ts";
import { isSelected, select } from "./selection.ts";
import type { TableProps } from "./types.ts";
import type { VisibleRows } from "./use-visible-rows.ts";

/** A longer range is not selected row by row. */
const rangeMax = 1_000;

export function useActiveRow<Row>(props: TableProps<Row>, { view, known, scrolled }: VisibleRows) {
  const { rows, label, idOf, openId = null, selection, onSelect } = props;
  const { viewHeight, rowHeight } = scrolled;
  const [active, setActive] = useState(0);
  const anchor = useRef(0);
  /** A range begins at the row where one was last without Shift. */
  const activate = (index: number) => {
    setActive(index);
    anchor.current = index;
  };
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
  return { active, clicked, keyDown };
}
