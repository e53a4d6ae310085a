// What an order costs and risks, and whether the account can carry it, is told before it is sent, by the rules that then decide it.

import { describe, expect, it } from 'vitest';
import { openProtected } from '../protection/written-market.ts';
import type { GatewayOptions, Sent, TestGateway } from '../support/gateway.ts';
import { storedRows } from '../support/stored-rows.ts';
import { expectFilled, expectRefusal } from '../webhook/answers.ts';

const BASE = { exchange: 'binance', action: 'LONG', symbol: 'BTCUSDT', quantity: 0.01 };
const send = (gateway: TestGateway, fields: object = {}): Promise<Sent> =>
  gateway.request('POST', '/orders', { ...BASE, ...fields });
const look = async (gateway: TestGateway, fields: object = {}): Promise<Sent['body']> =>
  (await send(gateway, { ...fields, dryRun: true })).body.result;

/** The account has 100,000 USDT, and the market is at 50,000. */
const open = async (options: GatewayOptions = {}): Promise<TestGateway> => (await openProtected(options)).gateway;

describe('what the account cannot carry', () => {
  it.each([
    ['more than its margin', { quantity: 45 }, 'insufficient margin: '],
    ['more than its margin at a limit', { quantity: 45, price: 49_000 }, 'insufficient margin: '],
    ['less leverage than it needs', { quantity: 3, leverage: 1 }, 'insufficient margin: '],
    ['a position too large for its leverage', { quantity: 70, leverage: 125 }, 'lower the leverage to'],
  ])('%s is refused by the dry run as it is by sending, and not said to trade', async (_, fields, words) => {
    const gateway = await open();
    const before = storedRows(gateway.dataDir);
    const told = await look(gateway, fields);
    expect(storedRows(gateway.dataDir)).toEqual(before);
    expect(told).toMatchObject({ outcome: 'would_refuse', status: 422, code: 'ORDER_REJECTED' });
    expect(told.error).toContain(words);
    expect(told.accounts).toMatchObject([{ outcome: 'would_refuse', orders: [], error: told.error }]);
    const sent = await send(gateway, fields);
    expect([sent.status, sent.body.code, sent.body.error]).toEqual([told.status, told.code, told.error]);
  });

  it('counts what was spent before, and what a reversal or a withdrawn order gives back', async () => {
    const gateway = await open();
    expectFilled(await send(gateway, { quantity: 30 }));
    expect((await look(gateway, { quantity: 20 })).error).toContain('insufficient margin');
    // The long goes first and gives its margin back.
    expect((await look(gateway, { action: 'SHORT', quantity: 30 })).outcome).toBe('would_trade');
    expectFilled(await send(gateway, { action: 'SHORT', quantity: 30 }));
  });

  it('of a reversal says what would be done before it is refused', async () => {
    const gateway = await open();
    expectFilled(await send(gateway, { quantity: 1 }));
    const told = await look(gateway, { action: 'SHORT', quantity: 45 });
    expect(told.error).toMatch(
      /^the opposite position would be closed, but opening would be refused: insufficient margin/,
    );
    const sent = await send(gateway, { action: 'SHORT', quantity: 45 });
    expect(sent.body.error.replaceAll(' was ', ' would be ')).toBe(told.error);
  });

  it('is told of by the check of an alert, too', async () => {
    const gateway = await open();
    const checked = await gateway.request('POST', '/webhook/check', {
      body: JSON.stringify(gateway.signal({ quantity: 45 })),
    });
    expect(checked.body.result).toMatchObject({ outcome: 'would_refuse', code: 'ORDER_REJECTED' });
  });
});

