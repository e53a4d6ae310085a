// One alertId trades once under its key, whichever door it comes through and whatever else its body says.

import { describe, expect, it } from 'vitest';
import { openOffice } from '../mail/post-office.ts';
import type { Sent, TestGateway } from '../support/gateway.ts';
import { createScriptedVenue } from '../support/scripted-venue.ts';
import {
  expectDuplicateOf,
  expectFaults,
  expectFilled,
  expectRefusal,
  freshGateway,
  KEY_1,
  KEY_2,
  tradeCount,
} from './answers.ts';

const ALERT = 'BTCUSDT.P-2026-11-16T15:30:00Z';
const DAY_MS = 86_400_000;

const tradingview = (gateway: TestGateway, fields: Record<string, unknown> = {}): Promise<Sent> =>
  gateway.request('POST', '/webhook/tradingview', {
    ...{ apiKey: gateway.apiKey, exchange: 'BINANCE', ticker: 'BTCUSDT.P', action: 'buy', contracts: '0.02' },
    ...{ marketPosition: 'long', prevMarketPosition: 'flat', marketPositionSize: '0.02', alertId: ALERT, ...fields },
  });
const mail = (gateway: TestGateway, text: string): Promise<Sent> =>
  gateway.request('POST', '/email-signal', { text: `apiKey: ${gateway.apiKey}\n${text}` });

