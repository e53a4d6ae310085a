// `signalbox archive` as a person types it: beside a running instance and on a stopped folder, with trades of long ago.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningProcess, startGatewayProcess } from '../support/process.ts';
import { type CommandLine, commandLineHere, signalWords } from './command-line.ts';

const DAY_MS = 86_400_000;

/** Everything in the journal of a stopped folder was so many days earlier. */
function age(dataDir: string, days: number): void {
  const ms = days * DAY_MS;
  const db = new DatabaseSync(join(dataDir, 'signalbox.db'));
  db.exec(`UPDATE trades SET received_at = received_at - ${ms}, updated_at = updated_at - ${ms};
    UPDATE orders SET created_at = created_at - ${ms}, updated_at = updated_at - ${ms};
    UPDATE trade_signals SET timestamp = timestamp - ${ms};
    UPDATE desk_events SET at = at - ${ms}`);
  const aged = (fills: string): string =>
    fills.replace(/^\[.*\]$/gm, (line) => {
      const fill = JSON.parse(line) as unknown[];
      fill[5] = Number(fill[5]) - ms;
      return JSON.stringify(fill);
    });
  for (const { trade_seq: seq, leg, fills } of db.prepare('SELECT trade_seq, leg, fills FROM orders').all())
    db.prepare('UPDATE orders SET fills = ? WHERE trade_seq = ? AND leg = ?').run(aged(String(fills)), seq!, leg!);
  db.close();
}

describe('signalbox archive', () => {
  let running: RunningProcess;
  let cli: CommandLine;
  let dataDir: string;
  let apiKey: string;
  const traded = async (symbol: string) => {
    await cli.done(...signalWords(apiKey, { symbol, quantity: '100' }));
    await cli.done(...signalWords(apiKey, { symbol, quantity: '100', action: 'CLOSE_LONG' }));
  };
  const restarted = async () => {
    running = await startGatewayProcess({ dataDir });
  };
  const idsOf = async (): Promise<readonly string[]> =>
    (await cli.json('trades', '--limit', '100')).body.result.map(({ requestId }: { requestId: string }) => requestId);

  beforeAll(async () => {
    running = await startGatewayProcess();
    ({ dataDir } = running);
    apiKey = running.apiKey as string;
    cli = commandLineHere({ DATA_DIR: dataDir });
    await traded('DOGEUSDT');
    await cli.done(...signalWords(apiKey, { symbol: 'SOLUSDT', quantity: '1' }));
    await running.stop();
    age(dataDir, 400);
    await restarted();
    await traded('ADAUSDT');
  });
  afterAll(() => running.stop());

  test('beside a running instance, what ended leaves and what is held stays', async () => {
    expect(await cli.done('archive')).toBe('Nothing was archived yet.\n');
    /** What does not move with the market. */
    const kept = async (command: string, names: readonly string[]) =>
      (await cli.json(command)).body.result.map((row: Record<string, unknown>) => names.map((name) => row[name]));
    const held = () => kept('positions', ['market', 'side', 'quantity', 'entryPrice', 'realizedPnl', 'fees']);
    const earned = () => kept('account', ['account', 'balance', 'realizedTotal', 'feesTotal', 'fundingTotal']);
    const [positions, totals] = [await held(), await earned()];
    const said = await cli.done('archive', '--before', '365d');
    expect(said).toMatch(/^2 trades, \d+ rows in all, are in .*archive now \(\d{4}-\d{2}\)/);
    expect(await idsOf()).toHaveLength(3);
    expect(await held()).toEqual(positions);
    expect(await earned()).toEqual(totals);
    expect(await cli.done('archive')).toMatch(/\d{4}-\d{2} +0\.\d MiB +.*\.db\nEverything since /);
    expect(await cli.done('performance')).toMatch(/From .*Z on: what is older may be archived/);
  });

  test('a second time there is nothing more to do, and what is too young is refused', async () => {
    expect(await cli.done('archive', '--before', '365d')).toMatch(/^Nothing old enough is left/);
    expect(await cli.refused(1, 'archive', '--before', '7d')).toContain('less than 30 days ago');
    expect(await cli.refused(1, 'archive', '--before', 'long ago')).toContain('is no moment and no age');
  });

  test('on a stopped folder it does the same, and the next start trades on', async () => {
    await running.stop();
    age(dataDir, 400);
    const before = new Date(Date.now() - 100 * DAY_MS).toISOString().slice(0, 10);
    const { body } = await cli.json('archive', '--before', before);
    expect(body.result.lastRun).toMatchObject({ isRunning: false, trades: 0, fault: null });
    await restarted();
    await traded('XRPUSDT');
    await running.stop();
    const said = await cli.done('archive', '--before', before);
    expect(said).toMatch(/^2 trades/);
    expect(readdirSync(join(dataDir, 'archive')).every((name) => /^\d{4}-\d{2}\.db$/.test(name))).toBe(true);
    await restarted();
    expect(await cli.done('positions')).toMatch(/SOLUSDT +LONG +1/);
    expect(await idsOf()).toHaveLength(3);
  });
});
