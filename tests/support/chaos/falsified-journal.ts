// One thing after the other in which the journal of a sound run, or what its senders were told, can be falsified, and by which words the
// harness must find each of them.

import type { Answer, TimedSignal } from '../senders.ts';

export interface Falsified {
  readonly name: string;
  /** Statements over the journal, each of which must change something. */
  readonly sql?: readonly string[];
  /** Of every body that was sent. */
  // biome-ignore lint/suspicious/noExplicitAny: any field of a body may be another one
  readonly body?: (body: any) => object;
  readonly sent?: (sent: readonly TimedSignal[]) => TimedSignal[];
  /** What is found; nothing where it is left out. */
  readonly found?: readonly RegExp[];
}

const opposite = (action: string): string =>
  action.includes('LONG') ? action.replace('LONG', 'SHORT') : action.replace('SHORT', 'LONG');

/** Who was answered first was answered last. */
function reversed(sent: readonly TimedSignal[]): TimedSignal[] {
  const times = sent.map(({ sentAtMs, answeredAtMs }) => ({ sentAtMs, answeredAtMs })).reverse();
  return sent.map((signal, index) => ({ ...signal, ...times[index] }));
}

/** Every sender that was told that its signal is taken was told something else. */
const answered =
  (change: (answer: Answer) => Answer) =>
  (sent: readonly TimedSignal[]): TimedSignal[] =>
    sent.map((signal) =>
      signal.answer && signal.answer.status < 300 ? { ...signal, answer: change(signal.answer) } : signal,
    );

/** Each of them was refused, with the id that it had been told, unless the fields have another one. */
const refused = (status: number, code: string, fields: object = {}) =>
  answered(({ body: { requestId } }) => ({
    status,
    body: { success: false, requestId, code, error: 'no', ...fields },
  }));

/** What a sender in direct mode is told of a signal that filled. */
const toldFilled = answered(({ body: { requestId } }) => ({
  status: 200,
  body: { requestId, tradeResult: { status: 'Filled' } },
}));

const ONE_OPENED = "(SELECT max(trade_seq) FROM orders WHERE leg = 'open' AND state = 'filled')";
/** Those of a stop have no key: whether they come last, and how they end, depends on the time. */
const [FILLED_SIGNAL, REJECTED_SIGNAL] = ['filled', 'rejected'].map(
  (state) => `(SELECT max(seq) FROM trades WHERE state = '${state}' AND idempotency_key IS NOT NULL)`,
);
/** As if an account had placed nearly a million orders before: the numbers of some have a digit more. */
const LATER_NUMBERS = `UPDATE paper_orders SET order_id = substr(order_id, 1, length(order_id) - 6)
  || printf('%06d', 999980 + CAST(substr(order_id, -6) AS INTEGER))`;

/** Of whatever has the most orders, in the market in which most signals meet. */
const [FIRST_ORDER, LAST_ORDER] = ['min', 'max'].map(
  (which) => `(SELECT ${which}(order_id) FROM paper_orders WHERE account = 'main' AND market = 'BTCUSDT')`,
);
const TRADE_FIELDS = `received_at, updated_at, source, key_label, exchange, mode, account, strategy, action, symbol, market, quantity,
  idempotency_key, state, executed_quantity, average_price`;
const ORDER_FIELDS = `exchange, account, order_id, market, side, position_side, reduce_only, status, quantity, executed_quantity,
  average_price, fills, created_at, updated_at, submissions`;

