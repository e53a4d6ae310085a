// Tests of lines, labels, boxes and the points of the chart.

import { describe, expect, it } from 'vitest';
import { membersOf } from '../builtins/index.ts';
import { errorOf } from '../values/testing/library.ts';
import { type ChartPoint, type Drawing, isNaDrawing } from './index.ts';
import { openBoard } from './testing/board.ts';

const BLUE = '#2962FFFF';
const RED = 0xf23645ff;

describe('a line', () => {
  it('has the defaults of the language', () => {
    const board = openBoard();
    board.draw('line.new', { x1: 90, y1: 1.5, x2: 100, y2: 2.5 });
    const coordinates = { x1: 90, y1: 1.5, x2: 100, y2: 2.5 };
    const look = { xloc: 'bar_index', extend: 'none', color: BLUE, style: 'style_solid', width: 1 };
    expect(board.list()).toEqual([{ kind: 'line', id: 1, ...coordinates, ...look, force_overlay: false }]);
  });

  it('is made from two points by bar index or by time', () => {
    const board = openBoard();
    const first = board.call('chart.point.new', 1000, 90, 1);
    const second = board.call('chart.point.new', 2000, 95, 2);
    board.draw('line.new', { first_point: first, second_point: second });
    board.draw('line.new', { first_point: first, second_point: second, xloc: 'bar_time', width: 3 });
    expect(board.list()).toMatchObject([
      { x1: 90, y1: 1, x2: 95, y2: 2, xloc: 'bar_index', width: 1 },
      { x1: 1000, y1: 1, x2: 2000, y2: 2, xloc: 'bar_time', width: 3 },
    ]);
  });

  it('stands nowhere when its points are na', () => {
    const board = openBoard();
    board.draw('line.new', { first_point: null, second_point: null });
    expect(board.list()).toMatchObject([{ x1: null, y1: null, x2: null, y2: null }]);
  });

  it('is changed by each of its setters', () => {
    const board = openBoard();
    const line = board.draw('line.new', { x1: 1, y1: 1, x2: 2, y2: 2 });
    board.call('line.set_x1', line, 11);
    board.call('line.set_y1', line, 12);
    board.call('line.set_x2', line, 13);
    board.call('line.set_y2', line, 14);
    expect(['x1', 'y1', 'x2', 'y2'].map((name) => board.call(`line.get_${name}`, line))).toEqual([11, 12, 13, 14]);
    board.call('line.set_xy1', line, 21, 22);
    board.call('line.set_xy2', line, 23, 24);
    board.call('line.set_color', line, null);
    board.call('line.set_extend', line, 'both');
    board.call('line.set_style', line, 'style_dashed');
    board.call('line.set_width', line, 4);
    const look = { color: null, extend: 'both', style: 'style_dashed', width: 4 };
    expect(board.list()).toMatchObject([{ x1: 21, y1: 22, x2: 23, y2: 24, ...look }]);
    board.call('line.set_xloc', line, 5000, 6000, 'bar_time');
    board.call('line.set_first_point', line, board.call('chart.point.new', 7000, 1, 8));
    board.call('line.set_second_point', line, board.call('chart.point.from_index', 1, 9));
    expect(board.list()).toMatchObject([{ x1: 7000, y1: 8, x2: null, y2: 9, xloc: 'bar_time' }]);
  });

  it('has a price at every bar as if it had no end', () => {
    const board = openBoard();
    const line = board.draw('line.new', { x1: 10, y1: 100, x2: 20, y2: 110 });
    const prices = [0, 10, 15, 20, 30].map((x) => board.call('line.get_price', line, x));
    expect(prices).toEqual([90, 100, 105, 110, 120]);
    expect(board.call('line.get_price', line, Number.NaN)).toBeNaN();
    const upright = board.draw('line.new', { x1: 10, y1: 100, x2: 10, y2: 110 });
    expect(board.call('line.get_price', upright, 10)).toBeNaN();
    expect(board.call('line.get_price', null, 10)).toBeNaN();
  });

  it('has no price at a bar when it is placed by time', () => {
    const board = openBoard();
    const line = board.draw('line.new', { x1: 10, y1: 100, x2: 20, y2: 110, xloc: 'bar_time' });
    expect(errorOf(() => board.call('line.get_price', line, 15))).toBe(
      "`line.get_price()` can only be called for lines created using 'xloc.bar_index'.",
    );
  });
});

