// Strategies through the front door: each has its own share of a position, and no signal touches another's.

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, describe, expect, it } from 'vitest';
import { pathOf } from '../../src/cli/commands/restrictions.ts';
import type { Sent, TestGateway } from '../support/gateway.ts';
import { STOPPABLE } from '../support/strategy-names.ts';
import { eventually, expectFilled, expectRefusal, freshGateway, reopened } from '../webhook/answers.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await freshGateway();
});

interface Share {
  readonly strategy: string | null;
  readonly side: string;
  readonly quantity: number;
}
interface Held extends Share {
  readonly market: string;
  readonly strategies: readonly Share[];
}

const inWords = ({ side, quantity }: Share): string => `${side} ${quantity}`;
/** `LONG 0.6 = trend LONG 1, range SHORT 0.4`. */
async function heldOf(market: string, of: TestGateway = gateway): Promise<string> {
  const { body } = await of.request('GET', '/positions');
  const held: readonly Held[] = body.result.filter((row: Held) => row.market === market);
  return held
    .map((each) => {
      const shares = each.strategies.map((share) => `${share.strategy ?? 'nameless'} ${inWords(share)}`);
      return `${inWords(each)} = ${shares.sort().join(', ')}`;
    })
    .join('; ');
}

const alerted = (alert: object): Promise<Sent> =>
  gateway.request('POST', '/webhook/tradingview', { apiKey: gateway.apiKey, ...alert });
const closeRefused = (sent: Sent): void =>
  expectRefusal(sent, ...(['ORDER_REJECTED', 'tradeResult', 'notificationResult'] as const));

