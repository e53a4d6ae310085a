// POST /webhook/check: says what would become of an alert by the code that would decide it, and changes nothing.

import { describe, expect, it } from 'vitest';
import { setLimits } from '../limits/provoke.ts';
import { openProtected } from '../protection/written-market.ts';
import type { GatewayOptions, Sent, TestGateway } from '../support/gateway.ts';
import { storedRows } from '../support/stored-rows.ts';
import { expectFaults, expectFilled, expectRefusal, freshGateway, KEY_1, KEY_2 } from './answers.ts';

const GATES = [
  ...['size', 'shape', 'key', 'key_limits', 'address', 'rate', 'account', 'real_money', 'market', 'kill_switch'],
  ...['limits', 'entry_rate', 'duplicate'],
];
const STRATEGY = {
  exchange: 'binance',
  symbol: '{{ticker}}',
  action: '{{strategy.order.action}}',
  quantity: '{{strategy.order.contracts}}',
  marketPosition: '{{strategy.market_position}}',
  prevMarketPosition: '{{strategy.prev_market_position}}',
};
const BUY = {
  ticker: 'ETHUSDT.P',
  'strategy.order.action': 'buy',
  'strategy.order.contracts': '0.5',
  'strategy.market_position': 'long',
  'strategy.prev_market_position': 'flat',
};

const ask = (gateway: TestGateway, body: unknown, more: object = {}): Promise<Sent> =>
  gateway.request('POST', '/webhook/check', {
    ...{ body: typeof body === 'string' ? body : JSON.stringify(body), ...more },
  });
const check = async (gateway: TestGateway, body: unknown, more: object = {}): Promise<Sent['body']> => {
  const sent = await ask(gateway, body, more);
  expect(sent.status).toBe(200);
  return sent.body.result;
};
/** The gate that refuses; those before it were passed and those after it not asked. */
function refusingGate({ gates }: Sent['body']): string | undefined {
  expect(gates.map(({ gate }: { gate: string }) => gate)).toEqual(GATES);
  const at = gates.findIndex(({ outcome }: { outcome: string }) => outcome !== 'passed');
  if (at === -1) return undefined;
  expect(gates[at].outcome).toBe('refused');
  for (const later of gates.slice(at + 1)) expect(later).toMatchObject({ outcome: 'not_reached', code: null });
  return gates[at].gate;
}
const everything = async (gateway: TestGateway, ...without: string[]): Promise<unknown> => {
  await gateway.desk.atRest();
  const refused = (await gateway.refusals.list({ limit: 100 }))?.map(({ id }) => id);
  return { rows: storedRows(gateway.dataDir, ...without), refused, notices: gateway.notices.length };
};

