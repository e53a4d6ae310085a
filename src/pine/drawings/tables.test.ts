// Tests of tables and their cells.

import { describe, expect, it } from 'vitest';
import { membersOf } from '../builtins/index.ts';
import { errorOf } from '../values/testing/library.ts';
import { type Drawing, isNaDrawing } from './index.ts';
import { type Board, openBoard } from './testing/board.ts';

const table = (board: Board, columns: number, rows: number, position = 'top_right') =>
  board.draw('table.new', { position, columns, rows });
const cell = (board: Board, table_id: Drawing | null, column: number, row: number, more = {}) =>
  board.draw('table.cell', { table_id, column, row, ...more });
const cells = (board: Board) => board.list()[0]?.cells as readonly { column: number; row: number; text: string }[];
const places = (board: Board) => cells(board).map(({ column, row }) => [column, row]);

describe('a table', () => {
  it('has the defaults of the language and no cells', () => {
    const board = openBoard();
    table(board, 2, 3);
    expect(board.list()).toEqual([
      {
        ...{ kind: 'table', id: 1, position: 'top_right', columns: 2, rows: 3, bgcolor: null, frame_color: null },
        ...{ frame_width: 0, border_color: null, border_width: 0, force_overlay: false, cells: [], merged: [] },
      },
    ]);
  });

  it('is changed by each of its setters', () => {
    const board = openBoard();
    const id = table(board, 1, 1);
    const values = { position: 'bottom_left', frame_width: 2, border_width: 3 };
    for (const [name, value] of Object.entries(values)) board.call(`table.set_${name}`, id, value);
    for (const name of ['bgcolor', 'frame_color', 'border_color']) board.call(`table.set_${name}`, id, 0x010203ff);
    const color = '#010203FF';
    expect(board.list()).toMatchObject([{ ...values, bgcolor: color, frame_color: color, border_color: color }]);
  });

  it('does nothing once it is deleted, or when it is na', () => {
    const board = openBoard();
    const id = table(board, 1, 1);
    board.call('table.delete', id);
    const names = membersOf('table', 6).flatMap(({ kind, name }) => (kind === 'function' ? [name] : []));
    for (const name of names.filter((one) => one !== 'table.new'))
      for (const gone of [id, null]) expect(board.call(name, gone, 7, 7, 7, 7)).toBeUndefined();
    expect([board.list(), isNaDrawing(id), board.all('table').size()]).toEqual([[], true, 0]);
  });

  it('hides an older one at the same position until it goes or moves', () => {
    const board = openBoard();
    const shown = () => board.list().map(({ id }) => id);
    const [old, young] = [table(board, 1, 1), table(board, 1, 1)];
    table(board, 1, 1, 'top_left');
    expect([shown(), isNaDrawing(old), board.all('table').size()]).toEqual([[2, 3], false, 3]);
    board.call('table.set_position', old, 'middle_center');
    expect(shown()).toEqual([1, 2, 3]);
    board.call('table.set_position', old, 'top_right');
    expect(shown()).toEqual([2, 3]);
    board.call('table.delete', young);
    expect(shown()).toEqual([1, 3]);
  });

  it('made anew on every bar keeps the others and does not pile up', () => {
    const board = openBoard();
    const first = table(board, 1, 1, 'top_left');
    const second = table(board, 1, 1);
    for (let bar = 0; bar < 100; bar += 1) table(board, 1, 1);
    expect(board.all('table').size()).toBe(18);
    expect([isNaDrawing(first), isNaDrawing(second)]).toEqual([false, true]);
    expect(board.list().map(({ id }) => id)).toEqual([1, 102]);
  });

  it('has no cells to use when it has no columns or no rows', () => {
    const board = openBoard();
    const use = (columns: number, rows: number) => errorOf(() => cell(board, table(board, columns, rows), 0, 0));
    const noColumns = 'Column 0 is out of table bounds, number of columns is 0.';
    expect([use(0, 0), use(0, 1), use(Number.NaN, Number.NaN)]).toEqual(Array(3).fill(noColumns));
    expect(use(-1, 1)).toBe(
      "Invalid value of the 'columns' argument (-1) in the 'table.new' function. It must be >= 0.",
    );
    expect([use(5, 0), use(5, Number.NaN)]).toEqual(
      Array(2).fill('Row 0 is out of table bounds, number of rows is 0.'),
    );
    expect(board.list()).toMatchObject([{ columns: 5, rows: 0 }]);
  });

  it('has at most a million places', () => {
    const board = openBoard();
    table(board, 1000, 1000);
    expect(errorOf(() => table(board, 1000, 1001))).toBe(
      "In 'table.new()' function. 1000 columns and 1001 rows are more than 1000000 cells.",
    );
    expect(errorOf(() => table(board, Number.MAX_VALUE, 1))).toContain('are more than 1000000 cells.');
  });
});