describe('what it costs', () => {
  it('has the margin and the leverage that it takes, the fee, and what the account has', async () => {
    const gateway = await open();
    const [account] = (await look(gateway, { quantity: 0.2 })).accounts;
    expect(account).toMatchObject({
      ...{ notional: 10_000, leverage: null, leverageInForce: 20, margin: 500, fee: 5 },
      ...{ equity: 100_000, freeMargin: 100_000, risk: null, cautions: [] },
    });
    const [set] = (await look(gateway, { quantity: 0.2, leverage: 5, price: 40_000 })).accounts;
    expect(set).toMatchObject({ notional: 8000, leverage: 5, leverageInForce: 5, margin: 1600, fee: 1.6 });
    expectFilled(await send(gateway, { quantity: 0.2, leverage: 5 }));
    const [after] = (await look(gateway, { action: 'SHORT', quantity: 0.1 })).accounts;
    // Closed first, then opened: the fee is of both.
    expect(after).toMatchObject({ leverageInForce: 5, margin: 1000, fee: 7.5 });
    const [close] = (await look(gateway, { action: 'CLOSE_LONG', quantity: 0.1 })).accounts;
    expect(close).toMatchObject({ margin: null, leverageInForce: null, fee: 2.5, risk: null, cautions: [] });
  });
});

describe('what it risks', () => {
  it.each([
    ['a long', { stopLoss: 49_000 }, { loss: 1000, percentOfEquity: 1, stopDistancePercent: 2 }],
    [
      'a short',
      { action: 'SHORT', stopLoss: { percent: 4 } },
      { loss: 2000, percentOfEquity: 2, stopDistancePercent: 4 },
    ],
    ['a trail from the start', { trailPercent: 2 }, { loss: 1000, percentOfEquity: 1, stopDistancePercent: 2 }],
    [
      'a limit order',
      { price: 40_000, stopLoss: 39_000 },
      { loss: 1000, percentOfEquity: 1, stopDistancePercent: 2.5 },
    ],
  ])('at the stop of %s', async (_, fields, risk) => {
    const gateway = await open();
    const [account] = (await look(gateway, { quantity: 1, ...fields })).accounts;
    expect(account).toMatchObject({ risk, cautions: [] });
  });

  it('is not known of a trail that waits for its price', async () => {
    const gateway = await open();
    const [account] = (await look(gateway, { trailPercent: 2, activationPrice: 60_000 })).accounts;
    expect(account.risk).toBeNull();
  });

  it.each([
    ['a stop that is far', { quantity: 0.01, stopLoss: 39_000 }, [/^The stop is 22 % away/]],
    ['a stop that is not', { quantity: 0.01, stopLoss: 41_000 }, []],
    [
      'a limit that the market has passed',
      { quantity: 0.01, price: 55_000 },
      [/^The market stands at 50000.* at once/],
    ],
    ['a limit just beyond the market', { quantity: 0.01, price: 50_400 }, []],
    ['a limit that waits', { quantity: 0.01, price: 30_000 }, []],
    [
      'a limit to sell that is passed',
      { action: 'SHORT', quantity: 0.01, price: 45_000 },
      [/wait for 45000 but fills at once, 10 %/],
    ],
    ['a large part of the account', { quantity: 2, stopLoss: 44_000 }, [/^At its stop .*12000 USDT, 12 %/]],
    [
      'all of the account',
      { quantity: 20, stopLoss: 44_000 },
      [/^At its stop .*120 %.*liquidated/, /^The order is worth .*10 times/],
    ],
    ['many times the account', { quantity: 12 }, [/^The order is worth 600000 USDT, 6 times .*100000 USDT/]],
  ] as const)('%s is cautioned of', async (_, fields, words) => {
    const gateway = await open();
    const [account] = (await look(gateway, fields)).accounts;
    expect(account.cautions).toEqual(words.map((pattern) => expect.stringMatching(pattern)));
  });

  it('a stop on the wrong side is refused', async () => {
    const gateway = await open();
    const told = await look(gateway, { stopLoss: 51_000 });
    expect(told).toMatchObject({ outcome: 'would_refuse', code: 'STOP_WRONG_SIDE' });
    expectRefusal(await send(gateway, { stopLoss: 51_000 }), 'STOP_WRONG_SIDE', 'tradeResult', 'notificationResult');
  });
});

