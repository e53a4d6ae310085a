// Tables of a script: a grid of cells at a corner or an edge of its pane, each as wide as its words.

import { readColor } from './colors.ts';
import { type Font, fontOfSize } from './fonts.ts';
import type { DrawingFields } from './model.ts';
import type { Pane, Scene } from './scene.ts';
import { capHeight, drawText, fitText, lineHeight, textWidth } from './text.ts';
import { legible } from './theme.ts';

/** More cells than this have no room in a preview; a script may define thousands. */
const MAX_COLUMNS = 30;
const MAX_ROWS = 40;
const MAX_LINES = 8;
const MARGIN_PX = 4;
const PADDING_PX = 4;
const MAX_TEXT_WIDTH_PX = 260;
const MAX_LINE_PX = 6;
/** Below this a cell's color is too pale to be the background of its words. */
const LEAST_GROUND_ALPHA = 0x80;

interface Cell {
  /** With the first and the last column and row, which are more than one where cells are merged. */
  readonly columns: readonly [number, number];
  readonly rows: readonly [number, number];
  readonly fields: DrawingFields;
  readonly lines: readonly string[];
  readonly font: Font;
}

export function drawTables(scene: Scene, pane: Pane): void {
  for (const table of pane.content.drawings) if (table.kind === 'table') drawTable(scene, pane, table);
}

function drawTable(scene: Scene, pane: Pane, table: DrawingFields): void {
  const cells = cellsOf(table);
  if (cells.length === 0) return;
  const { box, legendHeight } = pane;
  const area = { ...box, top: box.top + legendHeight };
  const widths = sizes(cells, 'columns', (cell) => cellWidth(cell, area.right - area.left));
  const heights = sizes(cells, 'rows', (cell) => cellHeight(cell, area.bottom - area.top));
  const frame = widthOf(table.frame_width);
  const [xs, ys] = [edgesOf(widths), edgesOf(heights)];
  const [width, height] = [(xs.at(-1) ?? 0) + 2 * frame, (ys.at(-1) ?? 0) + 2 * frame];
  const [vertical = '', horizontal = ''] = String(table.position).split('_');
  const left = startOf(horizontal, 'left', 'right', area.left, area.right - width);
  const top = startOf(vertical, 'top', 'bottom', area.top, area.bottom - height);
  const { canvas } = scene;
  canvas.fillRect(left, top, left + width, top + height, readColor(table.bgcolor));
  drawFrame(scene, [left, top, left + width, top + height], frame, readColor(table.frame_color));
  for (const cell of cells) {
    const [x0, x1] = [left + frame + xs[cell.columns[0]]!, left + frame + xs[cell.columns[1] + 1]!];
    const [y0, y1] = [top + frame + ys[cell.rows[0]]!, top + frame + ys[cell.rows[1] + 1]!];
    canvas.fillRect(x0, y0, x1, y1, readColor(cell.fields.bgcolor));
    drawFrame(scene, [x0, y0, x1, y1], widthOf(table.border_width), readColor(table.border_color));
    drawWords(scene, cell, [x0, y0, x1, y1], readColor(table.bgcolor));
  }
}

function cellsOf(table: DrawingFields): Cell[] {
  const cells = Array.isArray(table.cells) ? (table.cells as readonly DrawingFields[]) : [];
  const merged = Array.isArray(table.merged) ? (table.merged as readonly DrawingFields[]) : [];
  return cells.flatMap((fields): Cell[] => {
    const [column, row] = [Number(fields.column), Number(fields.row)];
    if (column >= MAX_COLUMNS || row >= MAX_ROWS) return [];
    const range = merged.find((one) => isInside(one, column, row));
    // Of merged cells the first one speaks for all.
    if (range !== undefined && (range.start_column !== column || range.start_row !== row)) return [];
    const font = fontOfSize(fields.text_size);
    const lines = String(fields.text ?? '').split('\n', MAX_LINES);
    return [
      {
        columns: [column, Math.min(Number(range?.end_column ?? column), MAX_COLUMNS - 1)],
        rows: [row, Math.min(Number(range?.end_row ?? row), MAX_ROWS - 1)],
        fields,
        lines: lines.map((line) => fitText(line, MAX_TEXT_WIDTH_PX, font)),
        font,
      },
    ];
  });
}

