// Tests of the result of a run: names of outputs, series, how each is drawn, and what the script says of itself.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CheckedProgram } from '../check/tree.ts';
import { createMarket } from './market.ts';
import type { OutputData } from './output-data.ts';
import { buildResult, type RunResult } from './result.ts';
import { namedOutputs } from './result-series.ts';
import { output, plot, programOf } from './testing/outputs.ts';

const NA = Number.NaN;
const RED = 0xff0000ff;
const GREEN = 0x00ff0080;
const NOTHING = { list: () => [], dropped: 0 };

function resultOf(outputs: readonly OutputData[], count = 3, over: Partial<CheckedProgram> = {}): RunResult {
  return buildResult({
    program: programOf(outputs, over),
    outputs,
    alerts: NOTHING,
    logs: NOTHING,
    drawings: [],
    inputs: [],
    market: createMarket({ ticker: 'X:Y' }, '60', 6),
    count,
    leftOut: 0,
    broker: null,
    warnings: [],
  });
}

const seriesOf = (result: RunResult) => [...result.series].map(([name, column]) => [name, [...column]]);
const metaOf = (data: OutputData, over?: Partial<CheckedProgram>) =>
  [...resultOf([data], 3, over).plotMeta.values()][0]!;

describe('series', () => {
  it('stand in the order of the script, whatever they are called', () => {
    const result = resultOf([plot('z', [1, 2, 3]), plot('50', [4, 5, 6]), plot('__proto__', [7, NA, 9])]);
    expect(seriesOf(result)).toEqual([
      ['z', [1, 2, 3]],
      ['50', [4, 5, 6]],
      ['__proto__', [7, NA, 9]],
    ]);
    expect([...result.plots]).toEqual([1, 2, 3]);
    expect(result.count).toBe(3);
  });

  it('are made by plots, shapes, characters, arrows, bars, candles and levels', () => {
    const bar = { open: [1, 1, 1], high: [2, 2, 2], low: [0, 0, 0], close: [1, 2, 1] };
    const result = resultOf([
      output('plotshape', 'S', {}, { series: [0, 1, 0] }),
      output('plotchar', 'C', {}, { series: [1, NA, 1] }),
      output('plotarrow', 'A', {}, { series: [-1, 0, 1] }),
      output('plotbar', 'B', {}, bar),
      output('plotcandle', 'K', {}, bar),
      output('hline', 'H', { price: 70 }),
      output('alertcondition', 'X', {}, { condition: [1, 1, 1] }),
    ]);
    expect(seriesOf(result)).toEqual([
      ['S', [0, 1, 0]],
      ['C', [1, NA, 1]],
      ['A', [-1, 0, 1]],
      ...['B', 'K'].flatMap((title) => Object.entries(bar).map(([part, values]) => [`${title}: ${part}`, values])),
      ['H', [70, 70, 70]],
    ]);
    expect([...result.plotMeta.keys()]).toEqual(['S', 'C', 'A', 'B', 'K', 'H']);
    expect(result.plotMeta.get('K')?.series).toEqual(['K: open', 'K: high', 'K: low', 'K: close']);
  });

  it('of a value that never changes are that value on every bar', () => {
    const values = [14, true, false, null].map((series) => output('plotshape', null, { series }));
    expect(seriesOf(resultOf(values, 2)).map(([, column]) => column)).toEqual([
      [14, 14],
      [1, 1],
      [0, 0],
      [NA, NA],
    ]);
  });

  it('keep raw values, also with offset and show_last, and are no longer than the bars', () => {
    const data = plot('A', [1 / 3, 2, 3, 99], { offset: -5, show_last: 1 });
    expect(seriesOf(resultOf([data]))).toEqual([['A', [1 / 3, 2, 3]]]);
    expect(metaOf(data).settings).toMatchObject({ offset: -5, show_last: 1 });
    expect(resultOf([data]).plots.buffer).toBe(data.columns.series?.buffer);
  });

  it('are none of a script without plots, and empty of a run without bars', () => {
    expect(resultOf([output('bgcolor', null, {}, { color: [RED, RED, NA] })]).plots).toHaveLength(0);
    const empty = resultOf([plot('A', []), output('hline', 'H', { price: 1 })], 0);
    expect(seriesOf(empty)).toEqual([
      ['A', []],
      ['H', []],
    ]);
  });
});

