// The proof is doubted: what one sender was told, and the journal of a sound run, are falsified in one thing after the other, and each
// time the harness must say what is wrong, by its name.

import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { compareJournal } from '../support/chaos/compare-journal.ts';
import type { Deployment } from '../support/chaos/form.ts';
import { BALANCE } from '../support/chaos/form-settings.ts';
import { openPostgresForm } from '../support/chaos/postgres-form.ts';
import { drawSignal } from '../support/chaos/random-signals.ts';
import { openSqliteForm } from '../support/chaos/sqlite-form.ts';
import { freshDataDir } from '../support/process.ts';
import { Random } from '../support/random.ts';
import { sendAll, type TimedSignal } from '../support/senders.ts';

const API_KEY = `whk_${'f'.repeat(43)}`;
const SIGNALS = 250;

interface Falsified {
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

const ONE_FILLED = "(SELECT max(seq) FROM trades WHERE state = 'filled')";
const ONE_REJECTED = "(SELECT max(seq) FROM trades WHERE state = 'rejected')";
/** As if an account had placed nearly a million orders before: the numbers of some have a digit more. */
const LATER_NUMBERS = `UPDATE paper_orders SET order_id = substr(order_id, 1, length(order_id) - 6)
  || printf('%06d', 999980 + CAST(substr(order_id, -6) AS INTEGER))`;

const FALSIFIED: readonly Falsified[] = [
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
    sql: [`UPDATE orders SET side = iif(side = 'BUY', 'SELL', 'BUY') WHERE trade_seq = ${ONE_FILLED}`],
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
    sql: [`UPDATE trades SET average_price = '1' WHERE seq = ${ONE_FILLED}`],
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
      WHERE trade_seq = ${ONE_REJECTED} AND kind = 'rejected'`,
    ],
    found: [/the history of trade \d+ has its end as rejected 2 times in place of 1/],
  },
  {
    name: 'the end of an exit, for whose rest nothing was sent',
    sql: [
      // The fill itself may be told by the row of its trade alone.
      `INSERT INTO stored_events
      SELECT seq, 98, updated_at, 'filled', '' FROM trades
        WHERE seq = ${ONE_FILLED} AND NOT EXISTS (SELECT 1 FROM stored_events WHERE trade_seq = seq AND kind = 'filled')
      UNION ALL SELECT seq, 99, updated_at, 'filled', 'nothing more was closed: our books have nothing more of it'
        FROM trades WHERE seq = ${ONE_FILLED}`,
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
      SELECT at, kind, trade_seq, facts FROM desk_events WHERE trade_seq = ${ONE_FILLED} AND kind = 'filled'`,
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
];

type Run = Awaited<ReturnType<typeof soundRun>>;

/** One sender, who waits for each answer, and nothing that goes wrong. */
async function soundRun(form: Deployment, urls: () => [string, ...string[]]) {
  const random = new Random(6);
  const source = { random, apiKeys: [API_KEY], paper: ['binance'], accounts: ['scalp'], hasStops: true } as const;
  await form.start();
  const sent = await sendAll({
    ...{ url: async () => random.of(urls()), total: SIGNALS, connections: 1, onSent: () => {} },
    next: () => drawSignal(source),
  });
  await form.comeToRest();
  expect(await form.end(sent)).toEqual([]);
  return { dataDir: form.dataDir, sent };
}

/** What is found about a copy of the run in which one thing is another one. */
function foundIn(run: Run, { sql = [], body, sent }: Falsified): string[] {
  const folder = freshDataDir();
  cpSync(join(run.dataDir, 'signalbox.db'), join(folder, 'signalbox.db'));
  const db = new DatabaseSync(join(folder, 'signalbox.db'));
  for (const statement of sql) expect(db.prepare(statement).run().changes).toBeGreaterThan(0);
  db.close();
  const bodies = run.sent.map((signal) => {
    const read = JSON.parse(signal.body);
    return body === undefined ? signal : { ...signal, body: JSON.stringify({ ...read, ...body(read) }) };
  });
  const findings = compareJournal(folder, sent?.(bodies) ?? bodies, { live: [], balance: BALANCE });
  rmSync(folder, { recursive: true });
  return findings.map(({ words }) => words);
}

describe('the harness finds by its name whatever is falsified, and nothing in what is sound', () => {
  it.concurrent.each([
    ['one process over SQLite', openSqliteForm],
    ['two processes over PostgreSQL', openPostgresForm],
  ] as const)('of %s', async (_, openForm) => {
    let urls: readonly string[] = [];
    const onStart = (all: readonly string[]): void => {
      urls = all;
    };
    const nothing = { settings: {}, live: [] };
    const form = await openForm({ ...nothing, mode: 'async', apiKeys: [API_KEY], accounts: ['scalp'], onStart });
    try {
      const run = await soundRun(form, () => urls as [string, ...string[]]);
      for (const falsified of FALSIFIED) {
        const words = foundIn(run, falsified);
        if (falsified.found === undefined) expect(words, falsified.name).toEqual([]);
        for (const wanted of falsified.found ?? [])
          expect(words, falsified.name).toContainEqual(expect.stringMatching(wanted));
      }
    } finally {
      await form.close();
    }
  });
});