describe('a label', () => {
  it.each([
    [5, '#363A45FF'],
    [6, '#FFFFFFFF'],
  ] as const)('has the defaults of version %i', (version, textcolor) => {
    const board = openBoard({ version });
    board.draw('label.new', { x: 90, y: 1.5 });
    const { kind, id, ...properties } = board.list()[0]!;
    expect({ kind, id }).toEqual({ kind: 'label', id: 1 });
    expect(properties).toEqual({
      ...{ x: 90, y: 1.5, text: '', xloc: 'bar_index', yloc: 'price', color: BLUE, style: 'style_label_down' },
      ...{ textcolor, size: 'normal', textalign: 'center', tooltip: '', text_font_family: 'family_default' },
      ...{ force_overlay: false, text_formatting: 'format_none' },
    });
  });

  it('is made from a point', () => {
    const board = openBoard();
    board.draw('label.new', { point: board.call('chart.point.now', 7), text: 'now', yloc: 'abovebar' });
    expect(board.list()).toMatchObject([{ x: 100, y: 7, text: 'now', yloc: 'abovebar' }]);
  });

  it('is changed by each of its setters', () => {
    const board = openBoard();
    const label = board.draw('label.new', { x: 1, y: 1 });
    const plain = { color: RED, size: 20, style: 'style_flag', text: 'b', text_font_family: 'family_monospace' };
    const more = { text_formatting: 'format_bold', textalign: 'left', textcolor: null, tooltip: 't', yloc: 'belowbar' };
    for (const [name, value] of Object.entries({ ...plain, ...more, x: 5, y: 6 }))
      board.call(`label.set_${name}`, label, value);
    expect(board.list()).toMatchObject([{ ...plain, ...more, x: 5, y: 6, color: '#F23645FF' }]);
    expect(['x', 'y', 'text'].map((name) => board.call(`label.get_${name}`, label))).toEqual([5, 6, 'b']);
    board.call('label.set_xy', label, 7, 8);
    expect(board.list()).toMatchObject([{ x: 7, y: 8 }]);
    board.call('label.set_xloc', label, 9000, 'bar_time');
    board.call('label.set_point', label, board.call('chart.point.from_time', 9500, 4));
    expect(board.list()).toMatchObject([{ x: 9500, y: 4, xloc: 'bar_time' }]);
  });

  it('takes a text of 40,960 characters and no longer one', () => {
    const board = openBoard();
    const label = board.draw('label.new', { x: 1, y: 1, text: 'a'.repeat(40_960), tooltip: null });
    const tooLong = 'a'.repeat(40_961);
    const message = 'String is too long (40961 characters). Maximum length is 40960 characters.';
    expect(errorOf(() => board.draw('label.new', { x: 1, y: 1, text: tooLong }))).toBe(message);
    expect(errorOf(() => board.call('label.set_tooltip', label, tooLong))).toBe(message);
    expect(errorOf(() => board.draw('label.new', { point: null, tooltip: tooLong }))).toBe(message);
  });
});