describe('names', () => {
  const namesOf = (...outputs: readonly OutputData[]) =>
    namedOutputs(outputs.map(({ spec }) => spec)).map(({ title }) => title);
  const fill = (title: string | null) => output('fill', title, { plot1: 0, plot2: 1 });

  it('are the titles, else the kind, with a number from the second on', () => {
    expect(namesOf(plot(null, []), plot(null, []), plot('MA', []), plot('MA', []), plot(null, []))).toEqual([
      'Plot',
      'Plot 2',
      'MA',
      'MA 2',
      'Plot 3',
    ]);
    const kinds = [
      'plotshape',
      'plotchar',
      'plotarrow',
      'plotbar',
      'plotcandle',
      'hline',
      'fill',
      'bgcolor',
      'barcolor',
    ];
    expect(namesOf(...kinds.map((kind) => output(kind, null)))).toEqual([
      'Shapes',
      'Characters',
      'Arrows',
      'Bars',
      'Candles',
      'Level',
      'Fill',
      'Background',
      'Bar color',
    ]);
  });

  it('given by a title go before those made up here', () => {
    expect(namesOf(plot(null, []), plot(null, []), plot('Plot', []), plot('Plot 2', []))).toEqual([
      'Plot 3',
      'Plot 4',
      'Plot',
      'Plot 2',
    ]);
    expect(namesOf(plot('MA', []), plot('MA', []), plot('MA 2', []))).toEqual(['MA', 'MA 3', 'MA 2']);
  });

  it('of a series go before those of a fill or a color', () => {
    expect(namesOf(fill('BB'), plot('BB', []), plot('BB', []))).toEqual(['BB 3', 'BB', 'BB 2']);
  });

  it('of candles leave room for their parts', () => {
    const candle = (title: string) => output('plotcandle', title);
    expect(namesOf(plot('K: low', []), candle('K'), candle('K'))).toEqual(['K: low', 'K 2', 'K 3']);
  });

  it('are never the same twice, whatever the titles are', () => {
    const title = fc.constantFrom(null, 'A', 'A 2', 'A 3', 'Plot', 'Plot 2', 'A: open', 'A 2: open', '');
    const kind = fc.constantFrom('plot', 'plotcandle', 'fill', 'hline');
    fc.assert(
      fc.property(fc.array(fc.tuple(kind, title), { maxLength: 20 }), (calls) => {
        const named = namedOutputs(calls.map(([name, one]) => output(name, one).spec));
        const titles = named.map((one) => one.title);
        const series = named.flatMap((one) => one.series.map(({ name }) => name));
        expect(new Set(titles).size).toBe(calls.length);
        expect(new Set(series).size).toBe(series.length);
        expect(named.map(({ place }) => place)).toEqual(calls.map((_, place) => place));
      }),
      { numRuns: 200 },
    );
  });

  it('of a thousand plots with one title are found at once', () => {
    const names = namesOf(...Array.from({ length: 1000 }, () => plot('same', [])));
    expect([names[0], names.at(-1), new Set(names).size]).toEqual(['same', 'same 1000', 1000]);
  });
});

