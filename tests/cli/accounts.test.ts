// Paper accounts of the settings in a real process: they are listed, traded on, survive kill -9, and stay when the setting is gone.

import { expect, it } from 'vitest';
import { freshDataDir, runSignalbox, startGatewayProcess } from '../support/process.ts';
import { commandLineHere, signalWords } from './command-line.ts';

const lines = (text: string): string[][] =>
  text
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.trim().split(/\s+/));

it('accounts of PAPER_ACCOUNTS have their own money, keep it over a kill, and are not lost with the setting', async () => {
  const dataDir = freshDataDir();
  const env = { PAPER_ACCOUNTS: 'binance:scalp=5000,bybit:main=70000', PAPER_BALANCE: '200000' };
  const first = await startGatewayProcess({ dataDir, env });
  const cli = commandLineHere({ DATA_DIR: dataDir });
  expect(lines(await cli.done('accounts'))).toEqual([
    ['binance', 'main', 'paper', 'one-way', '200000'],
    ['binance', 'scalp', 'paper', 'one-way', '5000'],
    ['bybit', 'main', 'paper', 'one-way', '70000'],
    ['mexc', 'main', 'paper', 'one-way', '200000'],
  ]);
  const key = first.apiKey as string;
  const filled = await cli.done(...signalWords(key, { account: 'scalp' }));
  expect(filled).toMatch(/Order paper-binance-scalp-000001, paper, account scalp\./);
  expect(await cli.refused(1, ...signalWords(key, { account: 'swing' }))).toMatch(
    /^Refused \(422 UNKNOWN_ACCOUNT\): account: binance has no account "swing"; it has main, scalp /,
  );
  expect(await cli.done('positions')).toMatch(/^binance:scalp +BTCUSDT +LONG/m);
  const [row] = JSON.parse(await cli.done('trades', '--account', 'scalp', '--json')).result;
  expect(row).toMatchObject({ account: 'scalp', status: 'Filled' });
  expect(await cli.done('trades', '--account', 'main')).toContain('There are no trades yet.');
  const before = await cli.done('accounts');
  await first.kill();

  const second = await startGatewayProcess({ dataDir });
  expect(await cli.done('accounts')).toBe(before);
  const closing = await cli.done(...signalWords(key, { account: 'scalp', action: 'CLOSE_LONG' }));
  expect(closing).toMatch(/^Filled: 0\.01 at .*\nOrder paper-binance-scalp-000002, paper, account scalp\./);
  expect(await cli.done('positions')).toContain('There are no open positions.');
  await second.stop();
  // Without a running instance the folder answers.
  expect(lines(await cli.done('accounts')).map(([, name]) => name)).toEqual(['main', 'scalp', 'main', 'main']);
});

it('an account has the position mode of its setting, keeps it without one, and a replay knows what it was then', async () => {
  const dataDir = freshDataDir();
  const startMs = Date.now();
  const env = { PAPER_ACCOUNTS: 'binance:both=50000:hedge,binance:net=50000', PAPER_POSITION_MODE: 'one-way' };
  const first = await startGatewayProcess({ dataDir, env });
  const cli = commandLineHere({ DATA_DIR: dataDir });
  const key = first.apiKey as string;
  const modes = async () => lines(await cli.done('accounts')).map(([, name, , mode]) => `${name} ${mode}`);
  const trade = async (account: string) => {
    await cli.done(...signalWords(key, { account, action: 'LONG' }));
    await cli.done(...signalWords(key, { account, action: 'SHORT' }));
  };
  const sides = async () =>
    JSON.parse(await cli.done('positions', '--json'))
      .result.map(nameOf)
      .sort();
  expect(await modes()).toEqual(['main one-way', 'both hedge', 'net one-way', 'main one-way', 'main one-way']);
  await trade('both');
  await trade('net');
  expect(await sides()).toEqual(['both LONG', 'both SHORT', 'net SHORT']);
  expect(await cli.done('audit')).not.toContain('positionModes');
  await first.kill();

  // Named no longer, it is what it was; the default is for others.
  const second = await startGatewayProcess({ dataDir });
  expect(await modes()).toEqual(['main one-way', 'both hedge', 'net one-way', 'main one-way', 'main one-way']);
  await cli.done(...signalWords(key, { account: 'both', action: 'SHORT' }));
  expect(await sides()).toEqual(['both LONG', 'both SHORT', 'net SHORT']);
  await cli.done('flatten', '--yes');
  await second.stop();

  const third = await startGatewayProcess({
    dataDir,
    env: { PAPER_ACCOUNTS: 'binance:both=1:one-way,binance:net=1:hedge' },
  });
  await trade('both');
  await trade('net');
  expect(await sides()).toEqual(['both SHORT', 'net LONG', 'net SHORT']);
  const [change] = JSON.parse(await cli.done('audit', '--json')).result;
  expect(change).toMatchObject({
    ...{ actor: 'settings', setting: 'positionModes' },
    before: { 'binance:both': 'hedge', 'binance:net': 'one-way' },
    after: { 'binance:both': 'one-way', 'binance:net': 'hedge' },
  });
  await third.stop();
  const { code, body } = await cli.json('replay', '--from', String(startMs), '--to', String(Date.now()), '--check');
  expect(body.signals.filter(({ same }: { same: boolean }) => !same)).toEqual([]);
  expect(body).toMatchObject({ same: true, holdings: [], troubles: [] });
  expect(code).toBe(0);
});

const nameOf = ({ account, side }: Record<string, string>): string => `${account} ${side}`;

it('a setting that cannot be read stops the start with the remedy', async () => {
  const { code, stderr } = await runSignalbox(['start'], { DATA_DIR: freshDataDir(), PAPER_ACCOUNTS: 'binance:scalp' });
  expect(code).toBe(1);
  expect(stderr).toContain('PAPER_ACCOUNTS: "binance:scalp" is no account; write it like binance:scalp=5000');
});