const isInside = (range: DrawingFields, column: number, row: number): boolean =>
  column >= Number(range.start_column) &&
  column <= Number(range.end_column) &&
  row >= Number(range.start_row) &&
  row <= Number(range.end_row);

/** The size of each column or row: what its own cells need, and the last of merged ones as much more as they need. */
function sizes(cells: readonly Cell[], side: 'columns' | 'rows', needed: (cell: Cell) => number): number[] {
  const found = new Array<number>(Math.max(...cells.map((cell) => cell[side][1])) + 1).fill(0);
  const single = cells.filter((cell) => cell[side][0] === cell[side][1]);
  for (const cell of single) found[cell[side][0]] = Math.max(found[cell[side][0]]!, needed(cell));
  for (const cell of cells) {
    const [first, last] = cell[side];
    const there = found.slice(first, last + 1).reduce((sum, size) => sum + size, 0);
    found[last] = found[last]! + Math.max(0, needed(cell) - there);
  }
  return found;
}

/** Of its words, or the share of the pane in percent that the script asks for. */
const cellWidth = ({ lines, font, fields }: Cell, paneWidth: number): number =>
  Math.max(...lines.map((line) => textWidth(line, font) + 2 * PADDING_PX), shareOf(fields.width, paneWidth));
const cellHeight = ({ lines, font, fields }: Cell, paneHeight: number): number =>
  Math.max(lines.length * lineHeight(font) + 2 * PADDING_PX - 2, shareOf(fields.height, paneHeight));

const shareOf = (percent: unknown, of: number): number =>
  typeof percent === 'number' && percent > 0 ? Math.round((Math.min(percent, 100) / 100) * of) : 0;
const widthOf = (value: unknown): number =>
  typeof value === 'number' && value > 0 ? Math.min(Math.round(value), MAX_LINE_PX) : 0;

function edgesOf(widths: readonly number[]): number[] {
  const edges = [0];
  for (const width of widths) edges.push(edges.at(-1)! + width);
  return edges;
}

function startOf(word: string, first: string, last: string, from: number, to: number): number {
  if (word === first) return from + MARGIN_PX;
  return word === last ? to - MARGIN_PX : Math.round((from + to) / 2);
}

type Rectangle = readonly [left: number, top: number, right: number, bottom: number];

function drawFrame({ canvas }: Scene, [left, top, right, bottom]: Rectangle, width: number, color: number): void {
  if (width === 0) return;
  canvas.fillRect(left, top, right, top + width, color);
  canvas.fillRect(left, bottom - width, right, bottom, color);
  canvas.fillRect(left, top + width, left + width, bottom - width, color);
  canvas.fillRect(right - width, top + width, right, bottom - width, color);
}

const SHARES: Readonly<Record<string, number>> = { left: 0, top: 0, center: 0.5, right: 1, bottom: 1 };

function drawWords({ canvas, theme }: Scene, cell: Cell, [x0, y0, x1, y1]: Rectangle, background: number): void {
  const { lines, font, fields } = cell;
  const own = readColor(fields.text_color);
  const alpha = Math.max(readColor(fields.bgcolor) & 0xff, background & 0xff);
  // On a background of its own color the script's choice stands; on the chart itself words must be readable.
  const color = alpha > LEAST_GROUND_ALPHA && !Number.isNaN(own) ? own : legible(own, theme);
  const free = y1 - y0 - 2 * PADDING_PX - (lines.length - 1) * lineHeight(font) - capHeight(font);
  const top = y0 + PADDING_PX + free * (SHARES[String(fields.text_valign)] ?? 0.5);
  for (const [i, line] of lines.entries()) {
    const room = x1 - x0 - 2 * PADDING_PX - textWidth(line, font);
    const x = x0 + PADDING_PX + room * (SHARES[String(fields.text_halign)] ?? 0.5);
    drawText(canvas, line, x, top + i * lineHeight(font), color, font);
  }
}
