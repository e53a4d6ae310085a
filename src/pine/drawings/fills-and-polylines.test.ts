// Tests of fills between lines and of polylines.

import { describe, expect, it } from 'vitest';
import { errorOf } from '../values/testing/library.ts';
import { type ChartPoint, type Drawing, isNaDrawing } from './index.ts';
import { type Board, openBoard } from './testing/board.ts';

const RED = 0xff0000ff;
const GREEN = 0x00ff0080;

const line = (board: Board, y = 1) => board.draw('line.new', { x1: 1, y1: y, x2: 2, y2: y });
const fill = (board: Board, line1: Drawing | null, line2: Drawing | null, color: number | null = RED) =>
  board.call<Drawing | null>('linefill.new', line1, line2, color);
const fills = (board: Board) => board.list().filter(({ kind }) => kind === 'linefill');

describe('a linefill', () => {
  it('names its lines and its color', () => {
    const board = openBoard();
    const [a, b] = [line(board), line(board)];
    const id = fill(board, a, b, GREEN);
    expect(fills(board)).toEqual([{ kind: 'linefill', id: 3, line1: 1, line2: 2, color: '#00FF0080' }]);
    expect([board.call('linefill.get_line1', id), board.call('linefill.get_line2', id)]).toEqual([a, b]);
    board.call('linefill.set_color', id, null);
    expect(fills(board)).toMatchObject([{ color: null }]);
    expect(board.all('linefill').toList()).toEqual([id]);
  });

  it('goes when it is deleted, or when one of its lines is', () => {
    const board = openBoard();
    const [a, b, c] = [line(board), line(board), line(board)];
    const [ab, bc, ca] = [fill(board, a, b), fill(board, b, c), fill(board, c, a)];
    board.call('linefill.delete', ca);
    board.call('linefill.delete', ca);
    expect(board.all('linefill').toList()).toEqual([ab, bc]);
    board.call('line.delete', b);
    expect(fills(board)).toEqual([]);
    expect([ab, bc, ca].map(isNaDrawing)).toEqual([true, true, true]);
    expect(board.call('linefill.get_line1', ab)).toBeNull();
    board.call('linefill.set_color', ab, GREEN);
    expect(board.all('line').toList()).toEqual([a, c]);
  });

  it('goes when the limit takes one of its lines', () => {
    const board = openBoard({ limits: { lines: 2, labels: 0, boxes: 0, polylines: 0 } });
    const [a, b] = [line(board), line(board)];
    const id = fill(board, a, b);
    for (let i = 0; i < 6; i += 1) line(board);
    expect([isNaDrawing(a), isNaDrawing(id), fills(board)]).toEqual([true, true, []]);
  });

  it('takes the place of the one between the same lines, in either order', () => {
    const board = openBoard();
    const [a, b] = [line(board), line(board)];
    const old = fill(board, a, b, RED);
    const young = fill(board, b, a, GREEN);
    expect(fills(board)).toMatchObject([{ id: 4, line1: 2, line2: 1, color: '#00FF0080' }]);
    expect([isNaDrawing(old), board.call('linefill.get_line1', old)]).toEqual([false, a]);
    board.call('linefill.delete', old);
    expect(board.all('linefill').toList()).toEqual([young]);
    board.call('linefill.delete', young);
    expect([isNaDrawing(old), isNaDrawing(young), fills(board)]).toEqual([true, true, []]);
    expect(isNaDrawing(fill(board, a, b))).toBe(false);
    expect(isNaDrawing(old)).toBe(true);
  });

  it('is na between lines that are not there', () => {
    const board = openBoard();
    const [a, b] = [line(board), line(board)];
    board.call('line.delete', b);
    expect([fill(board, a, b), fill(board, b, a), fill(board, null, a), fill(board, a, null)]).toEqual([
      null,
      null,
      null,
      null,
    ]);
    for (const name of ['delete', 'get_line1', 'get_line2', 'set_color']) board.call(`linefill.${name}`, null, RED);
    expect([board.call('linefill.get_line1', null), board.call('linefill.get_line2', null)]).toEqual([null, null]);
  });

  it('may lie between a line and itself', () => {
    const board = openBoard();
    const a = line(board);
    fill(board, a, a);
    board.call('line.delete', a);
    expect(board.list()).toEqual([]);
  });

  it('goes, the oldest first, beyond a thousand', () => {
    const board = openBoard({ limits: { lines: 500, labels: 0, boxes: 0, polylines: 0 } });
    const lines = Array.from({ length: 50 }, () => line(board));
    const ids: (Drawing | null)[] = [];
    for (const a of lines) for (const b of lines) if (a.id < b.id) ids.push(fill(board, a, b));
    expect(ids.length).toBe(1225);
    expect(board.all('linefill').toList()).toEqual(ids.slice(-1000));
  });
});

describe('a polyline', () => {
  const point = (board: Board, time: number, index: number, price: number) =>
    board.call<ChartPoint>('chart.point.new', time, index, price);

  it('has the defaults of the language and keeps its points as they were', () => {
    const board = openBoard();
    const moving = point(board, 1000, 1, 2);
    const points = board.points(moving, null, point(board, Number.NaN, 3, 4));
    const id = board.draw('polyline.new', { points });
    moving.f2 = 99;
    points.clear();
    expect(board.list()).toEqual([
      {
        ...{ kind: 'polyline', id: 1, curved: false, closed: false, xloc: 'bar_index', line_color: '#2962FFFF' },
        ...{ fill_color: null, line_style: 'style_solid', line_width: 1, force_overlay: false },
        points: [
          { time: 1000, index: 1, price: 2 },
          { time: null, index: null, price: null },
          { time: null, index: 3, price: 4 },
        ],
      },
    ]);
    expect(board.all('polyline').toList()).toEqual([id]);
    board.call('polyline.delete', id);
    board.call('polyline.delete', id);
    board.call('polyline.delete', null);
    expect([board.list(), isNaDrawing(id)]).toEqual([[], true]);
  });

  it('may have no points, but not no array', () => {
    const board = openBoard();
    board.draw('polyline.new', { points: board.points() });
    expect(board.list()).toMatchObject([{ points: [] }]);
    expect(errorOf(() => board.draw('polyline.new', { points: null }))).toBe(
      "Cannot call array methods when ID of array is 'na'.",
    );
  });

  it('takes 10,000 points and no more', () => {
    const board = openBoard();
    const many = board.points(...Array<ChartPoint>(10_000).fill(point(board, 1, 1, 1)));
    board.draw('polyline.new', { points: many });
    expect(board.list()[0]?.points).toHaveLength(10_000);
    many.push(point(board, 1, 1, 1));
    expect(errorOf(() => board.draw('polyline.new', { points: many }))).toBe(
      "In 'polyline.new()' function. The array has 10001 points, the maximum is 10000.",
    );
  });

  it('looks at the bar indices of its points only when it uses them', () => {
    const board = openBoard();
    const points = board.points(point(board, 1000, 601, 1));
    board.draw('polyline.new', { points, xloc: 'bar_time' });
    expect(errorOf(() => board.draw('polyline.new', { points }))).toBe(
      'Objects positioned using xloc.bar_index cannot be drawn further than 500 bars into the future.',
    );
  });
});