describe('a box', () => {
  it('has the defaults of the language', () => {
    const board = openBoard();
    board.draw('box.new', { left: 90, top: 2, right: 95, bottom: 1 });
    expect(board.list()).toEqual([
      {
        ...{ kind: 'box', id: 1, left: 90, top: 2, right: 95, bottom: 1, border_color: BLUE, border_width: 1 },
        ...{ border_style: 'style_solid', extend: 'none', xloc: 'bar_index', bgcolor: BLUE, text: '' },
        ...{ text_size: 'auto', text_color: '#363A45FF', text_halign: 'center', text_valign: 'center' },
        ...{ text_wrap: 'none', text_font_family: 'family_default', force_overlay: false },
        text_formatting: 'format_none',
      },
    ]);
  });

  it('is made from two corners', () => {
    const board = openBoard();
    const top_left = board.call('chart.point.new', 1000, 90, 2);
    const bottom_right = board.call('chart.point.new', 2000, 95, 1);
    board.draw('box.new', { top_left, bottom_right, text: 'x' });
    board.draw('box.new', { top_left, bottom_right, xloc: 'bar_time' });
    expect(board.list()).toMatchObject([
      { left: 90, top: 2, right: 95, bottom: 1, text: 'x' },
      { left: 1000, top: 2, right: 2000, bottom: 1 },
    ]);
  });

  it('is changed by each of its setters', () => {
    const board = openBoard();
    const box = board.draw('box.new', { left: 1, top: 2, right: 3, bottom: 4 });
    const plain = { left: 11, top: 12, right: 13, bottom: 14, border_width: 5, border_style: 'style_dotted' };
    const text = { text: 't', text_size: 9, text_halign: 'left', text_valign: 'top', text_wrap: 'auto' };
    const more = { extend: 'left', text_font_family: 'family_monospace', text_formatting: 'format_italic' };
    const colors = { border_color: RED, bgcolor: null, text_color: 0 };
    for (const [name, value] of Object.entries({ ...plain, ...text, ...more, ...colors }))
      board.call(`box.set_${name}`, box, value);
    const shown = { border_color: '#F23645FF', bgcolor: null, text_color: '#00000000' };
    expect(board.list()).toMatchObject([{ ...plain, ...text, ...more, ...shown }]);
    const got = ['left', 'top', 'right', 'bottom'].map((name) => board.call(`box.get_${name}`, box));
    expect(got).toEqual([11, 12, 13, 14]);
    board.call('box.set_lefttop', box, 21, 22);
    board.call('box.set_rightbottom', box, 23, 24);
    expect(board.list()).toMatchObject([{ left: 21, top: 22, right: 23, bottom: 24 }]);
    board.call('box.set_top_left_point', box, board.call('chart.point.from_index', 31, 32));
    board.call('box.set_bottom_right_point', box, board.call('chart.point.from_index', 33, 34));
    expect(board.list()).toMatchObject([{ left: 31, top: 32, right: 33, bottom: 34 }]);
    board.call('box.set_xloc', box, 1000, 2000, 'bar_time');
    expect(board.list()).toMatchObject([{ left: 1000, right: 2000, xloc: 'bar_time' }]);
  });
});

const MAKE = {
  line: { x1: 1, y1: 1, x2: 2, y2: 2 },
  label: { x: 1, y: 1, text: 'a' },
  box: { left: 1, top: 2, right: 3, bottom: 1 },
} as const;

describe.each(['line', 'label', 'box'] as const)('the id of a %s', (kind) => {
  const setters = membersOf(kind, 6).flatMap(({ name, member }) => (member.startsWith('set_') ? [name] : []));
  const getters = membersOf(kind, 6).flatMap(({ name, member }) => (member.startsWith('get_') ? [name] : []));

  it('copies into a drawing of its own', () => {
    const board = openBoard();
    const id = board.draw(`${kind}.new`, MAKE[kind]);
    const copy = board.call<Drawing>(`${kind}.copy`, id);
    board.call(`${kind}.set_color`.replace('box.set_color', 'box.set_bgcolor'), copy, null);
    const [first, second] = board.list();
    expect(second).toEqual({ ...first, id: 2, [kind === 'box' ? 'bgcolor' : 'color']: null });
    expect(board.all(kind).toList()).toEqual([id, copy]);
  });

  it('reads as na once the drawing is deleted, and nothing brings it back', () => {
    const board = openBoard();
    const id = board.draw(`${kind}.new`, MAKE[kind]);
    expect(isNaDrawing(id)).toBe(false);
    board.call(`${kind}.delete`, id);
    board.call(`${kind}.delete`, id);
    for (const name of setters) board.call(name, id, 1, 1, 1);
    for (const name of getters) expect(board.call(name, id, 1) ?? Number.NaN).toBeNaN();
    expect(board.call(`${kind}.copy`, id)).toBeNull();
    expect([isNaDrawing(id), board.list(), board.all(kind).size()]).toEqual([true, [], 0]);
  });

  it('may be na everywhere', () => {
    const board = openBoard();
    expect(getters.length).toBeGreaterThan(2);
    for (const name of setters) expect(board.call(name, null, 1, 1, 1)).toBeUndefined();
    for (const name of getters) expect(board.call(name, null, 1) ?? Number.NaN).toBeNaN();
    expect(board.call(`${kind}.copy`, null)).toBeNull();
    board.call(`${kind}.delete`, null);
    expect([board.list(), isNaDrawing(null)]).toEqual([[], true]);
  });
});