describe('an alert that would trade', () => {
  it('is told with every gate, its order and its stops, and then trades exactly so', async () => {
    const { gateway } = await openProtected();
    const signal = gateway.signal({ quantity: 0.0107, leverage: 1000, stopLoss: { percent: 2 }, takeProfit: 55_000 });
    const told = await check(gateway, signal);
    expect(refusingGate(told)).toBeUndefined();
    expect(told).toMatchObject({ outcome: 'would_trade', status: 200, code: null, route: '/webhook', key: 'test-0' });
    expect(told.signal).toMatchObject({
      action: 'LONG',
      market: 'BTCUSDT',
      quantity: 0.0107,
      protect: { stopLoss: '2%' },
    });
    const [account] = told.accounts;
    expect(account).toMatchObject({
      ...{ exchange: 'binance', account: 'main', mode: 'paper', market: 'BTCUSDT', quantity: 0.01, notional: 500 },
      orders: [
        {
          ...{ leg: 'open', side: 'BUY', positionSide: 'LONG', reduceOnly: false, type: 'market', quantity: 0.01 },
          ...{ price: null, timeInForce: null, postOnly: false },
        },
      ],
      protection: { stopLoss: 49_000, takeProfit: 55_000 },
    });
    expect(account.leverage).toBeLessThan(1000);
    expect(account.warnings.map((warning: string) => warning.split(':')[0])).toEqual(['quantity', 'leverage']);
    const sent = await gateway.request('POST', '/webhook', signal);
    expectFilled(sent);
    expect(sent.body.tradeResult).toMatchObject({ executedQty: 0.01, leverage: account.leverage });
    expect(sent.body.warnings).toEqual(account.warnings);
  });

  it('is told with what would be closed and canceled first', async () => {
    const { gateway } = await openProtected();
    expectFilled(await gateway.send({ action: 'SHORT', quantity: 0.03 }));
    await gateway.send({ action: 'CLOSE_SHORT', quantity: 0.01, price: 40_000 });
    const reversal = (await check(gateway, gateway.signal())).accounts[0];
    expect(reversal.orders).toMatchObject([
      { leg: 'flatten', side: 'BUY', positionSide: 'SHORT', reduceOnly: true, quantity: 0.03 },
      { leg: 'open', side: 'BUY', positionSide: 'LONG', reduceOnly: false, quantity: 0.01 },
    ]);
    expect(reversal.cancels).toHaveLength(1);
    const [resting] = (await gateway.request('GET', '/orders')).body.result;
    expect(reversal.cancels).toEqual([resting.clientOrderId]);
    const sent = await gateway.send();
    expect(sent.body.tradeResult.canceled).toEqual(reversal.cancels);
  });

  it('is told for each account of its key, and may be refused on one of them alone', async () => {
    const { gateway } = await openProtected({ accounts: ['scalp'] });
    const routes = [{ account: 'main' }, { account: 'scalp', multiplier: 2 }];
    const made = await gateway.request('POST', '/admin/webhook-keys', { label: 'routed', routes });
    await gateway.request('PUT', '/admin/restrictions/account/binance%3Ascalp/pause', { paused: true });
    const told = await check(gateway, gateway.signal({ apiKey: made.body.result.apiKey }));
    expect(told.outcome).toBe('would_trade');
    expect(told.accounts).toMatchObject([
      { account: 'main', outcome: 'would_trade', quantity: 0.01 },
      { account: 'scalp', outcome: 'would_refuse', code: 'ACCOUNT_PAUSED', orders: [] },
    ]);
  });

  it('is answered with 202 where signals are queued', async () => {
    const { gateway } = await openProtected();
    await gateway.request('PUT', '/admin/queue-mode', { mode: 'async' });
    expect(await check(gateway, gateway.signal())).toMatchObject({ outcome: 'would_trade', status: 202 });
    // Its sender hears nothing of the refusal, and this answer tells it.
    const nothing = await check(gateway, gateway.signal({ action: 'CLOSE_LONG' }));
    expect(nothing).toMatchObject({ outcome: 'would_refuse', status: 202, code: 'ORDER_REJECTED' });
  });
});

const CHECKED_GATES: readonly [
  string,
  string,
  GatewayOptions,
  (gateway: TestGateway) => Promise<Record<string, unknown>> | Record<string, unknown>,
][] = [
  ['shape', 'INVALID_PAYLOAD', {}, () => ({ quantity: 0 })],
  ['key', 'AUTHENTICATION_FAILED', {}, () => ({ apiKey: 'wrong' })],
  [
    'key',
    'TOO_MANY_FAILED_AUTHENTICATIONS',
    { controls: { limits: { webhookRatePerMinute: 0, failedAuthPerMinute: 1 } }, frozenLimits: true },
    async (gateway) => {
      await gateway.send({ apiKey: 'wrong' }, { peer: '52.89.214.238' });
      return { apiKey: 'wrong' };
    },
  ],
  [
    'key_limits',
    'KEY_PAUSED',
    {},
    async (gateway) =>
      gateway.request('PUT', '/admin/restrictions/key/test-0/pause', { paused: true }).then(() => ({})),
  ],
  [
    'key_limits',
    'KEY_OUT_OF_SCOPE',
    {},
    async (gateway) => ({ apiKey: await gateway.keyWith('narrow', { symbols: ['ETHUSDT'] }) }),
  ],
  ['address', 'ADDRESS_BLOCKED', { controls: { allowlist: ['203.0.113.1'] } }, () => ({})],
  [
    'rate',
    'RATE_LIMITED',
    { controls: { limits: { webhookRatePerMinute: 1, failedAuthPerMinute: 30 } }, frozenLimits: true },
    async (gateway) => gateway.send({}, { peer: '52.89.214.238' }).then(() => ({})),
  ],
  ['account', 'UNKNOWN_ACCOUNT', {}, () => ({ account: 'nobody' })],
  [
    'account',
    'VENUE_NOT_CONFIGURED',
    { off: [{ exchange: 'mexc', why: 'mexc is off' }] },
    () => ({ exchange: 'mexc' }),
  ],
  ['real_money', 'LIVE_NOT_CONFIRMED', { liveConfirmations: { isConfirmed: () => false } }, () => ({})],
  ['market', 'UNKNOWN_SYMBOL', {}, () => ({ symbol: 'NOSUCHUSDT' })],
  ['kill_switch', 'KILL_SWITCH_ACTIVE', { controls: { killSwitch: { active: true, scope: 'all' } } }, () => ({})],
  [
    'limits',
    'LIMIT_ACTIONS',
    {},
    async (gateway) => setLimits(gateway, 'symbol', 'BTCUSDT', { actions: ['SHORT'] }).then(() => ({})),
  ],
  [
    'entry_rate',
    'LIMIT_RATE',
    {},
    async (gateway) => {
      await setLimits(gateway, 'symbol', 'BTCUSDT', { rate: 1 });
      await gateway.send();
      return {};
    },
  ],
  [
    'duplicate',
    'DUPLICATE_SIGNAL',
    {},
    async (gateway) => gateway.send({ idempotencyKey: KEY_1 }).then(() => ({ idempotencyKey: KEY_1 })),
  ],
  [
    'duplicate',
    'DUPLICATE_SIGNAL',
    {},
    async (gateway) => gateway.send({ alertId: 'a' }).then(() => ({ alertId: 'a', quantity: 0.02 })),
  ],
];

