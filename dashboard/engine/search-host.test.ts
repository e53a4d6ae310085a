// Tests of a search in its worker: the values there are, figures as those of a run by hand, and faults that stay with their run.

import { describe, expect, it } from 'vitest';
import { barColumns, compile, FIGURE_NAMES, strategyFigures } from '../../src/pine/index.ts';
import { SearchHost } from './search-host.ts';
import { CROSSING_AVERAGES, wavingBars } from './testing/crossing-averages.ts';

const bars = barColumns(wavingBars(200));
const GROUND = { source: CROSSING_AVERAGES, bars, symbol: { ticker: 'BTCUSDT' }, timeframe: '60', symbolBars: [] };
const spaceOf = (varied: Readonly<Record<string, { from: number; to: number; step?: number } | 'all'>>) =>
  new SearchHost().answer({ kind: 'space', source: CROSSING_AVERAGES, varied, fixed: {} });

describe('a search in its worker', () => {
  it('says which values there are to try', () => {
    expect(spaceOf({ Fast: { from: 2, to: 7, step: 2 }, 'Short too': 'all' })).toEqual({
      kind: 'space',
      space: {
        axes: [
          { title: 'Fast', values: [2, 4, 6] },
          { title: 'Short too', values: [false, true] },
        ],
        fixed: {},
      },
    });
  });

  it('leaves out what is fixed of an input that the script has no more', () => {
    const said = new SearchHost().answer({
      ...{ kind: 'space', source: CROSSING_AVERAGES, varied: { Fast: [2, 3] }, fixed: { Slow: 9, Gone: 1 } },
    });
    expect(said).toMatchObject({ kind: 'space', space: { fixed: { Slow: 9 } } });
  });

  it('compiles a script with the libraries that it imports', () => {
    const source =
      '//@version=6\nstrategy("L")\nimport me/Tools/1 as tools\nlength = input.int(2, "Length")\nplot(tools.twice(close))\n';
    const library = {
      ...{ namespace: 'me', name: 'Tools', version: 1 },
      source: '//@version=6\nlibrary("Tools")\nexport twice(float x) =>\n    x * 2\n',
    };
    const question = { kind: 'space', source, varied: { Length: [1, 2] }, fixed: {} } as const;
    expect(new SearchHost().answer({ ...question, libraries: [library] }).kind).toBe('space');
    expect(new SearchHost().answer(question).kind).toBe('fault');
  });

  it('says in the words of the engine what is wrong with them', () => {
    expect(spaceOf({ Fast: { from: 2, to: 30 } })).toEqual({
      kind: 'fault',
      message: expect.stringMatching(/"Fast" cannot be 21/),
    });
    expect(spaceOf({ Fast: { from: Number.NaN, to: 30 } })).toMatchObject({
      message: expect.stringContaining('not of numbers'),
    });
  });

  it('gives each run the figures that it has by hand', () => {
    const host = new SearchHost();
    expect(host.answer({ kind: 'prepare', ...GROUND })).toEqual({ kind: 'prepared' });
    const runs = [{ Fast: 2 }, { Fast: 4, Slow: 12, 'Short too': false }];
    const { program } = compile(CROSSING_AVERAGES);
    const byHand = runs.map((inputs) => {
      const figures = strategyFigures(program!.run(bars, { ...GROUND, inputs }), bars)!;
      expect(figures.total_trades).toBeGreaterThan(2);
      return { figures: FIGURE_NAMES.map((name) => figures[name]) };
    });
    expect(host.answer({ kind: 'try', runs })).toEqual({ kind: 'tried', outcomes: byHand });
  });

  it('keeps the fault of one run away from the others', () => {
    const host = new SearchHost();
    host.answer({ kind: 'prepare', ...GROUND });
    const runs = [{ Fast: 5, Slow: 9 }, { Fast: 4 }, { Fast: 99 }];
    expect(host.answer({ kind: 'try', runs })).toMatchObject({
      outcomes: [
        { fault: expect.stringMatching(/^line 7: .*not these two/) },
        { figures: expect.any(Array) },
        { fault: expect.stringContaining('cannot be 99') },
      ],
    });
  });

  it('of a script with errors, or one that is no strategy, says so', () => {
    const host = new SearchHost();
    expect(host.answer({ kind: 'prepare', ...GROUND, source: 'plot(' })).toMatchObject({ kind: 'fault' });
    host.answer({ kind: 'prepare', ...GROUND, source: '//@version=6\nindicator("I")\nplot(close)\n' });
    expect(host.answer({ kind: 'try', runs: [{}] })).toMatchObject({
      outcomes: [{ fault: expect.stringContaining('no strategy') }],
    });
  });
});
