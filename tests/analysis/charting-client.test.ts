// What the public charting client sends and reads, at the front door: its live bar, fills and backgrounds, drawings by time.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openScriptPool } from '../../src/composition/script-pool.ts';
import { type AnalysisApp, barsOf, openAnalysis } from '../../src/services/analysis/testing/analysis-app.ts';

let pool: ReturnType<typeof openScriptPool>;
let opened: AnalysisApp;
beforeAll(() => {
  pool = openScriptPool({ size: 1, timeoutMs: 10_000, memoryMb: 128 });
  opened = openAnalysis(pool);
});
afterAll(() => pool.close());

const SCRIPT = `//@version=6
indicator("Bands", overlay = true)
upper = plot(high, "Upper")
lower = plot(low, "Lower")
fill(upper, lower, bar_index % 2 == 0 ? color.new(#2962FF, 80) : na, "Band")
bgcolor(bar_index == 1 ? #FF000033 : na, title = "Alarm")
if barstate.islast
    line.new(0, 1, bar_index, 2)
    box.new(time[2], 9, time, 3, xloc = xloc.bar_time)
    label.new(bar_index, 7, "now")
    polyline.new(array.from(chart.point.from_index(0, 1), chart.point.now(2)))
`;
/** As the client keeps them: times in seconds, and whether each is closed. */
const liveBars = (count: number) =>
  barsOf(count).map((bar, n) => ({ ...bar, time: bar.time / 1000, closed: n < count - 1 }));
const request = { script: SCRIPT, data: liveBars(4), mode: 'interpret', profiler: true };

describe('the newest bar with `closed`', () => {
  it('is taken by POST /run', async () => {
    const { status, body } = await opened.post('/run?mode=interpret', request);
    expect([status, body.status, body.count]).toEqual([200, 'success', 4]);
  });

  it('is taken by POST /run/batch', async () => {
    const { body } = await opened.post('/run/batch', { requests: [request] });
    expect(body.results).toMatchObject([{ status_code: 200, count: 4 }]);
  });

  it('is taken by a message of WS /ws/run', async () => {
    const message = Buffer.from(JSON.stringify({ type: 'run', id: 'r1', symbol: 'CHART', ...request }));
    const caller = { clientAddress: '198.51.100.1', requestIds: () => 'request-1' };
    const frame = await opened.analysis.openRunSession(caller).receive(message);
    expect(JSON.parse(Buffer.from(frame ?? []).toString())).toMatchObject({
      type: 'result',
      id: 'r1',
      status: 'success',
      count: 4,
    });
  });

  it('is taken by the previews', async () => {
    const headers = { Authorization: `Bearer ${(await opened.keys.mint('pro')).apiKey}` };
    const { status } = await opened.post('/preview/chart', { data: liveBars(4) }, { headers });
    expect(status).toBe(200);
  });

  it('changes nothing, and what must be a bar still must', async () => {
    const [live, plain] = await Promise.all([
      opened.post('/run', request),
      opened.post('/run', { ...request, data: liveBars(4).map(({ closed: _, ...bar }) => bar) }),
    ]);
    expect({ ...live.body, run_id: '' }).toEqual({ ...plain.body, run_id: '' });
    const faulty = await opened.post('/run', { ...request, data: [{ ...liveBars(1)[0], close: '5' }] });
    expect([faulty.status, faulty.body.code]).toEqual([400, 'INVALID_FIELD']);
    const unknown = await opened.post('/run', { ...request, colour: 1 });
    expect([unknown.status, unknown.body.code]).toEqual([400, 'UNKNOWN_FIELDS']);
  });
});

describe('the answer', () => {
  it('has every fill and background as a series of colors, and the lines of a fill by title', async () => {
    const { body } = await opened.post('/run', request);
    const { series, plot_meta } = body;
    expect(series.Band).toEqual(['#2962FF33', null, '#2962FF33', null]);
    expect(series.Alarm).toEqual([null, '#FF000033', null, null]);
    expect(plot_meta.Band).toMatchObject({ kind: 'fill', plot1: 'Upper', plot2: 'Lower' });
    expect(plot_meta.Alarm).toMatchObject({ kind: 'bgcolor' });
    for (const title of ['Upper', 'Lower']) expect(series[title]).toHaveLength(4);
    expect(body.plots).toEqual(series.Upper);
  });

  it('has plot_meta in meta too', async () => {
    const { body } = await opened.post('/run', request);
    expect(Object.keys(body.plot_meta)).toEqual(['Upper', 'Lower', 'Band', 'Alarm']);
    expect(body.meta.plot_meta).toEqual(body.plot_meta);
  });

  it('has drawings with their type, and corners in seconds', async () => {
    const { drawings } = (await opened.post('/run', request)).body;
    const [first, second, , last] = liveBars(4).map(({ time }) => time);
    const byType = Object.fromEntries(drawings.map((drawing) => [drawing.type, drawing]));
    expect(byType.line).toMatchObject({ kind: 'line', t1: first, p1: 1, t2: last, p2: 2 });
    expect(byType.box).toMatchObject({ t1: second, p1: 9, t2: last, p2: 3 });
    expect(byType.label).toMatchObject({ t1: last, p1: 7, text: 'now' });
    expect(byType.polyline?.points).toMatchObject([
      { time: first, price: 1 },
      { time: last, price: 2 },
    ]);
  });
});

describe('the message of SCRIPT_ERROR', () => {
  const faulty = (...lines: string[]) => ({
    ...request,
    script: ['//@version=6', 'indicator("x")', ...lines].join('\n'),
  });

  it('is the first error with its line', async () => {
    const { status, body } = await opened.post('/run', faulty('plot(clse)'));
    expect([status, body.code]).toEqual([400, 'SCRIPT_ERROR']);
    expect(body.message).toBe('line 3: clse is not declared. Did you mean close?');
    expect(body.diagnostics).toHaveLength(1);
  });

  it('counts the others', async () => {
    const { body } = await opened.post('/run', faulty('x = close', 'plot(qqqqqqq)', 'plot(wwwwwww)', 'plot(zzzzzzz)'));
    expect(body.message).toBe('line 4: qqqqqqq is not declared (and 2 more errors: see diagnostics)');
  });

  it('passes over a warning', async () => {
    const { body } = await opened.post(
      '/run',
      faulty('if close > open', '    alert(str.tostring(ta.sma(close, 3)))', 'plot(qqqqqqq)'),
    );
    expect(body.diagnostics[0]).toMatchObject({ severity: 'warning', line: 4 });
    expect(body.message).toBe('line 5: qqqqqqq is not declared');
  });
});
