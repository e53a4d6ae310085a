// Which rows of a long list are drawn: those in view and a few around them. All rows are of one height, but for what is opened below one.

export interface RowsInView {
  /** How far the top of the list is above the top of the view. */
  readonly scrolledPx: number;
  readonly viewPx: number;
  readonly count: number;
  readonly rowPx: number;
  /** What is opened below a row. */
  readonly opened?: { readonly index: number; readonly px: number } | undefined;
}

export interface DrawnRows {
  readonly first: number;
  /** Behind the last one. */
  readonly end: number;
  /** The height of what is not drawn above them. */
  readonly abovePx: number;
  readonly totalPx: number;
}

/** So many more on each side, so that a quick hand finds no gap. */
const AROUND = 6;

export function drawnRows({ scrolledPx, viewPx, count, rowPx, opened }: RowsInView): DrawnRows {
  const openedPx = opened === undefined ? 0 : opened.px;
  const topOf = (index: number): number =>
    index * rowPx + (opened !== undefined && index > opened.index ? openedPx : 0);
  /** The row at a height; what is opened belongs to its row. */
  const rowAt = (px: number): number => {
    if (opened === undefined || px < topOf(opened.index + 1) - openedPx) return Math.floor(px / rowPx);
    return Math.max(opened.index, Math.floor((px - openedPx) / rowPx));
  };
  const within = (index: number): number => Math.min(count, Math.max(0, index));
  const first = within(rowAt(scrolledPx) - AROUND);
  const end = within(rowAt(scrolledPx + viewPx) + 1 + AROUND);
  return { first, end, abovePx: topOf(first), totalPx: topOf(count) };
}
