// Owns which rows of a long table are visible. Browsers limit the height of an element to some millions of pixels, so a taller list is
// scrolled faster than its scroll bar moves. Pure.

/** No browser has a lower limit than 16 million. */
const heightMax = 8_000_000;
/** Rows above and below the visible ones, so that scrolling shows no gap. */
const overscan = 8;

export interface Scrolled {
  readonly count: number;
  /** Of each row, in pixels. */
  readonly rowHeight: number;
  readonly viewHeight: number;
  readonly scrollTop: number;
}

export interface RowWindow {
  /** Rows from `first` on, before `end`, are in the document. */
  readonly first: number;
  readonly end: number;
  /** Height of what is above and below them, in pixels. */
  readonly above: number;
  readonly below: number;
}

export function rowWindow(scrolled: Scrolled): RowWindow {
  const { count, rowHeight, viewHeight } = scrolled;
  const height = shownHeight(scrolled);
  const top = Math.min(Math.max(scrolled.scrollTop, 0), Math.max(height - viewHeight, 0));
  const firstVisible = (top * ratio(scrolled)) / rowHeight;
  const first = Math.max(Math.floor(firstVisible) - overscan, 0);
  const end = Math.min(Math.ceil(firstVisible + viewHeight / rowHeight) + overscan, count);
  const above = Math.max(top - (firstVisible - first) * rowHeight, 0);
  return { first, end, above, below: Math.max(height - above - (end - first) * rowHeight, 0) };
}

/** The scroll position that shows the row whole; null: the present one does. */
export function scrollToRow(scrolled: Scrolled, index: number): number | null {
  const { rowHeight, viewHeight, scrollTop } = scrolled;
  const visibleTop = scrollTop * ratio(scrolled);
  const top = index * rowHeight;
  if (top < visibleTop) return top / ratio(scrolled);
  if (top + rowHeight > visibleTop + viewHeight) return (top + rowHeight - viewHeight) / ratio(scrolled);
  return null;
}

function shownHeight({ count, rowHeight }: Scrolled): number {
  return Math.min(count * rowHeight, heightMax);
}

/** Pixels of rows for each pixel of the scroll bar. */
function ratio(scrolled: Scrolled): number {
  const { count, rowHeight, viewHeight } = scrolled;
  const movable = shownHeight(scrolled) - viewHeight;
  return movable <= 0 ? 1 : Math.max((count * rowHeight - viewHeight) / movable, 1);
}