describe('an alert that would be refused', () => {
  it.each(CHECKED_GATES)(
    'at the gate %s: %s, in the words of the real answer, and nothing is changed',
    async (gate, code, options, prepare) => {
      const gateway = await freshGateway(options);
      const signal = gateway.signal(await prepare(gateway));
      const before = await everything(gateway, 'refusals');
      const told = await check(gateway, signal);
      expect(await everything(gateway, 'refusals')).toEqual(before);
      expect(refusingGate(told)).toBe(gate);
      expect(told).toMatchObject({ outcome: 'would_refuse', code, accounts: [] });
      const sent = await gateway.request('POST', '/webhook', signal, { peer: '52.89.214.238' });
      expect([told.status, told.code, told.error]).toEqual([sent.status, sent.body.code, sent.body.error]);
    },
  );

  it('because it is too large', async () => {
    const gateway = await freshGateway();
    const told = await check(gateway, gateway.signal({ comment: 'x'.repeat(66_000) }));
    expect(refusingGate(told)).toBe('size');
    expect(told).toMatchObject({ status: 413, code: 'PAYLOAD_TOO_LARGE' });
  });

  it('because it is a resend of what was answered with an error of the server', async () => {
    const gateway = await freshGateway();
    const signal = JSON.stringify(gateway.signal());
    const { createHash } = await import('node:crypto');
    await gateway.data.journal.guardResend(createHash('sha256').update(signal).digest(), 'first', Date.now() + 60_000);
    const told = await check(gateway, signal);
    expect(refusingGate(told)).toBe('duplicate');
    expect(told.error).toContain('first');
  });

  it('by its plan, with the code of the real answer and what would be canceled all the same', async () => {
    const { gateway } = await openProtected();
    await gateway.send({ price: 40_000 });
    const told = await check(gateway, gateway.signal({ action: 'CLOSE_LONG' }));
    expect(refusingGate(told)).toBeUndefined();
    expect(told).toMatchObject({ outcome: 'would_refuse', status: 422, code: 'ORDER_REJECTED' });
    expect(told.accounts[0].cancels).toHaveLength(1);
    const sent = await gateway.send({ action: 'CLOSE_LONG' });
    expect([sent.body.code, sent.body.error]).toEqual([told.code, told.error]);
    expect(sent.body.tradeResult.canceled).toEqual(told.accounts[0].cancels);
  });

  it('counts every real entry of the day, the very first one too, and never itself', async () => {
    const { gateway } = await openProtected();
    await setLimits(gateway, 'symbol', 'BTCUSDT', { entriesPerDay: 1 });
    for (let i = 0; i < 2; i++) expect((await check(gateway, gateway.signal())).outcome).toBe('would_trade');
    expectFilled(await gateway.send());
    expect((await check(gateway, gateway.signal())).code).toBe('LIMIT_ENTRIES_PER_DAY');
  });

  it.each([
    ['LIMIT_LARGEST_ORDER', { largestOrder: 100 }, {}],
    ['LIMIT_LEVERAGE', { leverage: 2 }, { leverage: 3 }],
    ['STOP_WRONG_SIDE', {}, { stopLoss: 60_000 }],
    ['ORDER_REJECTED', {}, { quantity: 0.00001 }],
  ] as const)('with %s', async (code, limits, fields) => {
    const { gateway } = await openProtected();
    await setLimits(gateway, 'symbol', 'BTCUSDT', limits);
    const told = await check(gateway, gateway.signal(fields));
    const sent = await gateway.send(fields);
    expect(told).toMatchObject({ outcome: 'would_refuse', code, status: 422 });
    expect([sent.body.code, sent.body.error]).toEqual([told.code, told.error]);
  });
});