describe('on a one-way account', () => {
  it('a close touches only the share of its strategy', async () => {
    const symbol = 'SOLUSDT';
    expectFilled(await gateway.send({ symbol, quantity: 3 }));
    expectFilled(await gateway.send({ symbol, quantity: 2, strategy: 'trend' }));
    expect(await heldOf(symbol)).toBe('LONG 5 = nameless LONG 3, trend LONG 2');
    const other = await gateway.send({ action: 'CLOSE_LONG', symbol, quantity: 9, strategy: 'range' });
    closeRefused(other);
    expect(other.body.error).toContain('no share of strategy "range"');
    const closed = await gateway.send({ action: 'CLOSE_LONG', symbol, quantity: 9, strategy: 'trend' });
    expectFilled(closed);
    expect(closed.body.tradeResult.executedQty).toBe(2);
    expect(await heldOf(symbol)).toBe('LONG 3 = nameless LONG 3');
    expectFilled(await gateway.send({ symbol, quantity: 1, strategy: 'trend' }));
    const nameless = await gateway.send({ action: 'CLOSE_LONG', symbol, quantity: 9 });
    expect(nameless.body.tradeResult.executedQty).toBe(3);
    expect(await heldOf(symbol)).toBe('LONG 1 = trend LONG 1');
  });

  it('strategies may stand against each other, and each reverses only itself', async () => {
    const symbol = 'ETHUSDT';
    expectFilled(await gateway.send({ symbol, quantity: 1, strategy: 'trend' }));
    const range = await gateway.send({ action: 'SHORT', symbol, quantity: 0.4, strategy: 'range' });
    expect(range.body.tradeResult).toMatchObject({ status: 'Filled', executedQty: 0.4 });
    expect(await heldOf(symbol)).toBe('LONG 0.6 = range SHORT 0.4, trend LONG 1');
    const closed = await gateway.send({ action: 'CLOSE_LONG', symbol, quantity: 1, strategy: 'trend' });
    expect(closed.body.tradeResult).toMatchObject({ status: 'Filled', executedQty: 1 });
    expect(await heldOf(symbol)).toBe('SHORT 0.4 = range SHORT 0.4');
    const turned = await gateway.send({ symbol, quantity: 0.5, strategy: 'range' });
    expect(turned.body.tradeResult).toMatchObject({ status: 'Filled', executedQty: 0.5 });
    expect(await heldOf(symbol)).toBe('LONG 0.5 = range LONG 0.5');
  });

  it('a limit close says what of the share it cannot close, and why, and at market all of it is closed', async () => {
    const symbol = 'AVAXUSDT';
    expectFilled(await gateway.send({ action: 'SHORT', symbol, quantity: 3, strategy: 'y' }));
    expectFilled(await gateway.send({ symbol, quantity: 2, strategy: 'x' }));
    expect(await heldOf(symbol)).toBe('SHORT 1 = x LONG 2, y SHORT 3');
    const cut = await gateway.send({ action: 'CLOSE_SHORT', symbol, quantity: 2.5, price: 1, strategy: 'y' });
    expect(cut.body.tradeResult.status).toBe('Submitted');
    expect(cut.body.warnings).toEqual([
      'quantity: 2.5 were to be closed and only 1 can be: others hold the other side and the account as a whole holds SHORT 1 AVAXUSDT, ' +
        'and a close at a limit price can only reduce that; leave out price to close at market',
    ]);
    const refused = await gateway.send({ action: 'CLOSE_LONG', symbol, quantity: 2, price: 9999, strategy: 'x' });
    closeRefused(refused);
    expect(refused.body.error).toBe(
      'strategy "x" holds LONG 2 AVAXUSDT on binance, but others hold the other side and the account as a whole holds SHORT 1 AVAXUSDT, ' +
        'and a close at a limit price can only reduce that; leave out price to close at market; nothing was sent',
    );
    const whole = await gateway.send({ action: 'CLOSE_LONG', symbol, quantity: 2, strategy: 'x' });
    expectFilled(whole);
    expect(whole.body.warnings).toBeUndefined();
    expect(await heldOf(symbol)).toBe('SHORT 3 = y SHORT 3');
  });

  it('a close cancels only resting orders of its own strategy', async () => {
    const symbol = 'XRPUSDT';
    expectFilled(await gateway.send({ symbol, quantity: 300, strategy: 'trend' }));
    const resting = await gateway.send({ symbol, quantity: 300, price: 0.1, strategy: 'range' });
    expect(resting.body.tradeResult.status).toBe('Submitted');
    expectFilled(await gateway.send({ action: 'CLOSE_LONG', symbol, quantity: 300, strategy: 'trend' }));
    const story = await gateway.request('GET', `/trades/${resting.body.requestId}`);
    expect(story.body.result.status).toBe('Submitted');
  });

  it('the shares are there after a restart', async () => {
    const symbol = 'DOGEUSDT';
    expectFilled(await gateway.send({ symbol, quantity: 3000, strategy: 'trend' }));
    expectFilled(await gateway.send({ action: 'SHORT', symbol, quantity: 1000, strategy: 'range' }));
    const before = await heldOf(symbol);
    expect(before).toBe('LONG 2000 = range SHORT 1000, trend LONG 3000');
    await gateway.close();
    gateway = await reopened({ dataDir: gateway.dataDir });
    expect(await heldOf(symbol)).toBe(before);
    expectFilled(await gateway.send({ action: 'CLOSE_SHORT', symbol, quantity: 5000, strategy: 'range' }));
    expect(await heldOf(symbol)).toBe('LONG 3000 = trend LONG 3000');
  });
});

it('on a hedge account each side is divided by itself', async () => {
  const hedge = await freshGateway({ positionMode: 'hedge' });
  const symbol = 'SOLUSDT';
  for (const strategy of ['trend', 'range']) {
    expectFilled(await hedge.send({ symbol, quantity: 2, strategy }));
    expectFilled(await hedge.send({ action: 'SHORT', symbol, quantity: 1, strategy }));
  }
  expect(await heldOf(symbol, hedge)).toBe(
    'LONG 4 = range LONG 2, trend LONG 2; SHORT 2 = range SHORT 1, trend SHORT 1',
  );
  expectFilled(await hedge.send({ action: 'CLOSE_LONG', symbol, quantity: 9, strategy: 'trend' }));
  expect(await heldOf(symbol, hedge)).toBe('LONG 2 = range LONG 2; SHORT 2 = range SHORT 1, trend SHORT 1');
});

