// A table of the pane: a grid whose cells are defined one by one, cleared and merged, every change undoable.

import type { Journal } from '../values/rollback.ts';
import { PineRuntimeError } from '../values/runtime-error.ts';
import { Drawing, PropertyHolder } from './drawing.ts';
import { type Property, TABLE } from './properties.ts';

/** A rectangle of cells, both ends included. */
export interface CellRange {
  readonly start_column: number;
  readonly start_row: number;
  readonly end_column: number;
  readonly end_row: number;
}

export interface NumberedCell {
  readonly column: number;
  readonly row: number;
  readonly values: readonly Property[];
}

/** The language names no limits. No screen shows more, and numbers of cells stay small. */
const MOST_PLACES = 1_000_000;
/** Each is a few hundred bytes in the result of a run. */
const MOST_CELLS = 20_000;
/** All are looked at when the next is made. */
const MOST_MERGES = 1_000;

const UNDO_CELL = 1;
const UNDO_MERGES = 2;

const COLUMNS = TABLE.slotOf('columns');
const ROWS = TABLE.slotOf('rows');

export class Table extends Drawing {
  readonly columns: number;
  readonly rows: number;
  /** By row times columns plus column; only those that a script defined. */
  private readonly cells = new Map<number, PropertyHolder>();
  /** Replaced whole on every change, so that the undo is the old list. */
  private ranges: readonly CellRange[] = [];

  constructor(journal: Journal, id: number, values: Property[]) {
    super(journal, 'table', id, values);
    this.columns = sideOf('columns', values[COLUMNS]!);
    this.rows = sideOf('rows', values[ROWS]!);
    values[COLUMNS] = this.columns;
    values[ROWS] = this.rows;
    if (this.columns * this.rows > MOST_PLACES)
      throw new PineRuntimeError(
        `In 'table.new()' function. ${this.columns} columns and ${this.rows} rows are more than ${MOST_PLACES} cells.`,
      );
  }

  /** Defines a cell anew: nothing of what it was before stays. */
  define(column: number, row: number, values: Property[]): void {
    const place = this.placeOf(column, row);
    if (this.cells.size >= MOST_CELLS && !this.cells.has(place))
      throw new PineRuntimeError(`In 'table.cell()' function. A table can have at most ${MOST_CELLS} cells.`);
    this.rememberCell(place);
    this.cells.set(place, new PropertyHolder(this.journal, values));
  }

  /** The cell, or null when no `table.cell()` has defined it. */
  cellAt(column: number, row: number): PropertyHolder | null {
    return this.cells.get(this.placeOf(column, row)) ?? null;
  }

  /** Empties a rectangle; merged cells whose first cell is in it come apart. */
  clear(from: CellRange): void {
    const range = this.rangeOf(from);
    const kept = this.ranges.filter(({ start_column, start_row }) => !holds(range, start_column, start_row));
    if (kept.length < this.ranges.length) this.replaceRanges(kept);
    for (const place of [...this.cells.keys()]) {
      if (!holds(range, place % this.columns, Math.floor(place / this.columns))) continue;
      this.rememberCell(place);
      this.cells.delete(place);
    }
  }

  /** Makes one cell of a rectangle. To do so again with the same cells changes nothing, as scripts do on each bar. */
  merge(from: CellRange): void {
    const range = this.rangeOf(from);
    if (range.start_column > range.end_column || range.start_row > range.end_row)
      throw new PineRuntimeError(
        `Start cell in [${range.start_column}, ${range.start_row}] cannot be below or to the right of the end cell [${range.end_column}, ${range.end_row}].`,
      );
    if (this.ranges.some((other) => sameRange(range, other))) return;
    const other = this.ranges.find((one) => overlap(range, one));
    if (other !== undefined)
      throw new PineRuntimeError(
        `In 'table.merge_cells()' function. The cells from column ${other.start_column}, row ${other.start_row} to column ${other.end_column}, row ${other.end_row} are already merged.`,
      );
    if (this.ranges.length >= MOST_MERGES)
      throw new PineRuntimeError(
        `In 'table.merge_cells()' function. A table can have at most ${MOST_MERGES} merged cells.`,
      );
    this.replaceRanges([...this.ranges, range]);
  }

  get merged(): readonly CellRange[] {
    return this.ranges;
  }

  /** Row by row. */
  definedCells(): NumberedCell[] {
    return [...this.cells]
      .sort(([a], [b]) => a - b)
      .map(([place, { values }]) => ({
        column: place % this.columns,
        row: Math.floor(place / this.columns),
        values,
      }));
  }

  override undo(operation: number, place: number, value: unknown): void {
    if (operation === UNDO_CELL) {
      if (value === undefined) this.cells.delete(place);
      else this.cells.set(place, value as PropertyHolder);
    } else if (operation === UNDO_MERGES) this.ranges = value as readonly CellRange[];
    else super.undo(operation, place, value);
  }

  /** An index that is na means the first, as the language has it. */
  private placeOf(column: number, row: number): number {
    const x = Number.isNaN(column) ? 0 : column;
    const y = Number.isNaN(row) ? 0 : row;
    if (!(x >= 0 && x < this.columns))
      throw new PineRuntimeError(`Column ${x} is out of table bounds, number of columns is ${this.columns}.`);
    if (!(y >= 0 && y < this.rows))
      throw new PineRuntimeError(`Row ${y} is out of table bounds, number of rows is ${this.rows}.`);
    return y * this.columns + x;
  }

  private rangeOf(from: CellRange): CellRange {
    const start = this.placeOf(from.start_column, from.start_row);
    const end = this.placeOf(from.end_column, from.end_row);
    return {
      start_column: start % this.columns,
      start_row: Math.floor(start / this.columns),
      end_column: end % this.columns,
      end_row: Math.floor(end / this.columns),
    };
  }

  private rememberCell(place: number): void {
    if (this.born < this.journal.epoch) this.journal.record(this, UNDO_CELL, place, this.cells.get(place));
  }

  private replaceRanges(ranges: readonly CellRange[]): void {
    if (this.born < this.journal.epoch) this.journal.record(this, UNDO_MERGES, 0, this.ranges);
    this.ranges = ranges;
  }
}

/** A number of columns or rows that is na or negative is none: the first use of a cell then says so. */
function sideOf(name: string, value: Property): number {
  if (typeof value !== 'number' || Number.isNaN(value)) return 0;
  if (value < 0)
    throw new PineRuntimeError(
      `Invalid value of the '${name}' argument (${value}) in the 'table.new' function. It must be >= 0.`,
    );
  return Math.trunc(value);
}

const holds = (range: CellRange, column: number, row: number) =>
  column >= range.start_column && column <= range.end_column && row >= range.start_row && row <= range.end_row;

const sameRange = (a: CellRange, b: CellRange) =>
  a.start_column === b.start_column &&
  a.start_row === b.start_row &&
  a.end_column === b.end_column &&
  a.end_row === b.end_row;

const overlap = (a: CellRange, b: CellRange) =>
  a.start_column <= b.end_column &&
  b.start_column <= a.end_column &&
  a.start_row <= b.end_row &&
  b.start_row <= a.end_row;