export const FALSIFIED: readonly Falsified[] = [
  { name: 'nothing' },
  { name: 'the numbers of the orders, which become longer', sql: [LATER_NUMBERS] },
  {
    name: 'the numbers of the events of the desk, of which the oldest are forgotten',
    sql: ['DELETE FROM desk_events WHERE seq <= 300', 'UPDATE desk_events SET seq = seq + 200000'],
  },
  {
    name: 'the side that was asked for',
    body: (body) => ({ action: opposite(body.action) }),
    found: [/was sent with the action (CLOSE_)?LONG, and traded with (CLOSE_)?SHORT/],
  },
  {
    name: 'the quantity that was asked for',
    body: (body) => ({ quantity: body.quantity * 10 }),
    found: [/was sent with the quantity 600, and traded with 60$/],
  },
  {
    name: 'the account that was asked for',
    body: ({ account }) => ({ account: account === 'scalp' ? undefined : 'scalp' }),
    found: [/was sent with the account scalp, and traded with main/],
  },
  {
    name: 'the exchange that was asked for',
    body: () => ({ exchange: 'bybit' }),
    found: [/was sent with the exchange bybit, and traded with binance/],
  },
  {
    name: 'the market that was asked for',
    body: () => ({ symbol: 'DOGEUSDT' }),
    found: [/was sent with the market DOGEUSDT, and traded with/],
  },
  {
    name: 'the strategy that was asked for',
    body: ({ strategy }) => ({ strategy: strategy === 'trend' ? 'range' : strategy }),
    found: [/was sent with the strategy range, and traded with trend/],
  },
  {
    name: 'the stop that was asked for',
    body: () => ({ stopLoss: { percent: 25 } }),
    found: [/was sent with the stop 25 %, and traded with none/, /was sent with the stop 25 %, and traded with 50 %/],
  },
  {
    name: 'the side of an order',
    sql: [`UPDATE orders SET side = iif(side = 'BUY', 'SELL', 'BUY') WHERE trade_seq = ${FILLED_SIGNAL}`],
    found: [/the order \S+ of the (CLOSE_)?(LONG|SHORT) \S+ is a (BUY|SELL)/],
  },
  {
    name: 'the order in which signals were answered',
    sent: reversed,
    found: [/was answered before .* was sent, and is behind it in the journal/],
  },
  {
    name: 'what positions have earned',
    sql: ["UPDATE positions SET realized_pnl = '999999'"],
    found: [/the realized P&L of position binance main \S+ LONG is 999999, and by its fills/],
  },
  {
    name: 'what positions were bought at',
    sql: ["UPDATE positions SET entry_price = '1' WHERE quantity <> '0'"],
    found: [/the entry price of position .* is 1, and by its fills/],
  },
  {
    name: 'the fees of positions',
    sql: ["UPDATE positions SET fees = '0'"],
    found: [/the fees of position .* is 0, and by its fills/],
  },
  {
    name: 'what positions of the venue were bought at',
    sql: ["UPDATE paper_positions SET entry_price = '1'"],
    found: [/the entry price of the paper position .* is 1, and by its fills/],
  },
  {
    name: 'the balance of an account',
    sql: ["UPDATE paper_accounts SET balance = '1' WHERE account = 'scalp'"],
    found: [/the balance of binance scalp is 1, and by its fills/],
  },
  {
    name: 'funding that was paid',
    sql: [
      `INSERT INTO paper_funding (exchange, account, at, market, side, quantity, price, rate, amount)
        VALUES ('binance', 'main', 0, 'BTCUSDT', 'LONG', '1', '1', '1', '-1')`,
    ],
    found: [/the balance of binance main is/],
  },
  {
    name: 'the average price of a trade',
    sql: [`UPDATE trades SET average_price = '1' WHERE seq = ${FILLED_SIGNAL}`],
    found: [/the average price of trade \d+ is 1, and by its fills/],
  },
  {
    name: 'the fills of the venue',
    sql: ['UPDATE paper_orders SET fills = replace(fills, \'","0\', \'","1\')'],
    found: [/our fills are .*, those of the venue/],
  },
  {
    name: 'the shares of strategies, which are gone',
    sql: ["UPDATE strategy_books SET quantity = '0' WHERE strategy <> 'guarded'"],
    found: [/in order the share of "trend" is -?\d+, and its book has 0/, /the quantity of share .* "range"/],
  },
  {
    name: 'the shares of strategies',
    sql: ["UPDATE strategy_books SET quantity = '777' WHERE quantity <> '0' AND strategy <> 'guarded'"],
    found: [/in order the share of "range" is -?\d+, and its book has/, /the quantity of share .* is 777/],
  },
  {
    name: 'what shares have earned',
    sql: ["UPDATE strategy_books SET realized_pnl = '5'"],
    found: [/the realized P&L of share .* "guarded" (LONG|SHORT) is 5, and by its fills/],
  },
  {
    name: 'where stops stand',
    sql: ["UPDATE protections SET stop_loss = '1'"],
    found: [/the stop level at binance main \S+ (LONG|SHORT) is 1, and (50|0.1|0.02) % from \S+ is/],
  },
  {
    name: 'which entry a stop is of',
    sql: ["UPDATE protections SET origin = 'another'"],
    found: [/the stop at .* is that of another, and the last entry was/],
  },
  {
    name: 'stops, which are gone',
    sql: ['DELETE FROM protections'],
    found: [/has lost its stop/],
  },
  {
    name: 'the histories of trades, which are gone',
    sql: ['DELETE FROM stored_events'],
    found: [
      /the history of trade \d+ has its end as rejected 0 times in place of 1/,
      /was sent with the stop 50 %, and traded with none/,
    ],
  },
  {
    name: 'the end of a trade, which its history has twice',
    sql: [
      `INSERT INTO stored_events SELECT trade_seq, 99, at, kind, detail FROM stored_events
      WHERE trade_seq = ${REJECTED_SIGNAL} AND kind = 'rejected'`,
    ],
    found: [/the history of trade \d+ has its end as rejected 2 times in place of 1/],
  },
  {
    name: 'the end of an exit, for whose rest nothing was sent',
    sql: [
      // The fill itself may be told by the row of its trade alone.
      `INSERT INTO stored_events
      SELECT seq, 98, updated_at, 'filled', '' FROM trades
        WHERE seq = ${FILLED_SIGNAL} AND NOT EXISTS (SELECT 1 FROM stored_events WHERE trade_seq = seq AND kind = 'filled')
      UNION ALL SELECT seq, 99, updated_at, 'filled', 'nothing more was closed: our books have nothing more of it'
        FROM trades WHERE seq = ${FILLED_SIGNAL}`,
    ],
  },
  {
    name: 'the events of the desk, which are gone',
    sql: ['DELETE FROM desk_events'],
    found: [/the desk was told that trade \d+ was accepted 0 times/, /trade \d+ ended as filled 0 times/],
  },
  {
    name: 'the end of a trade, of which the desk was told twice',
    sql: [
      `INSERT INTO desk_events (at, kind, trade_seq, facts)
      SELECT at, kind, trade_seq, facts FROM desk_events WHERE trade_seq = ${FILLED_SIGNAL} AND kind = 'filled'`,
    ],
    found: [/the desk was told that trade \d+ ended as filled 2 times in place of 1/],
  },
  {
    name: 'the list of signals, which is gone',
    sql: ['DELETE FROM trade_signals'],
    found: [/the list of signals has \S+ 0 times in place of 1/],
  },
  {
    name: 'what the list of signals says of them',
    sql: ["UPDATE trade_signals SET decision = 'DUPLICATE_SIGNAL'"],
    found: [/the list of signals has \S+ as something else than an accepted (CLOSE_)?(LONG|SHORT) of/],
  },
  {
    name: 'messages that nobody has sent',
    sql: [
      `INSERT INTO outbox (trade_seq, kind, channel, payload, attempts, next_attempt_at, created_at)
      SELECT seq, 'x', 'chat', '{}', 0, 0, 0 FROM trades`,
    ],
    found: [/the outbox has \d+ messages/],
  },
  {
    name: 'a filled trade, which is there twice under one key',
    sql: [
      `INSERT INTO trades (request_id, ${TRADE_FIELDS}) SELECT 'another', ${TRADE_FIELDS} FROM trades WHERE seq = ${FILLED_SIGNAL}`,
    ],
    found: [/^\S+ was traded 2 times$/],
  },
  {
    name: 'a trade, which is gone',
    sql: [`DELETE FROM trades WHERE seq = ${REJECTED_SIGNAL}`],
    found: [/^\S+ was acknowledged with 202 and is gone$/],
  },
  {
    name: 'the end of a trade, which it does not have',
    sql: [`UPDATE trades SET state = 'accepted' WHERE seq = ${REJECTED_SIGNAL}`],
    found: [/^\S+ was acknowledged and ended as accepted$/],
  },
  {
    name: 'the key of a trade',
    sql: [`UPDATE trades SET idempotency_key = 'x' WHERE seq = ${FILLED_SIGNAL}`],
    found: [/^nobody has asked for the trade \S+$/],
  },
  {
    name: 'an order of the venue, of which it has a second one for the same signal',
    sql: [
      `INSERT INTO paper_orders (client_order_id, ${ORDER_FIELDS})
      SELECT substr(client_order_id, 1, 29) || iif(substr(client_order_id, 30) = 'o', 'c', 'o'), ${ORDER_FIELDS} FROM paper_orders
        WHERE client_order_id = (SELECT client_order_id FROM orders WHERE trade_seq = ${ONE_OPENED})`,
    ],
    found: [
      /^1 signals have more than one order at the venue$/,
      /^the journal has \d+ filled orders, the venue \d+ filled orders$/,
      /^the venue has 1 orders the journal does not know$/,
    ],
  },
  {
    name: 'the orders of the venue, which it got twice',
    sql: ['UPDATE paper_orders SET submissions = 2'],
    found: [/^\d+ client order ids reached the venue more than once$/],
  },
  {
    name: 'the order in which the venue got two of its orders',
    sql: [
      `UPDATE paper_orders SET order_id = iif(order_id = ${FIRST_ORDER}, ${LAST_ORDER}, ${FIRST_ORDER})
      WHERE order_id IN (${FIRST_ORDER}, ${LAST_ORDER})`,
    ],
    found: [/^binance main BTCUSDT: \d+ orders reached the venue after later ones: /],
  },
  {
    name: 'what the venue has executed',
    sql: ["UPDATE paper_orders SET executed_quantity = '7'"],
    found: [/^sbx\w+: our fills are \S+, the venue executed 7$/],
  },
  {
    name: 'the positions of the venue',
    sql: ["UPDATE paper_positions SET quantity = '777'"],
    found: [
      /^positions differ: ours .*, the venue's .*"quantity":"777"/,
      /: in order the position is "(LONG|SHORT) \d+", the venue has "(LONG|SHORT) \d+"$/,
    ],
  },
  {
    name: 'our positions',
    sql: ["UPDATE positions SET quantity = '777' WHERE quantity <> '0'"],
    found: [
      /^positions differ: ours .*"quantity":"777".*, the venue's /,
      /: the fills come to \S+, our position is 777$/,
    ],
  },
  {
    name: 'a position, for which a start took the word of the venue',
    sql: [`INSERT INTO stored_events VALUES (${FILLED_SIGNAL}, 99, 0, 'position-adopted', 'all of it')`],
    found: [/^a start found our books wrong: all of it$/],
  },
  {
    name: 'what senders were told, as if each had filled at once',
    sent: toldFilled,
    found: [/^\S+ was answered Filled and is rejected$/],
  },
  {
    name: 'what senders were told, in words that no program can read',
    sent: answered(() => ({ status: 202, body: { unreadable: '<html>' } })),
    found: [/^\S+ was acknowledged with 202 by "<html>"$/],
  },
  {
    name: 'what senders were told, as if nothing had been stored',
    sent: refused(503, 'STORAGE_FAILED'),
    found: [/^\S+ was answered "no", and it is there as filled$/, /and it is there as rejected$/],
  },
  {
    name: 'what senders were told, as if nobody knew what was stored',
    sent: refused(503, 'STORAGE_UNKNOWN'),
  },
  {
    name: 'what senders were told, as if each venue had refused',
    sent: refused(422, 'ORDER_REJECTED'),
    found: [/^\S+ was answered "no", and it is filled$/],
  },
  {
    name: 'what senders were told, as if the kill switch had been on',
    sent: refused(503, 'KILL_SWITCH_ACTIVE'),
    found: [/^\S+ was answered "no", and it is filled$/],
  },
  {
    name: 'what senders were told, as if each venue had refused what was never there',
    sent: refused(422, 'ORDER_REJECTED', { requestId: 'another' }),
    found: [/^another was answered "no", and it is gone$/],
  },
  {
    name: 'what senders were told, as if each signal were wrong',
    sent: refused(400, 'INVALID_SIGNAL'),
    found: [/^\S+ was answered "no" \(INVALID_SIGNAL\)$/],
  },
  {
    name: 'what senders were told, as if each had sent what was there before',
    sent: answered(({ body: { requestId } }) => ({
      status: 409,
      body: { requestId: 'another', originalRequestId: requestId, code: 'DUPLICATE_SIGNAL', error: 'no' },
    })),
  },
  {
    name: 'what senders were told, as if each had sent what was never there',
    sent: refused(409, 'DUPLICATE_SIGNAL', { originalRequestId: 'the first' }),
    found: [/^\S+ was answered "no", and the first is gone$/],
  },
];