describe('the same alertId', () => {
  it('is a duplicate at every door, whatever else the body says, and names the first request', async () => {
    const gateway = await freshGateway();
    const first = await gateway.send({ alertId: ALERT });
    expectFilled(first);
    expectDuplicateOf(await gateway.send({ alertId: ALERT }), first);
    expectDuplicateOf(await gateway.send({ alertId: ALERT, action: 'SHORT', symbol: 'ETHUSDT', quantity: 3 }), first);
    expectDuplicateOf(await gateway.send({ alertId: ` ${ALERT} ` }), first);
    expectDuplicateOf(await tradingview(gateway), first);
    expectDuplicateOf(await mail(gateway, `alertId: ${ALERT}\nLONG 0.01 BTCUSDT on binance`), first);
    expectDuplicateOf(await mail(gateway, JSON.stringify(gateway.signal({ alertId: ALERT }))), first);
    expect((await gateway.send({ alertId: ALERT })).body.error).toContain('use a new alertId');
    expect(await tradeCount(gateway)).toBe(1);
    expectFilled(await tradingview(gateway, { alertId: `${ALERT}!` }));
  });

  it.each([
    ['two blanks', 'EMA  cross 1', 'EMA cross 1'],
    ['a no-break blank', 'EMA\u00a0cross 1', 'EMA cross 1'],
    ['wide blanks', 'EMA\u2003cross\u30001', 'EMA cross 1'],
    ['a zero-width blank', 'EMA\u200b cross 1', 'EMA cross 1'],
    ['a soft hyphen', 'EMA cr\u00adoss 1', 'EMA cross 1'],
    ['a byte order mark', '\ufeffEMA cross 1', 'EMA cross 1'],
    ['a letter in two pieces', 'cafe\u0301 1', 'caf\u00e9 1'],
  ])('with %s in it is one alert at every door', async (_, alertId, plain) => {
    const gateway = await freshGateway();
    const doors: readonly ((name: string) => Promise<Sent>)[] = [
      (name) => gateway.send({ alertId: name }),
      (name) => tradingview(gateway, { alertId: name }),
      (name) => mail(gateway, `alertId: ${name}\nLONG 0.01 BTCUSDT on binance`),
      (name) => mail(gateway, JSON.stringify(gateway.signal({ alertId: name }))),
    ];
    for (const [at, first] of doors.entries()) {
      const [spelled, single] = [`${alertId}${at}`, `${plain}${at}`];
      const sent = await first(spelled);
      expectFilled(sent);
      for (const door of doors) {
        expectDuplicateOf(await door(spelled), sent);
        expectDuplicateOf(await door(single), sent);
      }
      for (const path of ['/trades', '/signals'])
        expect(
          (await gateway.request('GET', `${path}?alertId=${encodeURIComponent(spelled)}`)).body.result,
        ).not.toEqual([]);
    }
    expect(await tradeCount(gateway)).toBe(doors.length);
  });

  it.each(['alertId', 'strategy'])(
    'on a line that a mail program may have broken, %s is refused and not cut',
    async (field) => {
      const gateway = await freshGateway();
      const line = `${field}: ${'a rather long name of an alert, BTCUSDT on the four'}`;
      const trade = 'exchange: binance\naction: LONG\nsymbol: BTCUSDT\nquantity: 0.01';
      const cut = await mail(gateway, `${trade}\n${line}\nhour chart number 1`);
      expectFaults(cut, field);
      expect(cut.body.error).toContain('may go on in the line below');
      expectFilled(await mail(gateway, `${trade}\n${line}\n\nRegards`));
      expectFilled(await mail(gateway, `${line} 2\n${trade}\n${field === 'alertId' ? '' : 'alertId: 7\nRegards'}`));
      expectFilled(await mail(gateway, `${line} 3\nLONG 0.01 BTCUSDT on binance`));
    },
  );

  it('by mail over SMTP first, with its own message id, is told to the webhook', async () => {
    const office = await openOffice();
    const text = JSON.stringify({
      ...{ exchange: 'BINANCE', ticker: 'BTCUSDT.P', action: 'buy', contracts: '0.02', marketPosition: 'long' },
      ...{ prevMarketPosition: 'flat', marketPositionSize: '0.02', alertId: ALERT },
    });
    expect((await office.mail({ text })).text).toContain('Filled');
    expect((await office.mail({ text })).text).toContain('already taken as');
    const { gateway } = office;
    const [trade] = (await gateway.request('GET', '/trades')).body.result;
    expect(trade).toMatchObject({ source: 'email', alertId: ALERT, action: 'LONG', quantity: 0.02 });
    const second = await gateway.send({ alertId: ALERT });
    expect([second.status, second.body.originalRequestId]).toEqual([409, trade.requestId]);
    expect(await tradeCount(gateway)).toBe(1);
  });

  it('under another key is another alert', async () => {
    const gateway = await freshGateway();
    expectFilled(await gateway.send({ alertId: ALERT }));
    const { apiKey } = await gateway.keys.create({ label: 'another' });
    expectFilled(await gateway.send({ alertId: ALERT, apiKey }));
  });

  it('under a rotated key is the same alert', async () => {
    const gateway = await freshGateway();
    const first = await gateway.send({ alertId: ALERT });
    const { keyId } = gateway.keys.list()[0] as { keyId: string };
    const rotated = await gateway.keys.rotate(keyId, { graceSeconds: 60 });
    expectDuplicateOf(await gateway.send({ alertId: ALERT, apiKey: (rotated as { apiKey: string }).apiKey }), first);
  });

  it.each(['direct', 'async'] as const)('at two doors at one instant in %s mode trades once', async (queueMode) => {
    const gateway = await freshGateway({ controls: { queueMode } });
    const all = await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        n % 3 === 0
          ? gateway.send({ alertId: ALERT, comment: `${n}` })
          : n % 3 === 1
            ? tradingview(gateway, { comment: `${n}` })
            : mail(gateway, `comment: ${n}\nalertId: ${ALERT}\nLONG 0.01 BTCUSDT on binance`),
      ),
    );
    const [winner, ...others] = all.sort((a, b) => a.status - b.status);
    expect(winner?.status).toBeLessThan(300);
    for (const other of others) expectDuplicateOf(other, winner as Sent);
    expect(await tradeCount(gateway)).toBe(1);
  });

  it('is a duplicate until the window is over', async () => {
    const gateway = await freshGateway();
    const first = await gateway.send({ alertId: ALERT });
    gateway.clock.offsetMs = DAY_MS - 5000;
    expectDuplicateOf(await tradingview(gateway), first);
    gateway.clock.offsetMs = DAY_MS;
    expectFilled(await tradingview(gateway));
  });

  it('survives a restart', async () => {
    const gateway = await freshGateway();
    const first = await gateway.send({ alertId: ALERT });
    await gateway.close();
    const again = await freshGateway({ dataDir: gateway.dataDir });
    expectDuplicateOf(await again.send({ alertId: ALERT, apiKey: gateway.apiKey }), first);
  });

  it('is free again when certainly nothing was placed, and stays claimed when something may have been', async () => {
    const venue = createScriptedVenue('binance');
    const gateway = await freshGateway({ venues: [venue] });
    venue.script.push({ fail: 'rejected', taken: false }, { fail: 'unknown', taken: true });
    const rejected = await gateway.send({ alertId: ALERT });
    expectRefusal(rejected, 'ORDER_REJECTED', 'tradeResult', 'notificationResult');
    const second = await gateway.send({ alertId: ALERT });
    expect(second.body.requestId).not.toBe(rejected.body.requestId);
    expectDuplicateOf(await gateway.send({ alertId: ALERT }), second);
  });
});

