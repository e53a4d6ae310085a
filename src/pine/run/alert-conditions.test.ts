// Tests of alertcondition(): when it alerts, and what becomes of the placeholders in its message.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AlertConditions } from './alert-conditions.ts';
import { Alerts } from './alerts.ts';
import { createMarket } from './market.ts';
import type { OutputData } from './output-data.ts';
import { output, plot } from './testing/outputs.ts';

const NA = Number.NaN;
const START = Date.UTC(2024, 6, 1);
const NOW = Date.UTC(2024, 6, 2, 3, 4, 5);
const HOUR = 3_600_000;
const market = createMarket({ ticker: 'BINANCE:BTCUSDT', currency: 'USDT', basecurrency: 'BTC' }, '60', 6);

/** The alerts of a run over some bars, in which each bar is closed after its run. */
function alertsOf(outputs: readonly OutputData[], bars = 1) {
  let index = 0;
  const alerts = new Alerts({ barIndex: () => index, timeMs: () => START + index * HOUR, isClosing: () => true });
  const conditions = new AlertConditions({ alerts, outputs, market, nowMs: () => NOW });
  for (index = 0; index < bars; index += 1) {
    const time = START + index * HOUR;
    conditions.closeBar(index, index, () => ({ time, open: 1.5, high: 2, low: 0.1 + 0.2, close: 1e7, volume: NA }));
  }
  return alerts.list();
}

const condition = (holds: readonly number[], message?: string, title: string | null = 'Up') =>
  output('alertcondition', title, message === undefined ? {} : { message }, { condition: holds });

const messageOf = (message: string, ...others: readonly OutputData[]) =>
  alertsOf([...others, condition([1], message)])[0]?.message;

describe('alertcondition()', () => {
  it('alerts on each bar on which it holds, in the order of the script', () => {
    expect(alertsOf([condition([0, 1, NA, 1], 'a'), condition([0, 0, 0, 1], 'b', null)], 4)).toEqual([
      {
        message: 'a',
        freq: 'once_per_bar_close',
        barIndex: 1,
        timeMs: START + HOUR,
        source: 'alertcondition',
        title: 'Up',
      },
      {
        message: 'a',
        freq: 'once_per_bar_close',
        barIndex: 3,
        timeMs: START + 3 * HOUR,
        source: 'alertcondition',
        title: 'Up',
      },
      { message: 'b', freq: 'once_per_bar_close', barIndex: 3, timeMs: START + 3 * HOUR, source: 'alertcondition' },
    ]);
  });

  it('may have a condition that never changes', () => {
    const always = (holds: unknown) => output('alertcondition', 'A', { condition: holds, message: 'm' });
    expect([true, false, null].map((holds) => alertsOf([always(holds)], 2).length)).toEqual([2, 0, 0]);
  });

  it('says its title where it has no message', () => {
    expect(alertsOf([condition([1])])[0]?.message).toBe('Up');
    expect(alertsOf([condition([1], '', null)])[0]?.message).toBe('');
  });

  it('looks at the bar only when it alerts', () => {
    const alerts = new Alerts({ barIndex: () => 0, timeMs: () => 0, isClosing: () => true });
    const conditions = new AlertConditions({ alerts, outputs: [condition([0])], market, nowMs: () => NOW });
    conditions.closeBar(0, 0, () => {
      throw new Error('the bar was read');
    });
    expect(alerts.total).toBe(0);
  });
});

describe('placeholders', () => {
  it('of the bar, the symbol and the time are filled in', () => {
    expect(messageOf('{{open}} {{high}} {{low}} {{close}} {{volume}}')).toBe('1.5 2 0.3 10000000 NaN');
    expect(messageOf('{{time}} {{timenow}}')).toBe('2024-07-01T00:00:00Z 2024-07-02T03:04:05Z');
    expect(messageOf('{{exchange}}:{{ticker}} {{interval}} {{syminfo.currency}} {{syminfo.basecurrency}}')).toBe(
      'BINANCE:BTCUSDT 60 USDT BTC',
    );
    expect(messageOf('{{ close }}')).toBe('10000000');
  });

  it('of plots go by number in the order of the script; levels, fills and colors have none', () => {
    const outputs = [
      output('hline', 'Level', { price: 70 }),
      plot('A', [1]),
      output('bgcolor', null, {}, { color: [0] }),
      output('plotcandle', 'C', { high: 12 }, { open: [11], low: [13], close: [14] }),
      output('plotshape', 'S', {}, { series: [1] }),
    ];
    expect(messageOf('{{plot_0}} {{plot_1}} {{plot_2}} {{plot_4}} {{plot_5}} {{plot_6}}', ...outputs)).toBe(
      '1 11 12 14 1 {{plot_6}}',
    );
  });

  it('of plots go by number up to 19', () => {
    const plots = Array.from({ length: 21 }, (_, i) => plot(null, [i]));
    expect(messageOf('{{plot_19}} {{plot_20}} {{plot_100}}', ...plots)).toBe('19 {{plot_20}} {{plot_100}}');
  });

  it('of plots go by title, in either quotes; the first plot of a title is meant', () => {
    const outputs = [plot('RSI', [55.5]), plot('RSI', [1]), plot(null, [2]), output('hline', 'Top', { price: 70 })];
    expect(
      messageOf('{{plot("RSI")}} {{plot(\'RSI\')}} {{plot("RSI 2")}} {{plot("Plot")}} {{plot("Top")}}', ...outputs),
    ).toBe('55.5 55.5 1 2 70');
    expect(messageOf('{{plot("None")}} {{plot(RSI)}}', ...outputs)).toBe('{{plot("None")}} {{plot(RSI)}}');
  });

  it('that nobody knows stay as they are', () => {
    for (const text of [
      '{{nothing}}',
      '{{}}',
      '{{',
      '}}',
      '{{close',
      '{close}',
      '{{toString}}',
      '{"a": {"b": 1}}',
      '$&',
    ])
      expect(messageOf(text), text).toBe(text);
    expect(messageOf('{{{close}}}')).toBe('{10000000}');
  });

  it('leave any other text as it is', () => {
    fc.assert(
      fc.property(
        fc.string().filter((text) => text !== '' && !text.includes('{{')),
        (text) => {
          expect(messageOf(`${text}{{plot_0}}${text}`, plot('A', [5]))).toBe(`${text}5${text}`);
        },
      ),
      { numRuns: 100 },
    );
  });
});
