// Which columns of a long table fit where it stands: all, only those that are needed most, or none, so that its rows become cards.

/** A column's share of the row, as a grid names it: `90px`, `minmax(80px, 120px)`, `minmax(96px, 1fr)`, `2fr`. */
export type ColumnWidth = `${number}px` | `minmax(${number}px, ${number}${'px' | 'fr'})` | `${number}fr`;

/** Between two columns, and beside the first and the last; the stylesheet has the same. */
const [GAP_PX, EDGES_PX] = [12, 32];
/** What one `fr` needs at least to be read. */
const LEAST_FR_PX = 75;

/** Whether it may be too narrow for what stands in it. */
export const isFluid = (width: ColumnWidth): boolean => !/^[\d.]+px$/.test(width);

const leastPx = (width: ColumnWidth): number => {
  const least = Number.parseFloat(width.replace('minmax(', ''));
  return width.endsWith('fr') ? least * LEAST_FR_PX : least;
};

const roomOf = (columns: readonly FittedColumn[]): number =>
  columns.reduce((room, { width }) => room + leastPx(width) + GAP_PX, EDGES_PX - GAP_PX);

export interface FittedColumn {
  readonly width: ColumnWidth;
  /** Not needed most. */
  readonly isExtra?: boolean | undefined;
}

/** Empty where not even those that are needed most have room. */
export function fittingColumns<Column extends FittedColumn>(columns: readonly Column[], px: number): readonly Column[] {
  if (roomOf(columns) <= px) return columns;
  const needed = columns.filter(({ isExtra }) => isExtra !== true);
  return roomOf(needed) <= px ? needed : [];
}

/** As the grid takes it; a share may become as small as it must. */
export const templateOf = (columns: readonly FittedColumn[]): string =>
  columns.map(({ width }) => (width.endsWith('fr') ? `minmax(0, ${width})` : width)).join(' ');