describe('beside an idempotencyKey', () => {
  it('either of the two makes a duplicate', async () => {
    const gateway = await freshGateway();
    const first = await gateway.send({ alertId: ALERT, idempotencyKey: KEY_1 });
    expectDuplicateOf(await gateway.send({ alertId: ALERT, idempotencyKey: KEY_2 }), first);
    expectDuplicateOf(await gateway.send({ alertId: 'another', idempotencyKey: KEY_1 }), first);
    expectFilled(await gateway.send({ alertId: 'another', idempotencyKey: KEY_2 }));
  });
});

describe('what an alertId may be', () => {
  it.each([['x'], ['x'.repeat(128)], ['Größe 🚂 "quoted" \\ {}'], ['<b>&amp;'], ["'; DROP TABLE trades; --"]])(
    '%j is stored, shown and found',
    async (alertId) => {
      const gateway = await freshGateway();
      const sent = await gateway.send({ alertId });
      expectFilled(sent);
      await gateway.send();
      const query = `?alertId=${encodeURIComponent(alertId)}`;
      const trades = (await gateway.request('GET', `/trades${query}`)).body.result;
      expect(trades.map((trade: { alertId: string }) => trade.alertId)).toEqual([alertId]);
      expect((await gateway.trade(sent.body.requestId)).alertId).toBe(alertId);
      const signals = (await gateway.request('GET', `/signals${query}`)).body.result;
      expect(signals.map(({ alert_id, decision }: Record<string, string>) => [alert_id, decision])).toEqual([
        [alertId, 'accepted'],
      ]);
      await gateway.send({ alertId });
      expect((await gateway.request('GET', `/signals${query}`)).body.result).toHaveLength(2);
    },
  );

  it.each([[''], [' '], ['x'.repeat(129)], ['two\nlines'], [7], [`whk_${'A'.repeat(43)}`]])(
    '%j is refused',
    async (alertId) => {
      const gateway = await freshGateway();
      expectFaults(await gateway.send({ alertId }), 'alertId');
    },
  );

  it('one that was not filled in is told as such at every door: all alerts would be one', async () => {
    const gateway = await freshGateway();
    const alertId = '{{ticker}}-{{timenow}}';
    for (const sent of [
      await gateway.send({ alertId }),
      await tradingview(gateway, { alertId }),
      await mail(gateway, `alertId: ${alertId}\nLONG 0.01 BTCUSDT on binance`),
    ]) {
      expectFaults(sent, 'alertId');
      expect(sent.body.error).toContain('{{ticker}} was not filled in');
    }
  });

  it('may be a number in an alert of TradingView', async () => {
    const gateway = await freshGateway();
    const first = await tradingview(gateway, { alertId: 17 });
    expectFilled(first);
    expectDuplicateOf(await gateway.send({ alertId: '17' }), first);
  });
});
