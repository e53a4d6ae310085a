// Answers that cannot be right: of another order, with numbers that do not add up, without what they must hold. None is booked, and
// none makes an order be sent twice: the order is read again until the venue makes sense.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createLog } from '../../../src/http/log.ts';
import type { FaultMatch } from '../../support/emulated-venues/faults.ts';
import {
  LIVE_VENUES,
  type LiveGateway,
  type LiveVenueRow,
  MARKET,
  openLiveGateway,
  WEBHOOK_KEY,
} from '../../support/live-gateway.ts';
import { createStrategy } from '../../support/tradingview-strategy.ts';

type Changes = Readonly<Record<string, unknown>>;

/** What the tests change in the answers of a venue, in its own words; amounts are of 0.02 BTCUSDT. */
interface Spelling {
  /** The first answer that tells what became of a new order. */
  readonly told: (row: LiveVenueRow) => FaultMatch;
  readonly anotherId: Changes;
  readonly anotherSide: Changes;
  readonly tooLarge: Changes;
  readonly filled: Changes;
  readonly overfilled: Changes;
  readonly overfilledFill: Changes;
  readonly fillPrice: string;
  readonly fillQuantity: string;
  readonly clock: { readonly match: FaultMatch; readonly field: string };
}

const SPELLINGS: Readonly<Record<string, Spelling>> = {
  binance: {
    told: ({ orders }) => orders,
    anotherId: { clientOrderId: 'sbx-another' },
    anotherSide: { side: 'SELL' },
    tooLarge: { origQty: '0.02' },
    filled: { status: 'FILLED' },
    overfilled: { executedQty: '0.02', status: 'CANCELED' },
    overfilledFill: { qty: '0.02' },
    ...{ fillPrice: 'price', fillQuantity: 'qty' },
    clock: { match: { path: '/fapi/v1/time' }, field: 'serverTime' },
  },
  bybit: {
    told: ({ order }) => order,
    anotherId: { orderLinkId: 'sbx-another' },
    anotherSide: { side: 'Sell' },
    tooLarge: { qty: '0.02' },
    filled: { orderStatus: 'Filled' },
    overfilled: { cumExecQty: '0.02', orderStatus: 'Cancelled' },
    overfilledFill: { execQty: '0.02' },
    ...{ fillPrice: 'execPrice', fillQuantity: 'execQty' },
    clock: { match: { path: '/v5/market/time' }, field: 'time' },
  },
  mexc: {
    told: ({ order }) => order,
    anotherId: { externalOid: 'sbx-another' },
    anotherSide: { side: 3 },
    tooLarge: { vol: 200 },
    filled: { state: 3 },
    overfilled: { dealVol: 200, state: 4 },
    overfilledFill: { vol: 200 },
    ...{ fillPrice: 'price', fillQuantity: 'vol' },
    clock: { match: { path: '/api/v1/contract/ping' }, field: 'data' },
  },
};

/** Fields anywhere in an answer, in the first answer that has them. */
function changingOnce(changes: Changes): (text: string) => string {
  let isDone = false;
  const names = Object.keys(changes);
  return (text) => {
    if (isDone || names.some((name) => !text.includes(`"${name}":`))) return text;
    isDone = true;
    return JSON.stringify(JSON.parse(text, (name, value) => (name in changes ? changes[name] : value)));
  };
}

/** More fills beside the first one, of these quantities. */
function adding(field: string, quantities: readonly string[]): (text: string) => string {
  const added = (row: object) =>
    quantities.map((quantity, at) => ({ ...row, id: at, execId: `x${at}`, [field]: quantity }));
  return (text) =>
    JSON.stringify(
      JSON.parse(text, (_, value) =>
        Array.isArray(value) && value.length > 0 ? [...value, ...added(value[0])] : value,
      ),
    );
}

/** In the words of each venue: no, the balance does not suffice. */
const REFUSALS = {
  binance: (words: string) => ({ code: -2019, msg: words }),
  bybit: (words: string) => ({ retCode: 110007, retMsg: words, result: {} }),
  mexc: (words: string) => ({ success: false, code: 2005, message: words }),
};

const PATIENT = { timeout: 30_000 };