describe('strategy and comment', () => {
  it('are kept, shown and filterable', async () => {
    const sent = await gateway.send({ symbol: 'LTCUSDT', quantity: 3, strategy: 'grid 7', comment: 'first leg' });
    expectFilled(sent);
    const story = await gateway.request('GET', `/trades/${sent.body.requestId}`);
    expect(story.body.result).toMatchObject({ strategy: 'grid 7', comment: 'first leg' });
    const listed = async (query: string): Promise<string[]> =>
      (await gateway.request('GET', `/trades?limit=100&${query}`)).body.result.map(
        (row: Record<string, unknown>) => row.strategy,
      );
    expect(await listed('strategy=grid%207')).toEqual(['grid 7']);
    expect(new Set(await listed('strategy='))).toEqual(new Set([null]));
    expect(await listed('strategy=nobody')).toEqual([]);
  });

  it.each([
    ['strategy', 'x'.repeat(64), undefined],
    ['strategy', 'x'.repeat(65), /at most 64/],
    ['strategy', '', /at least 1|empty/],
    ['strategy', 'a\nb', /control characters/],
    ['strategy', 7, /is a number/],
    ['comment', 'x'.repeat(256), undefined],
    ['strategy', '   ', /is blank/],
    ['comment', 7, /is a number/],
  ])('%s %j', async (field, value, fault) => {
    const sent = await gateway.send({ symbol: 'ADAUSDT', quantity: 500, [field]: value });
    if (fault === undefined) expectFilled(sent);
    else {
      expect(sent.status).toBe(400);
      expect(sent.body.error).toContain(`${field}:`);
      expect(sent.body.error).toMatch(fault);
    }
  });

  describe.each([
    ['two blanks', 'My  Strat', 'My Strat', 'single blanks'],
    ['a no-break blank', 'My\u00a0Strat', 'My Strat', 'single blanks'],
    ['a wide blank', 'My\u3000Strat', 'My Strat', 'single blanks'],
    ['a zero-width blank', 'My \u200bStrat', 'My Strat', 'single blanks'],
    ['a soft hyphen', 'My St\u00adrat', 'My Strat', 'single blanks'],
    ['a sign that turns the line around', 'My \u202eStrat', 'My Strat', 'single blanks'],
    ['a joiner that joins no emoji', 'My\u200dStrat', 'MyStrat', 'single blanks'],
    ['a variation of a letter that has none', 'My\ufe0f Strat', 'My Strat', 'single blanks'],
    ['a joiner of accents', 'My\u034f Strat', 'My Strat', 'single blanks'],
    ['a filler of Hangul', 'My\u3164Strat', 'My Strat', 'single blanks'],
    ['an empty pattern of braille', 'My\u2800Strat', 'My Strat', 'single blanks'],
    ['a letter in two pieces', 'cafe\u0301', 'caf\u00e9', 'one sign each'],
    ['nothing but a dot', '.', '.', 'a name with letters'],
    ['nothing but dots', '..', '..', 'a name with letters'],
  ])('a strategy with %s', (_, strategy, tidy, remedy) => {
    const apiKeyLine = (): string => `apiKey: ${gateway.apiKey}\n`;
    const mailed = (text: string): Promise<Sent> =>
      gateway.request('POST', '/email-signal', { text: `${apiKeyLine()}${text}` });
    const signal = (action: string) => ({ exchange: 'binance', action, symbol: 'ADAUSDT', quantity: 500, strategy });
    const doors: readonly [string, (action: string) => Promise<Sent>][] = [
      ['webhook', (action) => gateway.send(signal(action))],
      [
        'TradingView',
        (action) =>
          alerted({ ...signal(action), ...(action === 'LONG' ? { marketPosition: 'long', action: 'buy' } : {}) }),
      ],
      ['mailed line', (action) => mailed(`strategy: ${strategy}\n${action.replace('_', ' ')} 500 ADAUSDT on binance`)],
      ['mailed JSON', (action) => mailed(JSON.stringify(signal(action)))],
    ];

    it.each(doors)('opens nothing by %s, and is told why', async (_door, send) => {
      const sent = await send('LONG');
      expectRefusal(sent, 'INVALID_PAYLOAD', 'faults');
      expect(sent.body.faults).toEqual([expect.stringMatching(`^strategy: .*${remedy}`)]);
    });

    it.each(doors)('closes what the plain name holds by %s', async (_door, send) => {
      expectFilled(await gateway.send({ symbol: 'ADAUSDT', quantity: 500, strategy: 'another' }));
      const none = await send('CLOSE_LONG');
      closeRefused(none);
      expect(none.body.error).toContain(`no share of strategy ${JSON.stringify(tidy)}`);
      if (tidy === strategy) return;
      expectFilled(await gateway.send({ symbol: 'ADAUSDT', quantity: 500, strategy: tidy }));
      const closed = await send('CLOSE_LONG');
      expectFilled(closed);
      expect((await gateway.trade(closed.body.requestId)).strategy).toBe(tidy);
      closeRefused(await send('CLOSE_LONG'));
    });
  });

  it.each(['/webhook', '/webhook/tradingview', '/email-signal'])(
    'a close at %s takes first what an earlier version opened under the very spelling',
    async (door) => {
      const [symbol, spelled, plain] = ['SOLUSDT', 'Old  Strat', 'Old Strat'];
      for (const strategy of ['stand-in', plain]) expectFilled(await gateway.send({ symbol, quantity: 1, strategy }));
      await gateway.close();
      const db = new DatabaseSync(join(gateway.dataDir, 'signalbox.db'));
      db.prepare("UPDATE OR REPLACE strategy_books SET strategy = ? WHERE strategy = 'stand-in'").run(spelled);
      db.close();
      gateway = await reopened({ dataDir: gateway.dataDir });
      const exit = { apiKey: gateway.apiKey, exchange: 'binance', action: 'CLOSE_LONG', symbol, quantity: 1 };
      for (const name of [spelled, plain]) {
        const body = { ...exit, strategy: spelled, alertId: `${door} ${name.length}` };
        const sent = door === '/email-signal' ? { text: JSON.stringify(body) } : body;
        const closed = await gateway.request('POST', door, sent);
        expectFilled(closed);
        expect((await gateway.trade(closed.body.requestId)).strategy).toBe(name);
      }
    },
  );

  it.each(['strategy = trend', 'strategy=My Strat', 'Strategy = My long Strat 4h'])(
    'a mailed line "%s" is not read, and that is told',
    async (line) => {
      const text = `apiKey: ${gateway.apiKey}\n${line}\n\nLONG 500 ADAUSDT on binance`;
      const sent = await gateway.request('POST', '/email-signal', { text });
      expectFilled(sent);
      expect((sent.body.warnings ?? []).map((warning: string) => warning.toLowerCase())).toEqual([
        'strategy =: is not known and was ignored',
      ]);
    },
  );

  it.each([...STOPPABLE, 'strategy:x', 'a/../b', '%2e', '...', 'a?b#c&d=e', '+1', '\\', '-x'])(
    'strategy %j trades by every door, and is stopped by its name over HTTP and by the command line',
    async (strategy) => {
      const entry = { exchange: 'binance', action: 'LONG', symbol: 'ADAUSDT', quantity: 500, strategy };
      const { apiKey } = gateway;
      const doors: readonly (() => Promise<Sent>)[] = [
        () => gateway.send(entry),
        () => alerted({ ...entry, action: 'buy', marketPosition: 'long' }),
        () => gateway.request('POST', '/email-signal', { text: JSON.stringify({ ...entry, apiKey }) }),
        () =>
          gateway.request('POST', '/email-signal', {
            text: `apiKey: ${apiKey}\nstrategy: ${strategy}\n\nLONG 500 ADAUSDT on binance`,
          }),
      ];
      const stops = [
        ['pause', { paused: true }, { paused: false }, 'STRATEGY_PAUSED'],
        ['kill-switch', { active: true }, { active: false }, 'KILL_SWITCH_ACTIVE'],
        ['limits', { entriesPerDay: 0 }, {}, 'LIMIT_ENTRIES_PER_DAY'],
      ] as const;
      for (const send of doors) expectFilled(await send());
      for (const [what, on, off, code] of stops) {
        // The command line's own address of it.
        const path = pathOf(`strategy:${strategy}`, what);
        expect(await gateway.request('PUT', path, on)).toMatchObject({
          status: 200,
          body: { result: { kind: 'strategy', name: strategy } },
        });
        for (const send of doors) expect((await send()).body.code).toBe(code);
        expect((await gateway.request('PUT', path, off)).status).toBe(200);
      }
      expectFilled(await gateway.send({ ...entry, action: 'CLOSE_LONG', quantity: 2000 }));
    },
  );

  it('one sign more than a strategy may have is refused where it trades and where it is stopped', async () => {
    const strategy = '😀'.repeat(65);
    expectRefusal(await gateway.send({ symbol: 'ADAUSDT', quantity: 500, strategy }), 'INVALID_PAYLOAD', 'faults');
    expect((await gateway.request('PUT', pathOf(`strategy:${strategy}`, 'pause'), { paused: true })).status).toBe(400);
  });

  it.each(['%00', 'a%0Ab', 'a%E2%80%A8x'])(
    'no restriction is of strategy %s, which no signal can name',
    async (name) => {
      const { status, body } = await gateway.request('PUT', `/admin/restrictions/strategy/${name}/pause`, {
        paused: true,
      });
      expect([status, body.error]).toEqual([400, expect.stringContaining('control characters, remove them')]);
    },
  );

  it('count without the blanks around them, at every door', async () => {
    const entry = await gateway.send({ symbol: 'XRPUSDT', quantity: 300, strategy: ' My Strat ', comment: ' in ' });
    expectFilled(entry);
    expect((await gateway.trade(entry.body.requestId)).comment).toBe('in');
    expect(await heldOf('XRPUSDT')).toBe('LONG 300 = My Strat LONG 300');
    const exit = { exchange: 'BINANCE', action: 'sell', symbol: 'XRPUSDT.P', quantity: '100', strategy: 'My Strat  ' };
    expectFilled(await alerted({ ...exit, marketPosition: 'long', marketPositionSize: '200' }));
    expectFilled(await gateway.send({ symbol: 'XRPUSDT', action: 'CLOSE_LONG', quantity: 300, strategy: 'My Strat' }));
    expect(await heldOf('XRPUSDT')).toBe('');
  });

  it.each([
    ['x'.repeat(257), 'x'.repeat(256), ['is longer than 256 characters and was cut']],
    [`${'x'.repeat(255)}😀`, 'x'.repeat(255), ['was cut']],
    ['take\r\nprofit\u0007', 'take profit', ['has line breaks or control characters']],
    [`a\n${'x'.repeat(300)}`, `a ${'x'.repeat(254)}`, ['line breaks', 'was cut']],
  ])('a comment %j never refuses a signal', async (comment, kept, words) => {
    const plain = await gateway.send({ symbol: 'DOTUSDT', quantity: 10, comment });
    const alert = { exchange: 'BINANCE', action: 'buy', symbol: 'DOTUSDT.P', quantity: '10', marketPosition: 'long' };
    for (const sent of [plain, await alerted({ ...alert, comment })]) {
      expectFilled(sent);
      expect((await gateway.trade(sent.body.requestId)).comment).toBe(kept);
      expect(sent.body.warnings).toEqual(words.map((each) => expect.stringContaining(each)));
    }
  });

  it('come with TradingView alerts, where empty ones count as none', async () => {
    const alert = { exchange: 'BINANCE', action: 'buy', symbol: 'LINKUSDT.P', quantity: '10', marketPosition: 'long' };
    const named = await alerted({ ...alert, strategy: 'tv', comment: 'Long' });
    const empty = await alerted({ ...alert, strategy: '', comment: '' });
    for (const sent of [named, empty]) expectFilled(sent);
    expect(await heldOf('LINKUSDT')).toBe('LONG 20 = nameless LONG 10, tv LONG 10');
    const flat = { ...alert, action: 'sell', marketPosition: 'flat', prevMarketPosition: 'long', strategy: 'tv' };
    expectFilled(await alerted(flat));
    expect(await heldOf('LINKUSDT')).toBe('LONG 10 = nameless LONG 10');
  });
});