describe('a check', () => {
  it('writes, claims, counts and tells nothing, whatever it says', async () => {
    const { gateway } = await openProtected({ positionCheck: 'alarm' });
    await setLimits(gateway, 'symbol', 'BTCUSDT', { entriesPerDay: 5, rate: 5, openPositions: 3 });
    await gateway.send({ strategy: 'trend', stopLoss: 40_000 });
    await gateway.send({ price: 30_000 });
    const before = await everything(gateway);
    const alarms = [...gateway.alarms, ...gateway.deskAlarms];
    const bodies = [
      gateway.signal(),
      gateway.signal({ idempotencyKey: KEY_2, alertId: 'x', notify: {}, stopLoss: 45_000, leverage: 7 }),
      gateway.signal({ action: 'CLOSE_LONG', strategy: 'trend', quantity: 1 }),
      gateway.signal({ action: 'CLOSE_LONG', quantity: 1 }),
      gateway.signal({ action: 'SHORT', strategy: 'trend' }),
      gateway.signal({ quantity: 'one' }),
      gateway.signal({ apiKey: 'wrong' }),
      // Its strategy says that it held something else: that would raise an alarm.
      {
        ...STRATEGY,
        ...gateway.signal({ action: 'buy', symbol: 'BTCUSDT', quantity: '0.01' }),
        marketPosition: 'long',
        prevMarketPosition: 'short',
        marketPositionSize: '0.01',
      },
      'no JSON at all',
    ];
    for (const body of bodies) await check(gateway, body);
    expect(await everything(gateway)).toEqual(before);
    expect([...gateway.alarms, ...gateway.deskAlarms]).toEqual(alarms);
    expect((await gateway.request('GET', '/refusals')).body.result).toEqual([]);
  });

  it('takes nothing from any rate: as many real ones pass as before', async () => {
    const limits = { webhookRatePerMinute: 2, failedAuthPerMinute: 1 };
    const gateway = await freshGateway({ controls: { limits }, frozenLimits: true });
    await setLimits(gateway, 'symbol', 'BTCUSDT', { rate: 2, entriesPerDay: 2 });
    for (let i = 0; i < 5; i++) {
      expect((await check(gateway, gateway.signal({ idempotencyKey: KEY_1 }))).outcome).toBe('would_trade');
      expect((await check(gateway, gateway.signal({ apiKey: 'wrong' }))).code).toBe('AUTHENTICATION_FAILED');
    }
    expectFilled(await gateway.send({ idempotencyKey: KEY_1 }));
    expectFilled(await gateway.send());
    expectRefusal(await gateway.send(), 'RATE_LIMITED');
    expectRefusal(await gateway.send({ apiKey: 'wrong' }), 'AUTHENTICATION_FAILED');
    expectRefusal(await gateway.send({ apiKey: 'wrong' }), 'TOO_MANY_FAILED_AUTHENTICATIONS');
  });

  it('is for the owner alone: strangers learn neither keys nor limits', async () => {
    const gateway = await freshGateway({ internalToken: 'secret-token' });
    const stranger = { peer: '198.51.100.1' };
    const body = { body: JSON.stringify(gateway.signal()) };
    expectRefusal(await gateway.request('POST', '/webhook/check', body, stranger), 'UNAUTHORIZED');
    const owner = { ...stranger, headers: { 'x-internal-auth-key': 'secret-token' } };
    expect((await gateway.request('POST', '/webhook/check', body, owner)).status).toBe(200);
  });

  it('tells no key that stands in the body, in any of its fields', async () => {
    const gateway = await freshGateway({ staticKeys: ['a-key-of-the-settings'] });
    const told = await check(gateway, {
      ...gateway.signal({ comment: `with ${gateway.apiKey} and a-key-of-the-settings`, odd: 'a-key-of-the-settings' }),
    });
    expect(JSON.stringify(told)).not.toContain(gateway.apiKey);
    expect(JSON.stringify(told)).not.toContain('a-key-of-the-settings');
    expect(told.fields.find(({ field }: { field: string }) => field === 'apiKey').sent).toBe('"***"');
  });

  it('says that nobody can tell while Signalbox does not run', async () => {
    const gateway = await freshGateway({ isStopped: true });
    expectRefusal(await ask(gateway, gateway.signal()), 'NOT_TRADING');
  });

  it('names every fault of its own request', async () => {
    const gateway = await freshGateway();
    const sent = await gateway.request('POST', '/webhook/check', {
      body: 1,
      route: '/other',
      adress: '1.2.3.4',
      at: -1,
    });
    expectFaults(sent, 'body', 'route', 'at', 'adress');
    expectFaults(await ask(gateway, '{}', { address: 'here' }), 'address');
  });
});