describe.each(LIVE_VENUES)('$exchange', (row) => {
  const spelling = SPELLINGS[row.exchange] as Spelling;
  let gateway: LiveGateway;
  let aheadMs: number;
  let logged: string;
  beforeEach(async () => {
    [aheadMs, logged] = [0, ''];
    const destination = {
      write(line: string) {
        logged += line;
      },
    };
    gateway = await openLiveGateway(row, {
      venue: { nowMs: () => Date.now() + aheadMs },
      settings: { TRADINGVIEW_POSITION_CHECK: 'catch_up' },
      log: createLog({ level: 'debug', name: 'test', destination }),
    });
    // Otherwise Binance's stream tells the fills, and they need not be read.
    gateway.emulated.faults.loseEvents = 1000;
  });
  afterEach(() => gateway.close());
  const say = (match: FaultMatch, changes: Changes): void =>
    gateway.emulated.faults.changeAnswer(match, changingOnce(changes), 1000);
  const lastTrade = async () => (await gateway.ask('/trades')).result[0];
  const resting = async () => (await gateway.ask('/orders')).result;
  const warnings = async () => (await gateway.ask<{ warnings?: readonly string[] }>('/ready')).warnings?.join('\n');

  async function expectFilledOnce(): Promise<void> {
    await expect.poll(lastTrade, PATIENT).toMatchObject({ action: 'LONG', status: 'Filled', executedQty: 0.01 });
    const { result } = await gateway.ask<{ result: { fills: readonly object[] } }>(
      `/trades/${(await lastTrade())?.requestId}`,
    );
    expect(result.fills.length).toBe(1);
    expect(result.fills).toMatchObject([{ quantity: 0.01, price: expect.closeTo(50_000, -2) }]);
    expect(gateway.orders()).toEqual(['BUY 0.01 FILLED']);
    expect((await gateway.ask('/positions')).result).toMatchObject([{ side: 'LONG', quantity: 0.01 }]);
  }

  test.each<'anotherId' | 'anotherSide'>(['anotherId', 'anotherSide'])(
    'an answer with %s than the order has is not taken for its answer',
    async (what) => {
      say(spelling.told(row), spelling[what]);
      await gateway.send();
      await expectFilledOnce();
    },
  );

  test('nor is one of another order that is found when ours is looked for', async () => {
    gateway.emulated.faults.dropAnswerAfterAccept(row.orders);
    say(row.order, spelling.anotherId);
    await gateway.send();
    await expectFilledOnce();
  });

  test('an order that is told as filled, and of which nothing was executed, is not', async () => {
    say(spelling.told(row), spelling.filled);
    await gateway.send({ price: 40_000 });
    await expect.poll(resting, PATIENT).toMatchObject([{ quantity: 0.01, executedQty: 0 }]);
  });

  test.each<[string, (spelling: Spelling) => Changes]>([
    ['says that more was executed', ({ overfilled }) => overfilled],
    ['says that the order was larger', ({ overfilled, tooLarge }) => ({ ...overfilled, ...tooLarge })],
  ])('more than was ordered is not booked where the venue %s, and its fills say so too', async (_, changes) => {
    say(spelling.told(row), changes(spelling));
    say(row.fills, spelling.overfilledFill);
    await gateway.send();
    await expectFilledOnce();
  });

  test.each(['1e19', '0', '-50000'])('a fill at the price of %s is not booked', async (price) => {
    say(row.fills, { [spelling.fillPrice]: price });
    await gateway.send();
    await expectFilledOnce();
  });

  test.each<[string, readonly string[]]>([
    ['a fill of nothing', ['0']],
    ['one that takes another back', ['1', '-1']],
  ])('%s is not booked', async (_, quantities) => {
    gateway.emulated.faults.changeAnswer(row.fills, adding(spelling.fillQuantity, quantities));
    await gateway.send();
    await expectFilledOnce();
  });

  test('a clock that does not tell the time is asked again: what closes is sent once, and so is what follows', async () => {
    await gateway.outcome();
    aheadMs = 90_000;
    const withoutTime = changingOnce({ [spelling.clock.field]: undefined });
    // Whoever asks first gets it: the close, or what looks at the account beside it.
    let untold = 0;
    gateway.emulated.faults.changeAnswer(
      spelling.clock.match,
      (text) => {
        const told = withoutTime(text);
        if (told !== text) untold++;
        return told;
      },
      1000,
    );
    await gateway.send({ action: 'CLOSE_LONG' });
    await expect.poll(lastTrade, PATIENT).toMatchObject({ action: 'CLOSE_LONG', status: 'Filled' });
    expect(await gateway.outcome()).toMatchObject({ action: 'LONG', status: 'Filled' });
    expect(untold).toBe(1);
    expect(gateway.orders()).toEqual(['BUY 0.01 FILLED', 'SELL 0.01 FILLED', 'BUY 0.01 FILLED']);
  });

  test('a leverage is set where the venue says so: after an empty answer the order waits', async () => {
    const reply = { status: 200, text: '{}' };
    gateway.emulated.faults.plan(row.leverage, { type: 'answer', when: 'before', reply }, 1000);
    await gateway.send({ leverage: 7 });
    await expect.poll(warnings, PATIENT).toContain('makes no sense');
    expect(gateway.orders()).toEqual([]);
    gateway.emulated.faults.clear();
    await expectFilledOnce();
    expect(gateway.emulated.market.account.settings(MARKET).leverage).toBe(7);
  });

  test('what an exit must open first waits for the owner, as any opening with real money does', async () => {
    await gateway.restart({ CONFIRM_FIRST_LIVE_ORDER: 'yes' });
    const alert = createStrategy(0.02).moveTo(0.01);
    const body = { apiKey: WEBHOOK_KEY, exchange: row.exchange, ticker: `${MARKET}.P`, ...alert };
    await gateway.ask('/webhook/tradingview', { method: 'POST', body: JSON.stringify(body) });
    const error = /what is missing before this order may not be sent: .* trades with REAL MONEY/;
    await expect
      .poll(lastTrade, PATIENT)
      .toMatchObject({ action: 'CLOSE_LONG', status: 'Rejected', error: expect.stringMatching(error) });
    expect(gateway.orders()).toEqual([]);
  });

  describe('HTTP without a word of the venue:', () => {
    test.each([500, 502, 503, 504, 403, 408, 429])(
      '%d to an order that was taken: it is found, and stays one',
      async (status) => {
        const reply = { status, text: '<html><title>Blocked</title></html>', headers: { 'content-type': 'text/html' } };
        gateway.emulated.faults.plan(row.orders, { type: 'answer', when: 'after', reply });
        await gateway.send();
        // Bybit shuts an address out for ten minutes: until then nobody knows.
        if (status === 403 && row.exchange === 'bybit') {
          await expect.poll(lastTrade, PATIENT).toMatchObject({ status: 'Unknown' });
          return expect(gateway.orders()).toEqual(['BUY 0.01 FILLED']);
        }
        await expectFilledOnce();
      },
    );

    test('502 to an order that was not: nobody claims to know, and it is not sent again', async () => {
      gateway.emulated.faults.plan(row.orders, { type: 'answer', when: 'before', reply: { status: 502, text: '' } });
      await gateway.send();
      await expect.poll(lastTrade, PATIENT).toMatchObject({ status: 'Unknown', executedQty: 0 });
      expect(gateway.orders()).toEqual([]);
    });
  });

  test('a refusal in the venue’s own words is told as one: short, in one line, and without anything of ours', async () => {
    const { apiKey } = gateway.emulated.credentials;
    const signature = 'a'.repeat(64);
    const words = `no\u0007\n\u202emoney for ${apiKey} at https://venue.test/order?signature=${signature}, ${signature} ${'x '.repeat(5000)}`;
    gateway.emulated.faults.answerInstead(row.orders, 400, REFUSALS[row.exchange](words));
    const answer = (await gateway.send()) as { readonly error?: unknown };
    expect(answer).toMatchObject({ status: 422, error: expect.stringContaining(': no money for … at …') });
    expect(answer).toMatchObject({ error: expect.stringContaining('does not suffice') });
    expect(String(answer.error).length).toBeLessThan(500);
    expect(await lastTrade()).toMatchObject({ status: 'Rejected' });
    expect(gateway.orders()).toEqual([]);
    const everything = [answer, await gateway.ask('/trades'), await warnings(), logged]
      .map((each) => JSON.stringify(each))
      .join();
    expect(everything).not.toContain(apiKey);
    expect(everything).not.toContain(signature);
    expect(everything).not.toMatch(/\\u0007|\u202e/);
  });

  test('an answer without an end is cut off, and what is told of it holds nothing of the request', async () => {
    const reply = { status: 200, text: ' '.repeat(16 * 1024 * 1024 + 1) };
    gateway.emulated.faults.plan(row.positions, { type: 'answer', when: 'before', reply }, 1000);
    await gateway.send();
    await expect.poll(warnings, PATIENT).toContain('an answer of more than 16 MiB was cut off');
    const told = (await warnings()) + logged;
    expect(told).not.toContain(gateway.emulated.credentials.apiKey);
    expect(told).not.toMatch(/signature|http:/i);
    gateway.emulated.faults.clear();
    await expectFilledOnce();
  });

  test('that a venue cannot be reached is said once', async () => {
    await gateway.emulated.close();
    await gateway.send();
    await expect
      .poll(warnings, PATIENT)
      .toContain(`${row.exchange} cannot be reached: it takes no connections (ECONNREFUSED)`);
  });
});