describe('shares that cancel each other out', () => {
  beforeAll(async () => {
    gateway = await freshGateway();
  });

  const open = async (symbol: string, ...shares: readonly [string | undefined, string, number][]): Promise<void> => {
    for (const [strategy, action, quantity] of shares)
      expectFilled(await gateway.send({ symbol, action, quantity, strategy }));
  };

  it('are seen, and a whole close leaves nothing of them', async () => {
    const symbol = 'LTCUSDT';
    await open(symbol, ['trend', 'LONG', 2], ['range', 'SHORT', 1.5], ['fade', 'SHORT', 0.5]);
    expect(await heldOf(symbol)).toBe('LONG 0 = fade SHORT 0.5, range SHORT 1.5, trend LONG 2');
    const key = `binance:${symbol}:LONG`;
    const part = await gateway.request('POST', '/positions/close', { positions: [key], share: 0.5 });
    expect(part.body.result).toMatchObject([{ key, error: expect.stringContaining('cancel each other out') }]);
    expect((await gateway.request('POST', '/positions/close', { all: true, share: 0.5 })).body.result).toEqual([]);
    const { body } = await gateway.request('POST', '/positions/close', { positions: [key] });
    // The share of one side by its name, and then what the others are left with.
    expect(body.result).toMatchObject([{ status: 'Filled' }, { status: 'Filled' }]);
    expect(await heldOf(symbol)).toBe('');
    closeRefused(await gateway.send({ action: 'CLOSE_LONG', symbol, quantity: 9, strategy: 'trend' }));
    closeRefused(await gateway.send({ action: 'CLOSE_SHORT', symbol, quantity: 9, strategy: 'range' }));
  });

  it('also with the nameless share among them', async () => {
    const symbol = 'LINKUSDT';
    await open(symbol, ['range', 'SHORT', 3], [undefined, 'LONG', 1], ['trend', 'LONG', 2]);
    expect(await heldOf(symbol)).toMatch(/ 0 = nameless LONG 1, range SHORT 3, trend LONG 2$/);
    const { body } = await gateway.request('POST', '/positions/close', { all: true });
    expect(body.result.every(({ status }: { status: string }) => status === 'Filled')).toBe(true);
    expect((await gateway.request('GET', '/positions')).body.result).toEqual([]);
  });

  it('are flattened by a kill switch', async () => {
    const symbol = 'XRPUSDT';
    await open(symbol, ['trend', 'LONG', 100], ['range', 'SHORT', 100]);
    await gateway.request('PUT', '/admin/restrictions/symbol/XRPUSDT/kill-switch', { active: true, flatten: true });
    await eventually(
      () => heldOf(symbol),
      (held) => held === '',
    );
  });

  it('are closed whole where a close reduces the position and then opens what the others hold', async () => {
    const symbol = 'DOGEUSDT';
    await open(symbol, ['trend', 'LONG', 300], ['range', 'SHORT', 200]);
    expect(await heldOf(symbol)).toBe('LONG 100 = range SHORT 200, trend LONG 300');
    // Its own switch is on between the two orders, and what flattens passes it.
    await gateway.request('PUT', '/admin/restrictions/strategy/trend/kill-switch', { active: true, flatten: true });
    await eventually(
      () => heldOf(symbol),
      (held) => held === 'SHORT 200 = range SHORT 200',
    );
    const { body } = await gateway.request('GET', '/trades?limit=1');
    expect(body.result[0]).toMatchObject({ source: 'owner', status: 'Filled', executedQty: 300 });
  });
});
