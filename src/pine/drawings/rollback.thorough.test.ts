// Tests that a realtime tick leaves no trace on the drawings when it is computed again.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '../../../tests/support/thorough.ts';
import { type ChartPoint, type Drawing, type DrawingKind, isNaDrawing } from './index.ts';
import { type Board, openBoard } from './testing/board.ts';

const KINDS: readonly DrawingKind[] = ['line', 'linefill', 'polyline', 'label', 'box', 'table'];
const SMALL = { lines: 4, labels: 3, boxes: 2, polylines: 2 };

/** A script's variables: every id and point it ever got. */
class Script {
  readonly board: Board;
  readonly ids: Record<DrawingKind, (Drawing | null)[]> = {
    ...{ line: [], linefill: [], polyline: [], label: [], box: [], table: [] },
  };
  readonly points: ChartPoint[] = [];

  constructor(board: Board) {
    this.board = board;
  }

  step([operation, a, b, c]: Step): void {
    const { board, ids } = this;
    const pick = (kind: DrawingKind, n: number) => ids[kind].at(n % (ids[kind].length || 1)) ?? null;
    const operations: Record<string, () => unknown> = {
      line: () => ids.line.push(board.draw('line.new', { x1: a, y1: b, x2: c, y2: a })),
      label: () => ids.label.push(board.draw('label.new', { x: a, y: b, text: `${c}` })),
      box: () => ids.box.push(board.draw('box.new', { left: a, top: b, right: c, bottom: a })),
      fill: () => ids.linefill.push(board.call('linefill.new', pick('line', a), pick('line', b), c)),
      point: () => this.points.push(board.call('chart.point.new', a, b, c)),
      polyline: () => ids.polyline.push(board.draw('polyline.new', { points: board.points(...this.points.slice(-3)) })),
      table: () => ids.table.push(board.draw('table.new', { position: `p${a % 3}`, columns: 3, rows: 3 })),
      copy: () => {
        const kind = (['line', 'label', 'box'] as const)[a % 3]!;
        ids[kind].push(board.call(`${kind}.copy`, pick(kind, b)));
      },
      delete: () => board.call(`${KINDS[a % 6]}.delete`, pick(KINDS[a % 6]!, b)),
      'set line': () => board.call('line.set_xy1', pick('line', a), b, c),
      'set label': () => board.call('label.set_text', pick('label', a), `${b}`),
      'set box': () => board.call('box.set_rightbottom', pick('box', a), b, c),
      'set fill': () => board.call('linefill.set_color', pick('linefill', a), b),
      'set table': () => board.call('table.set_position', pick('table', a), `p${b % 3}`),
      'set point': () => {
        const point = this.points.at(a % (this.points.length || 1));
        point?.remember('f2');
        if (point !== undefined) point.f2 = b;
      },
      cell: () => board.draw('table.cell', { table_id: pick('table', a), column: b % 3, row: c % 3, text: `${a}` }),
      'set cell': () => board.call('table.cell_set_text', pick('table', a), b % 3, c % 3, `${a}.${b}`),
      clear: () => board.call('table.clear', pick('table', a), 0, 0, b % 3, c % 3),
      merge: () => board.call('table.merge_cells', pick('table', a), b % 3, c % 3, b % 3, c % 3),
    };
    operations[operation]!();
  }

  /** Everything a script could see. */
  view(): unknown {
    const { board, ids, points } = this;
    return structuredClone({
      list: board.list(),
      all: KINDS.map((kind) =>
        board
          .all(kind)
          .toList()
          .map((id) => id?.id),
      ),
      na: KINDS.map((kind) => ids[kind].map(isNaDrawing)),
      values: KINDS.map((kind) => ids[kind].map((id) => id?.values)),
      lines: ids.linefill.map((id) => board.call<Drawing | null>('linefill.get_line1', id)?.id),
      points: points.map(({ f0, f1, f2 }) => [f0, f1, f2]),
    });
  }

  /** What the variables held goes back with the bar too; the engine sees to it. */
  forget(counts: Record<DrawingKind, number>, points: number): void {
    for (const kind of KINDS) this.ids[kind].length = counts[kind];
    this.points.length = points;
  }

  counts(): Record<DrawingKind, number> {
    return Object.fromEntries(KINDS.map((kind) => [kind, this.ids[kind].length])) as Record<DrawingKind, number>;
  }
}

const OPERATIONS = [
  ...['line', 'label', 'box', 'fill', 'point', 'polyline', 'table', 'copy', 'delete', 'cell', 'clear', 'merge'],
  ...['set line', 'set label', 'set box', 'set fill', 'set table', 'set point', 'set cell'],
  // Most of what can go wrong is between these.
  ...['line', 'fill', 'delete', 'delete'],
];
type Step = readonly [operation: string, a: number, b: number, c: number];
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.tuple(fc.constantFrom(...OPERATIONS), fc.nat(20), fc.nat(20), fc.nat(20)),
  { maxLength: 40 },
);

describe('a tick', () => {
  it('is undone whatever it did, and computed again comes out the same', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(steps, steps), { minLength: 1, maxLength: 4 }), (bars) => {
        const board = openBoard({ limits: SMALL });
        const script = new Script(board);
        for (const [first, second] of bars) {
          board.journal.save();
          const [before, counts, points] = [script.view(), script.counts(), script.points.length];
          const tick = (ticked: readonly Step[]) => {
            for (const step of ticked) script.step(step);
            return script.view();
          };
          const undo = () => {
            board.journal.restore();
            script.forget(counts, points);
            expect(script.view()).toEqual(before);
          };
          const once = tick(first);
          undo();
          tick(second);
          undo();
          undo();
          expect(tick(first)).toEqual(once);
        }
      }),
      { numRuns: cases(300) },
    );
  });

  it('ends as a bar that was computed once', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(steps, steps), { maxLength: 4 }), (bars) => {
        const live = new Script(openBoard({ limits: SMALL }));
        const batch = new Script(openBoard({ limits: SMALL }));
        for (const [tick, close] of bars) {
          live.board.journal.save();
          const [counts, points] = [live.counts(), live.points.length];
          for (const step of tick) live.step(step);
          live.board.journal.restore();
          live.forget(counts, points);
          for (const step of close) live.step(step);
          for (const step of close) batch.step(step);
        }
        expect(live.view()).toEqual(batch.view());
      }),
      { numRuns: cases(200) },
    );
  });

  it('takes its new ids away, also from where they are kept', () => {
    const board = openBoard();
    board.journal.save();
    const label = board.draw('label.new', { x: 1, y: 1 });
    board.journal.restore();
    const again = board.draw('label.new', { x: 1, y: 1 });
    expect([isNaDrawing(label), isNaDrawing(again), again.id]).toEqual([true, false, label.id]);
  });

  it('leaves one note however many drawings it makes and deletes', () => {
    const board = openBoard();
    for (let i = 0; i < 50; i += 1) board.draw('label.new', { x: 1, y: 1 });
    for (let tick = 0; tick < 20; tick += 1) {
      board.journal.save();
      for (let i = 0; i < 500; i += 1) board.call('label.new', 1, 1, 'a', 'bar_index');
      // Fifty of them took the place of older ones, once.
      expect(board.journal.pending).toBe(51);
      board.journal.restore();
      expect([board.journal.pending, board.all('label').size()]).toEqual([0, 50]);
    }
  });

  it('costs nothing when it draws nothing', () => {
    const board = openBoard();
    board.draw('label.new', { x: 1, y: 1 });
    board.journal.save();
    board.list();
    board.all('label');
    expect(board.journal.pending).toBe(0);
  });
});