describe('the placeholders of an alert', () => {
  it('left as they are, are listed with what they may render as, and refused as an alert is that was not filled in', async () => {
    const gateway = await freshGateway();
    const told = await check(gateway, { apiKey: gateway.apiKey, ...STRATEGY });
    expect(refusingGate(told)).toBe('shape');
    expect(told).toMatchObject({ route: '/webhook/tradingview', outcome: 'would_refuse', code: 'INVALID_PAYLOAD' });
    expect(told.error).toContain('give samples');
    expect(told.placeholders).toHaveLength(5);
    expect(told.placeholders[0]).toEqual({
      ...{ placeholder: '{{ticker}}', filledBy: 'tradingview', value: null, example: 'BTCUSDT.P' },
    });
    const action = told.fields.find(({ field }: { field: string }) => field === 'action');
    expect(action).toMatchObject({ sent: '"{{strategy.order.action}}"', use: 'refused', readAs: null });
    expect(action.note).toContain('was not filled in');
  });

  it('filled with samples, are read as the platform would render them', async () => {
    const gateway = await freshGateway();
    const told = await check(gateway, { apiKey: gateway.apiKey, ...STRATEGY }, { samples: BUY });
    expect(told).toMatchObject({ outcome: 'would_trade', route: '/webhook/tradingview' });
    expect(told.signal).toMatchObject({ action: 'LONG', market: 'ETHUSDT', quantity: 0.5 });
    const read = (name: string) => told.fields.find(({ field }: { field: string }) => field === name);
    expect(read('action')).toMatchObject({ sent: '"buy"', use: 'read', readAs: 'LONG', note: null });
    expect(read('symbol')).toMatchObject({ sent: '"ETHUSDT.P"', readAs: 'ETHUSDT' });
    expect(read('quantity')).toMatchObject({ sent: '"0.5"', readAs: '0.5' });
  });

  it('that nobody knows, and samples that have no place, are told', async () => {
    const gateway = await freshGateway();
    const body = gateway.signal({ comment: '{{tikcer}}', notify: { message: '{{status}} of {{ticker}}' } });
    const told = await check(gateway, body, { samples: { ticker: 'X', interval: 60 } });
    expect(
      told.placeholders.map(({ placeholder, filledBy, value }: Record<string, unknown>) => [
        placeholder,
        filledBy,
        value,
      ]),
    ).toEqual([
      ['{{tikcer}}', null, null],
      ['{{status}}', 'signalbox', null],
      ['{{ticker}}', 'tradingview', 'X'],
    ]);
    expect(told.warnings).toEqual(['samples: {{interval}} is nowhere in the body']);
  });

  it('without quotes make a number of their sample', async () => {
    const gateway = await freshGateway();
    const body = JSON.stringify(gateway.signal()).replace('0.01', '{{strategy.order.contracts}}');
    expect(await check(gateway, body)).toMatchObject({ code: 'INVALID_JSON', fields: [] });
    const told = await check(gateway, body, { samples: { 'strategy.order.contracts': 0.02 } });
    expect(told.signal.quantity).toBe(0.02);
  });
});