describe('an entry with stops of its own, where something is held already', () => {
  const MORE = { quantity: 0.02, stopLoss: 40_000 };
  /** 0.02 of it are held, from 50,002.5 on. */
  const cautionsOf = async (held: object, more: object = MORE): Promise<string[]> => {
    const gateway = await open();
    expectFilled(await send(gateway, { quantity: 0.02, ...held }));
    const before = storedRows(gateway.dataDir);
    const [account] = (await look(gateway, more)).accounts;
    expect(storedRows(gateway.dataDir)).toEqual(before);
    expect(account.outcome).toBe('would_trade');
    return account.cautions;
  };
  const HELD = 'Its stops become those of the 0.02 that you hold already, too: it ';
  const ALL = 'At the stop the whole position of 0.04 loses about 400.05 USDT, 0.4 % of what the account is worth.';
  const TARGETS = {
    targets: [
      { percent: 2, share: 0.5 },
      { percent: 4, share: 0.5 },
    ],
    breakEvenAfter: 1,
  };

  it.each([
    ['the stop that is moved', { stopLoss: { percent: 1 } }, MORE, `moves the stop from 49502.4 to 40000. ${ALL}`],
    ['a stop where there was none', {}, MORE, `sets a stop at 40000. ${ALL}`],
    [
      'targets and a move to entry that end',
      { stopLoss: 40_000, ...TARGETS },
      { ...MORE, takeProfit: 60_000 },
      `sets a take profit at 60000, removes targets 1 at 51002.6 and 2 at 52002.6 and ends the move of the stop to the entry price. ${ALL}`,
    ],
    ['a trail that begins anew', { trailPercent: 5 }, { quantity: 0.02, trailPercent: 5 }, 'begins the trail anew.'],
  ])('is cautioned of %s', async (_, held, more, words) => {
    expect(await cautionsOf(held, more)).toEqual([HELD + words]);
  });

  it('is what the fill then does', async () => {
    const gateway = await open();
    expectFilled(await send(gateway, { quantity: 0.02, stopLoss: { percent: 1 } }));
    expectFilled(await send(gateway, MORE));
    const [position] = (await gateway.request('GET', '/positions')).body.result;
    expect(position.protections).toMatchObject([{ stopLoss: { price: 40_000 } }]);
  });

  it('without stops is told which stop guards it then, and what the whole position loses there', async () => {
    const more = { quantity: 0.02 };
    const guarded = `It is guarded by the stop at 40000 of the 0.02 that you hold already. ${ALL}`;
    expect(await cautionsOf({ stopLoss: 40_000 }, more)).toEqual([guarded]);
    expect(await cautionsOf({}, more)).toEqual([]);
    expect(await cautionsOf({ takeProfit: 60_000 }, more)).toEqual([]);
    expect(await cautionsOf({ stopLoss: 49_000, strategy: 'other' }, more)).toEqual([]);
  });

  it('is cautioned of nothing where its stops are the same, or where they are of another strategy', async () => {
    expect(await cautionsOf({ stopLoss: 40_000 })).toEqual([]);
    expect(await cautionsOf({ stopLoss: 49_000, strategy: 'other' })).toEqual([]);
  });
});

describe('a close of more than is held', () => {
  it('says that it is cut, before and after', async () => {
    const gateway = await open();
    expectFilled(await send(gateway, { quantity: 0.02 }));
    const close = { action: 'CLOSE_LONG', quantity: 5 };
    const warning = 'quantity: 5 were to be closed and only 0.02 are held: 0.02 are closed';
    const [account] = (await look(gateway, close)).accounts;
    expect(account).toMatchObject({ quantity: 0.02, warnings: [warning] });
    const sent = await send(gateway, close);
    expectFilled(sent);
    expect(sent.body.warnings).toEqual([warning]);
    const { events } = await gateway.trade(sent.body.requestId);
    expect(events).toContainEqual(
      expect.objectContaining({ kind: 'closes-all', detail: '0.02 are held, 5 were named' }),
    );
  });

  it('is silent where all of it, or just as much, was asked for', async () => {
    const gateway = await open();
    expectFilled(await send(gateway, { quantity: 0.02 }));
    for (const fields of [{ quantity: 0.02 }, { quantity: 100, quantityType: 'percent_position' }])
      expect((await look(gateway, { action: 'CLOSE_LONG', ...fields })).accounts[0].warnings).toEqual([]);
  });
});
