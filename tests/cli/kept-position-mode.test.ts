// A hedge account with both sides of a market open, started as one-way in a real process: it stays hedge, everything can be closed.

import { expect, it } from 'vitest';
import { openSettingsStorage } from '../../src/adapters/storage/sqlite/settings.ts';
import { freshDataDir, type RunningProcess, startGatewayProcess } from '../support/process.ts';
import { commandLineHere, runCommandHere, signalWords } from './command-line.ts';

const HEDGE = { PAPER_POSITION_MODE: 'hedge' };
const KEPT = 'keeps position mode hedge instead of one-way: at the start';

/** The commands over a data folder, whoever runs on it. */
function openOwner(dataDir: string, apiKey: string) {
  const cli = commandLineHere({ DATA_DIR: dataDir });
  const rows = async (...command: string[]): Promise<Record<string, string>[]> =>
    (await cli.json(...command)).body.result;
  return {
    cli,
    send: (action: string, quantity: string, flags: Record<string, string> = {}) =>
      cli.done(...signalWords(apiKey, { symbol: 'SOLUSDT', action, quantity, ...flags })),
    modes: async () => (await rows('accounts')).map(({ exchange, positionMode }) => `${exchange} ${positionMode}`),
    held: async () => (await rows('positions')).map(({ side, quantity }) => `${side} ${quantity}`).sort(),
    modeChanges: async () => (await rows('audit')).filter(({ setting }) => setting === 'positionModes'),
  };
}

async function warningsOf({ url }: RunningProcess): Promise<readonly string[]> {
  const { warnings } = (await (await fetch(`${url}/ready`)).json()) as { warnings: readonly string[] };
  return warnings.filter((warning) => warning.includes('position mode'));
}

it('stays hedge while a market is held on both sides, says so, and is one-way at the first start without', async () => {
  const dataDir = freshDataDir();
  const startMs = Date.now();
  const first = await startGatewayProcess({ dataDir, env: HEDGE });
  const { cli, send, modes, held, modeChanges } = openOwner(dataDir, first.apiKey as string);
  await send('LONG', '3');
  await send('SHORT', '2');
  await first.kill();

  const second = await startGatewayProcess({ dataDir });
  expect(await modes()).toEqual(['binance hedge', 'bybit one-way', 'mexc one-way']);
  const words = `binance ${KEPT} SOLUSDT had positions or waiting entries on both sides; close or cancel one side, then start again`;
  expect(await warningsOf(second)).toEqual([expect.stringContaining(words)]);
  // The log has a stream of its own.
  await expect.poll(() => second.output(), { timeout: 30_000 }).toContain(words);
  expect((await runCommandHere(['doctor'], { DATA_DIR: dataDir })).stdout.replace(/\s+/g, ' ')).toContain(words);
  // The audit has what really changed: those that hold nothing.
  expect(await modeChanges()).toMatchObject([{ after: { 'bybit:main': 'one-way', 'mexc:main': 'one-way' } }]);
  expect((await modeChanges())[0]?.after).not.toHaveProperty('binance:main');
  await send('CLOSE_SHORT', '1');
  expect(await held()).toEqual(['LONG 3', 'SHORT 1']);
  await cli.done('close', 'binance:SOLUSDT:LONG');
  expect(await held()).toEqual(['SHORT 1']);
  // Nothing changes under way.
  expect((await modes())[0]).toBe('binance hedge');
  await second.kill();

  const third = await startGatewayProcess({ dataDir });
  expect((await modes())[0]).toBe('binance one-way');
  expect(await warningsOf(third)).toEqual([]);
  expect((await modeChanges())[0]).toMatchObject({
    before: { 'binance:main': 'hedge' },
    after: { 'binance:main': 'one-way' },
  });
  await send('LONG', '2');
  expect(await held()).toEqual(['LONG 2']);
  await third.stop();

  const { code, body } = await cli.json('replay', '--from', String(startMs), '--to', String(Date.now()), '--check');
  expect(body).toMatchObject({ same: true, holdings: [], troubles: [] });
  expect(code).toBe(0);
});

it('shares of strategies on both sides are closed by their own exits, their stops and the owner', async () => {
  const dataDir = freshDataDir();
  const named = (mode: string) => ({ PAPER_ACCOUNTS: `binance:swing=50000:${mode}` });
  const first = await startGatewayProcess({ dataDir, env: named('hedge') });
  const { cli, send, held } = openOwner(dataDir, first.apiKey as string);
  const of = (strategy: string) => ({ account: 'swing', strategy });
  await send('LONG', '3', of('a'));
  await send('SHORT', '2', of('b'));
  await first.kill();

  const second = await startGatewayProcess({ dataDir, env: named('one-way') });
  expect(await warningsOf(second)).toEqual([expect.stringContaining(`binance:swing ${KEPT}`)]);
  await send('LONG', '1', of('a'));
  expect(await held()).toEqual(['LONG 4', 'SHORT 2']);
  await send('CLOSE_LONG', '1', of('a'));
  await send('CLOSE_SHORT', '1', of('b'));
  expect(await held()).toEqual(['LONG 3', 'SHORT 1']);
  await cli.done('stops', 'set', 'binance:swing:SOLUSDT:LONG', '--strategy', 'a', '--max-hold', '1');
  await expect.poll(held, { timeout: 30_000 }).toEqual(['SHORT 1']);
  await send('LONG', '1', of('a'));
  expect(await held()).toEqual(['LONG 1', 'SHORT 1']);
  await cli.done('flatten', '--yes');
  expect(await held()).toEqual([]);
  await second.stop();
});

it('stays hedge while an entry waits against a position, and where an earlier version had it one-way already', async () => {
  const dataDir = freshDataDir();
  const first = await startGatewayProcess({ dataDir, env: HEDGE });
  const { cli, send, modes } = openOwner(dataDir, first.apiKey as string);
  await send('LONG', '1');
  await send('SHORT', '1', { price: '100000' });
  await first.stop();

  const second = await startGatewayProcess({ dataDir });
  expect((await modes())[0]).toBe('binance hedge');
  await cli.done('cancel', '--all');
  await send('SHORT', '1');
  await second.stop();

  const settings = openSettingsStorage(dataDir);
  await settings.remember('positionModes', JSON.stringify({ 'binance:main': 'one-way' }), Date.now());
  await settings.close();
  const third = await startGatewayProcess({ dataDir });
  expect((await modes())[0]).toBe('binance hedge');
  await cli.done('close', 'binance:SOLUSDT:LONG');
  await third.stop();
  // Nothing runs: the folder answers as the next start would.
  expect((await modes())[0]).toBe('binance one-way');
});