describe('the meta of an output', () => {
  it('has its kind and settings, styles by their short names, and colors as text', () => {
    const data = plot('A', [1, 2, 3], {
      color: RED,
      linewidth: 2,
      style: 'style_histogram',
      linestyle: 'linestyle_dashed',
      histbase: 50,
      trackprice: false,
      display: 'pane',
      editable: true,
      force_overlay: false,
    });
    expect(metaOf(data)).toEqual({
      title: 'A',
      kind: 'plot',
      series: ['A'],
      settings: {
        color: '#FF0000',
        linewidth: 2,
        style: 'histogram',
        linestyle: 'dashed',
        histbase: 50,
        trackprice: false,
        display: 'pane',
        force_overlay: false,
        overlay: false,
      },
      columns: {},
    });
    const level = output('hline', 'H', { price: 70, color: GREEN, linestyle: 'style_dotted', linewidth: 1 });
    expect(metaOf(level).settings).toEqual({
      price: 70,
      color: '#00FF0080',
      linestyle: 'dotted',
      linewidth: 1,
      overlay: false,
    });
  });

  it('of a shape or a character has its mark, place, size and text', () => {
    const settings = { location: 'belowbar', size: 'tiny', text: 'style_up', color: RED };
    const shape = output('plotshape', 'S', { ...settings, style: 'triangleup' }, { textcolor: [GREEN, GREEN, GREEN] });
    expect(metaOf(shape).settings).toEqual({
      color: '#FF0000',
      style: 'triangleup',
      location: 'belowbar',
      text: 'style_up',
      textcolor: '#00FF0080',
      size: 'tiny',
      overlay: false,
    });
    expect(metaOf(output('plotchar', 'C', { char: 'x' })).settings).toMatchObject({ char: 'x', color: '#2962FF' });
    expect(metaOf(output('plotchar', 'C', { color: null })).settings).toMatchObject({ char: '★', color: null });
  });

  it('of an arrow has the color upwards as its own too', () => {
    const arrow = output('plotarrow', 'A', { colorup: RED, colordown: GREEN, minheight: 5, maxheight: 100 });
    expect(metaOf(arrow).settings).toMatchObject({
      color: '#FF0000',
      colorup: '#FF0000',
      colordown: '#00FF0080',
      minheight: 5,
      maxheight: 100,
    });
  });

  it('has colors per bar only where they change, beside the last one there is', () => {
    const colors = (...color: number[]) => metaOf(output('plot', 'A', {}, { series: [1, 2, 3], color }));
    const changing = colors(RED, GREEN, NA);
    expect([changing.settings.color, [...changing.columns.color!]]).toEqual(['#00FF0080', [RED, GREEN, NA]]);
    expect([colors(RED, RED, RED).settings.color, colors(RED, RED, RED).columns]).toEqual(['#FF0000', {}]);
    expect([colors(NA, NA, NA).settings.color, colors(NA, NA, NA).columns]).toEqual([null, {}]);
    // Places beyond the bars do not count.
    expect(colors(RED, RED, RED, GREEN).columns).toEqual({});
  });

  it('of background and bar colors is their column', () => {
    const background = metaOf(output('bgcolor', 'B', {}, { color: [RED, NA, GREEN] }));
    expect([background.series, [...background.columns.color!], background.settings.overlay]).toEqual([
      [],
      [RED, NA, GREEN],
      false,
    ]);
    expect(metaOf(output('barcolor', 'B', { color: RED })).settings).toEqual({ color: '#FF0000', overlay: true });
  });

  it('of a fill names what it lies between, wherever the emitter keeps it', () => {
    const outputs = [
      plot(null, [1, 1, 1]),
      plot('Top', [2, 2, 2]),
      output('fill', 'F', { plot1: 0, color: RED }, { plot2: [1, 1, 1] }),
      output('hline', 'L', { price: 1 }),
      output('hline', null, { price: 2 }),
      output('fill', 'G', { hline1: 3, hline2: 4, color: RED }),
    ];
    const { plotMeta } = resultOf(outputs);
    expect(plotMeta.get('F')?.settings).toMatchObject({ plot1: 'Plot', plot2: 'Top', color: '#FF0000' });
    expect(plotMeta.get('G')?.settings).toMatchObject({ hline1: 'L', hline2: 'Level' });
    expect(plotMeta.get('F')?.columns).toEqual({});
  });

  it('of a gradient has the values and colors at its ends', () => {
    const gradient = output(
      'fill',
      'F',
      { plot1: 0, plot2: 1, top_color: RED, bottom_value: 0 },
      { top_value: [1, 2, NA], bottom_color: [RED, GREEN, RED] },
    );
    const { settings, columns } = resultOf([plot('A', [1, 1, 1]), plot('B', [1, 1, 1]), gradient]).plotMeta.get('F')!;
    expect(settings).toMatchObject({ top_value: 2, bottom_value: 0, top_color: '#FF0000', bottom_color: '#FF0000' });
    expect([[...columns.top_value!], [...columns.bottom_color!]]).toEqual([
      [1, 2, NA],
      [RED, GREEN, RED],
    ]);
  });

  it('shades the opaque colors of a v5 script by its transp argument', () => {
    const half = output('bgcolor', 'B', { transp: 50 }, { color: [RED, GREEN, NA] });
    expect([...metaOf(half).columns.color!]).toEqual([0xff000080, GREEN, NA]);
    expect(metaOf(output('bgcolor', 'B', { transp: 100, color: RED })).settings).toEqual({
      color: '#FF000000',
      overlay: false,
    });
    expect(metaOf(output('bgcolor', 'B', { transp: 0, color: RED })).settings.color).toBe('#FF0000');
    expect(metaOf(output('bgcolor', 'B', { transp: 50, color: null })).settings.color).toBeNull();
  });

  it('says whether the output lies on the chart itself', () => {
    const overlays = (settings: Record<string, unknown>, overlay: boolean) =>
      metaOf(plot('A', [1, 2, 3], settings), { settings: { overlay } }).settings.overlay;
    expect([overlays({}, false), overlays({}, true), overlays({ force_overlay: true }, false)]).toEqual([
      false,
      true,
      true,
    ]);
  });

  it('leaves out what the script left to its kind', () => {
    const { settings } = metaOf(plot('A', [1, 2, 3], { precision: undefined }));
    expect(settings).toEqual({ color: null, overlay: false });
  });
});

describe('the meta of a script', () => {
  it('is what it declares, with defaults for the rest', () => {
    expect(resultOf([], 0).meta).toEqual({
      scriptType: 'indicator',
      scriptName: 'Test',
      shortTitle: 'Test',
      overlay: false,
      format: 'inherit',
      precision: null,
      scale: null,
      version: 6,
      symbol: 'X:Y',
      timeframe: '60',
      timezone: 'Etc/UTC',
      droppedAlerts: 0,
      droppedLogs: 0,
    });
    const settings = { shorttitle: 'T', overlay: true, format: 'price', precision: 4, scale: 'right' };
    expect(resultOf([], 0, { settings, version: 5, scriptType: 'strategy', title: 'Long' }).meta).toMatchObject({
      scriptType: 'strategy',
      scriptName: 'Long',
      shortTitle: 'T',
      overlay: true,
      format: 'price',
      precision: 4,
      scale: 'right',
      version: 5,
    });
  });
});
