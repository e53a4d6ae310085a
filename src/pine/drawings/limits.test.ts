// Tests of how many drawings a script has at once, and that those which went leave nothing behind.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Drawing, isNaDrawing } from './index.ts';
import { type Board, openBoard } from './testing/board.ts';

const LIMITED = { line: 'lines', label: 'labels', box: 'boxes', polyline: 'polylines' } as const;
type LimitedKind = keyof typeof LIMITED;

function make(board: Board, kind: LimitedKind): Drawing {
  if (kind === 'line') return board.call('line.new', 1, 1, 2, 2, 'bar_index');
  if (kind === 'label') return board.call('label.new', 1, 1, 'a', 'bar_index');
  if (kind === 'box') return board.call('box.new', 1, 1, 2, 2, null, 1, 'style_solid', 'none', 'bar_index', null, 'a');
  return board.call('polyline.new', board.points(), false, false, 'bar_index');
}

const boardOf = (kind: LimitedKind, limit: number) =>
  openBoard({ limits: { lines: 50, labels: 50, boxes: 50, polylines: 50, [LIMITED[kind]]: limit } });

describe.each(Object.keys(LIMITED) as LimitedKind[])('the limit of %s', (kind) => {
  const most = kind === 'polyline' ? 100 : 500;

  it.each([1, 2, 50, most])('keeps the newest %i when there are six more, and until then all', (limit) => {
    const board = boardOf(kind, limit);
    const made = Array.from({ length: limit + 5 }, () => make(board, kind));
    expect(board.all(kind).toList()).toEqual(made);
    made.push(make(board, kind));
    expect(board.all(kind).toList()).toEqual(made.slice(6));
    made.push(make(board, kind));
    expect(board.all(kind).toList()).toEqual(made.slice(6));
    expect(board.list().map(({ id }) => id)).toEqual(made.slice(6).map(({ id }) => id));
    expect(made.map(isNaDrawing)).toEqual(made.map((_, i) => i < 6));
  });

  it('is never more than the language allows, and never less than none', () => {
    const none = [0, 0.5, -1, Number.NaN].map((limit) => boardOf(kind, limit));
    for (const board of none) make(board, kind);
    const tooMany = boardOf(kind, most + 1);
    for (let i = 0; i < most + 6; i += 1) make(tooMany, kind);
    expect([tooMany, ...none].map((board) => board.all(kind).size())).toEqual([most, 0, 0, 0, 0]);
  });

  it('counts neither deleted ones nor other kinds', () => {
    const board = boardOf(kind, 2);
    const [a, b] = [make(board, kind), make(board, kind)];
    for (const other of Object.keys(LIMITED) as LimitedKind[]) if (other !== kind) make(board, other);
    board.call(`${kind}.delete`, b);
    const more = Array.from({ length: 6 }, () => make(board, kind));
    expect(board.all(kind).toList()).toEqual([a, ...more]);
  });
});

describe('the array of all', () => {
  it('is a new one each time, which a script may change as it likes', () => {
    const board = openBoard();
    const [a, b] = [make(board, 'label'), make(board, 'label')];
    const early = board.all('label');
    const c = make(board, 'label');
    early.push(c);
    board.call('label.delete', a);
    early.remove(1);
    expect([early.toList(), board.all('label').toList()]).toEqual([
      [a, c],
      [b, c],
    ]);
  });

  it('can be walked while its drawings are deleted', () => {
    const board = openBoard();
    for (let i = 0; i < 10; i += 1) make(board, 'line');
    for (const line of board.all('line').toList()) board.call('line.delete', line);
    expect(board.list()).toEqual([]);
  });
});

it('lists drawings of all kinds in the order they were made', () => {
  const board = openBoard();
  for (const kind of ['box', 'line', 'polyline', 'label', 'line', 'box'] as const) make(board, kind);
  expect(board.list().map(({ kind, id }) => `${kind} ${id}`)).toEqual([
    'box 1',
    'line 2',
    'polyline 3',
    'label 4',
    'line 5',
    'box 6',
  ]);
});

it('holds what a plain list of ids would hold', () => {
  const steps = fc.array(fc.tuple(fc.constantFrom('make', 'delete', 'copy'), fc.nat(20)), { maxLength: 60 });
  fc.assert(
    fc.property(fc.nat(6), steps, (limit, taken) => {
      const board = boardOf('line', limit);
      const made: Drawing[] = [];
      let held: Drawing[] = [];
      for (const [step, which] of taken) {
        const id = made[which % (made.length || 1)] ?? null;
        if (step === 'delete') {
          board.call('line.delete', id);
          held = held.filter((one) => one !== id);
          continue;
        }
        const copied = step === 'make' ? make(board, 'line') : board.call<Drawing | null>('line.copy', id);
        expect(copied === null).toBe(step === 'copy' && (id === null || !held.includes(id)));
        if (copied === null) continue;
        made.push(copied);
        held = [...held, copied];
        if (limit === 0) held = [];
        else if (held.length > limit + 5) held = held.slice(-limit);
      }
      expect(board.all('line').toList()).toEqual(held);
      expect(made.filter((id) => !isNaDrawing(id))).toEqual(held);
    }),
    { numRuns: 200 },
  );
});

describe('drawings that went', () => {
  it('know nothing of one another', () => {
    const board = openBoard();
    const first = make(board, 'label');
    let last = first;
    for (let bar = 0; bar < 100; bar += 1) {
      const next = make(board, 'label');
      board.call('label.delete', last);
      last = next;
    }
    expect([first.previous, first.next, last.previous, last.next]).toEqual([null, null, null, null]);
  });

  it('leave lines without memory of the fills they had', () => {
    const board = openBoard();
    const [a, b] = [make(board, 'line'), make(board, 'line')] as (Drawing & { fills: Map<Drawing, unknown> })[];
    for (let bar = 0; bar < 100; bar += 1) {
      board.call('linefill.delete', board.call('linefill.new', a, b, null));
      const gone = make(board, 'line');
      board.call('linefill.new', a, gone, null);
      board.call('line.delete', gone);
    }
    expect([a?.fills.size, b?.fills.size]).toEqual([0, 0]);
  });

  it('leave no note behind when a label is made and deleted on each of many bars', () => {
    const board = openBoard();
    for (let bar = 0; bar < 10_000; bar += 1) board.call('label.delete', make(board, 'label'));
    expect([board.all('label').size(), board.journal.pending]).toEqual([0, 0]);
  });
});