describe('a cell', () => {
  it('has the defaults of the language, and each new definition starts from them', () => {
    const board = openBoard();
    const id = table(board, 2, 2);
    cell(board, id, 1, 0, { text: 'a', bgcolor: 0x010203ff, width: 5 });
    cell(board, id, 1, 0, { text: 'b' });
    expect(cells(board)).toEqual([
      {
        ...{ column: 1, row: 0, text: 'b', width: 0, height: 0, text_color: '#363A45FF', text_halign: 'center' },
        ...{ text_valign: 'center', text_size: 'normal', bgcolor: null, tooltip: '' },
        ...{ text_font_family: 'family_default', text_formatting: 'format_none' },
      },
    ]);
  });

  it('is changed by each of its setters', () => {
    const board = openBoard();
    const id = table(board, 2, 2);
    cell(board, id, 1, 1);
    const values = {
      ...{ text: 't', width: 10.5, height: 20, text_halign: 'left', text_valign: 'top', text_size: 12 },
      ...{ tooltip: 'tip', text_font_family: 'family_monospace', text_formatting: 'format_bold' },
    };
    for (const [name, value] of Object.entries(values)) board.call(`table.cell_set_${name}`, id, 1, 1, value);
    for (const name of ['text_color', 'bgcolor']) board.call(`table.cell_set_${name}`, id, 1, 1, 0x010203ff);
    expect(cells(board)).toMatchObject([{ ...values, text_color: '#010203FF', bgcolor: '#010203FF' }]);
  });

  it('that was never defined is not made by a setter', () => {
    const board = openBoard();
    board.call('table.cell_set_text', table(board, 1, 1), 0, 0, 'a');
    expect(cells(board)).toEqual([]);
  });

  it('outside the table is an error in each function that takes one', () => {
    const board = openBoard();
    const id = table(board, 2, 3);
    for (const name of ['cell', 'cell_set_text', 'clear', 'merge_cells'].map((one) => `table.${one}`)) {
      expect(errorOf(() => board.call(name, id, 2, 0, 0, 0))).toBe(
        'Column 2 is out of table bounds, number of columns is 2.',
      );
      expect(errorOf(() => board.call(name, id, 0, 3, 0, 0))).toBe(
        'Row 3 is out of table bounds, number of rows is 3.',
      );
      expect(errorOf(() => board.call(name, id, -1, 0, 0, 0))).toContain('Column -1 is out of table bounds');
    }
    for (const name of ['table.clear', 'table.merge_cells'])
      expect(errorOf(() => board.call(name, id, 0, 0, 1, 3))).toContain('Row 3 is out of table bounds');
    expect(cells(board)).toEqual([]);
  });

  it('with an index that is na is the first', () => {
    const board = openBoard();
    cell(board, table(board, 2, 2), Number.NaN, Number.NaN);
    expect(places(board)).toEqual([[0, 0]]);
  });

  it('takes a text of 40,960 characters and no longer one', () => {
    const board = openBoard();
    const id = table(board, 1, 1);
    cell(board, id, 0, 0, { text: 'a'.repeat(40_960) });
    const message = 'String is too long (40961 characters). Maximum length is 40960 characters.';
    expect(errorOf(() => cell(board, id, 0, 0, { tooltip: 'a'.repeat(40_961) }))).toBe(message);
    expect(errorOf(() => board.call('table.cell_set_text', id, 0, 0, 'a'.repeat(40_961)))).toBe(message);
  });

  it('is one of at most 20,000', () => {
    const board = openBoard();
    const id = table(board, 200, 101);
    for (let i = 0; i < 20_000; i += 1) board.call('table.cell', id, i % 200, Math.floor(i / 200), 'a');
    board.call('table.cell', id, 0, 0, 'again');
    expect(errorOf(() => board.call('table.cell', id, 0, 100, 'a'))).toBe(
      "In 'table.cell()' function. A table can have at most 20000 cells.",
    );
  });
});

describe('clearing', () => {
  it('empties one cell or a rectangle', () => {
    const board = openBoard();
    const id = table(board, 3, 3);
    for (let i = 0; i < 9; i += 1) cell(board, id, i % 3, Math.floor(i / 3));
    board.draw('table.clear', { table_id: id, start_column: 0, start_row: 0 });
    board.draw('table.clear', { table_id: id, start_column: 1, start_row: 1, end_column: 2, end_row: 2 });
    expect(places(board)).toEqual([
      [1, 0],
      [2, 0],
      [0, 1],
      [0, 2],
    ]);
    board.call('table.clear', id, 2, 2, 0, 0);
    expect(places(board)).toHaveLength(4);
  });

  it('takes merged cells apart', () => {
    const board = openBoard();
    const id = table(board, 3, 3);
    board.call('table.merge_cells', id, 0, 0, 1, 1);
    board.call('table.clear', id, 1, 1);
    expect(board.list()[0]?.merged).toHaveLength(1);
    board.call('table.clear', id, 0, 0);
    board.call('table.merge_cells', id, 1, 1, 2, 2);
    const merged = [{ start_column: 1, start_row: 1, end_column: 2, end_row: 2 }];
    expect(board.list()).toMatchObject([{ merged }]);
  });
});

describe('merging', () => {
  it('keeps the rectangle whether its cells are defined or not', () => {
    const board = openBoard();
    const id = table(board, 3, 3);
    board.call('table.merge_cells', id, 0, 0, 2, 0);
    board.call('table.merge_cells', id, 0, 0, 2, 0);
    board.call('table.merge_cells', id, 0, 1, 0, 2);
    expect(board.list()[0]?.merged).toEqual([
      { start_column: 0, start_row: 0, end_column: 2, end_row: 0 },
      { start_column: 0, start_row: 1, end_column: 0, end_row: 2 },
    ]);
  });

  it('of a cell that is merged already is an error', () => {
    const board = openBoard();
    const id = table(board, 3, 3);
    board.call('table.merge_cells', id, 1, 1, 2, 2);
    expect(errorOf(() => board.call('table.merge_cells', id, 0, 0, 1, 1))).toBe(
      "In 'table.merge_cells()' function. The cells from column 1, row 1 to column 2, row 2 are already merged.",
    );
  });

  it('can be done a thousand times in one table', () => {
    const board = openBoard();
    const id = table(board, 1001, 1);
    for (let i = 0; i < 1000; i += 1) board.call('table.merge_cells', id, i, 0, i, 0);
    expect(errorOf(() => board.call('table.merge_cells', id, 1000, 0, 1000, 0))).toBe(
      "In 'table.merge_cells()' function. A table can have at most 1000 merged cells.",
    );
  });
});