describe('the fields of a body', () => {
  it('are told one by one: what was read, what is ignored, and what must be spelled otherwise', async () => {
    const gateway = await freshGateway();
    const ignored = await check(gateway, gateway.signal({ interval: '60', trailPercent: 2 }));
    expect(ignored.warnings).toEqual(['interval: is not known and was ignored']);
    const use = ({ fields }: Sent['body']) =>
      Object.fromEntries(fields.map((each: Record<string, string>) => [each.field, each.use]));
    expect(use(ignored)).toMatchObject({ interval: 'ignored', quantity: 'read', apiKey: 'read', trailPercent: 'read' });
    expect(ignored.fields.find(({ field }: { field: string }) => field === 'trailPercent').readAs).toBe('2%');
    const refused = await check(gateway, gateway.signal({ sl: 60_000, quantity: '1' }));
    expect(refused.faults.map((fault: string) => fault.split(':')[0])).toEqual(['quantity', 'sl']);
    expect(use(refused)).toMatchObject({ sl: 'refused', quantity: 'refused' });
  });

  it('of the other route are read there', async () => {
    const gateway = await freshGateway();
    const quoted = gateway.signal({ quantity: '0.01' });
    expect((await check(gateway, quoted)).outcome).toBe('would_refuse');
    expect((await check(gateway, quoted, { route: '/webhook/tradingview' })).outcome).toBe('would_trade');
  });

  it('as words are no JSON for a webhook, and a signal for the mail door', async () => {
    const gateway = await freshGateway();
    const words = 'LONG 0.01 BTCUSDT on binance';
    expect(await check(gateway, words)).toMatchObject({ outcome: 'would_refuse', code: 'INVALID_JSON' });
    const mailed = await check(gateway, words, { route: '/email-signal' });
    expect(mailed).toMatchObject({ outcome: 'would_trade', route: '/email-signal', key: 'email', address: null });
    expect(mailed.signal).toMatchObject({ action: 'LONG', quantity: 0.01 });
  });
});

describe('what the request assumes', () => {
  it('a key by its label, for a body without one; a key in the body counts', async () => {
    const gateway = await freshGateway();
    const { apiKey, ...keyless } = gateway.signal();
    expect((await check(gateway, keyless)).faults[0]).toMatch(/^apiKey:/);
    expect(await check(gateway, keyless, { key: 'test-0' })).toMatchObject({ outcome: 'would_trade', key: 'test-0' });
    await gateway.keyWith('narrow', { symbols: ['ETHUSDT'] });
    expect(await check(gateway, keyless, { key: 'narrow' })).toMatchObject({ code: 'KEY_OUT_OF_SCOPE', key: 'narrow' });
    expect(await check(gateway, { apiKey, ...keyless }, { key: 'narrow' })).toMatchObject({
      outcome: 'would_trade',
      key: 'test-0',
    });
    expectRefusal(await ask(gateway, keyless, { key: 'nobody' }), 'UNKNOWN_KEY');
  });

  it("an address; one of TradingView's otherwise", async () => {
    const gateway = await freshGateway({ controls: { allowlist: ['tradingview', '203.0.113.1'] } });
    expect(await check(gateway, gateway.signal())).toMatchObject({ outcome: 'would_trade', address: '52.89.214.238' });
    const from = (address: string) => check(gateway, gateway.signal(), { address });
    expect((await from('203.0.113.1')).outcome).toBe('would_trade');
    expect(await from('203.0.113.2')).toMatchObject({ code: 'ADDRESS_BLOCKED', address: '203.0.113.2' });
  });

  it('a moment, for trading windows', async () => {
    const gateway = await freshGateway();
    await setLimits(gateway, 'symbol', 'BTCUSDT', { tradingWindows: [{ from: '10:00', to: '11:00' }] });
    const at = (time: string) => check(gateway, gateway.signal(), { at: Date.parse(`2026-01-05T${time}:00Z`) });
    expect((await at('10:30')).outcome).toBe('would_trade');
    expect((await at('11:30')).code).toBe('LIMIT_TRADING_WINDOW');
  });
});