describe('a bar index', () => {
  const FUTURE = 'Objects positioned using xloc.bar_index cannot be drawn further than 500 bars into the future.';
  const past = (argument: string, call: string) =>
    `Bar index value of the \`${argument}\` argument (4999) in \`${call}()\` is too far from the current bar index. Try using \`time\` instead.`;

  it('may be 500 bars ahead and 10,000 bars back', () => {
    const board = openBoard();
    board.bar.index = 15_000;
    const line = board.draw('line.new', { x1: 5000, y1: 1, x2: 15_500, y2: 1 });
    expect(errorOf(() => board.draw('line.new', { x1: 0, y1: 1, x2: 15_501, y2: 1 }))).toBe(
      past('x1', 'line.new').replace('4999', '0'),
    );
    expect(errorOf(() => board.draw('label.new', { x: 15_501, y: 1 }))).toBe(FUTURE);
    expect(errorOf(() => board.draw('box.new', { left: 15_000, top: 1, right: 4999, bottom: 1 }))).toBe(
      past('right', 'box.new'),
    );
    expect(errorOf(() => board.call('line.set_x2', line, 15_501))).toBe(FUTURE);
    expect(errorOf(() => board.call('line.set_xy1', line, 4999, 1))).toBe(past('x1', 'line.set_xy1'));
    const far = board.call('chart.point.from_index', 4999, 1);
    expect(errorOf(() => board.call('line.set_first_point', line, far))).toBe(past('point', 'line.set_first_point'));
    expect(errorOf(() => board.draw('label.new', { point: far }))).toBe(past('point', 'label.new'));
    expect(board.list()).toMatchObject([{ x1: 5000, x2: 15_500 }]);
  });

  it('may be 500 bars ahead of the last bar of the chart, whichever bar runs', () => {
    const board = openBoard();
    board.bar.last = 1000;
    board.draw('label.new', { x: 1500, y: 1 });
    expect(errorOf(() => board.draw('label.new', { x: 1501, y: 1 }))).toBe(FUTURE);
    board.bar.index = 1001;
    board.draw('label.new', { x: 1501, y: 1 });
    expect(board.list()).toMatchObject([{ x: 1500 }, { x: 1501 }]);
  });

  it('is not looked at when the drawing is placed by time', () => {
    const board = openBoard();
    const line = board.draw('line.new', { x1: 5e12, y1: 1, x2: -5e12, y2: 1, xloc: 'bar_time' });
    board.call('line.set_x1', line, 6e12);
    expect(errorOf(() => board.call('line.set_xloc', line, 6e12, 1, 'bar_index'))).toBe(FUTURE);
    expect(board.list()).toMatchObject([{ x1: 6e12, x2: -5e12, xloc: 'bar_time' }]);
  });
});

describe('a chart.point', () => {
  it('holds time, index and price by the way it is made', () => {
    const board = openBoard();
    const fields = ({ f0, f1, f2 }: ChartPoint) => [f0, f1, f2];
    expect(fields(board.call('chart.point.new', 1, 2, 3))).toEqual([1, 2, 3]);
    expect(fields(board.call('chart.point.from_index', 2, 3))).toEqual([Number.NaN, 2, 3]);
    expect(fields(board.call('chart.point.from_time', 1, 3))).toEqual([1, Number.NaN, 3]);
    expect(fields(board.call('chart.point.now', 3))).toEqual([1_700_000_000_000, 100, 3]);
    expect(fields(board.call('chart.point.now'))).toEqual([1_700_000_000_000, 100, 42]);
    expect(board.call('chart.point.copy', null)).toBeNull();
  });

  it('moves no drawing that was made from it', () => {
    const board = openBoard();
    const point = board.call<ChartPoint>('chart.point.new', 1, 2, 3);
    const label = board.draw('label.new', { point });
    board.call('label.set_point', label, point);
    const copy = board.call<ChartPoint>('chart.point.copy', point);
    point.remember('f2');
    point.f2 = 9;
    expect([copy.f2, board.call('label.get_y', label)]).toEqual([3, 3]);
  });

  it('goes back to its fields at the save', () => {
    const board = openBoard();
    const point = board.call<ChartPoint>('chart.point.new', 1, 2, 3);
    board.journal.save();
    for (const [field, value] of [
      ['f0', 7],
      ['f1', 8],
      ['f2', 9],
    ] as const) {
      point.remember(field);
      point[field] = value;
    }
    board.journal.restore();
    expect([point.f0, point.f1, point.f2]).toEqual([1, 2, 3]);
  });
});
