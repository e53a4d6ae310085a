// A second shell that knows nothing but the data folder, beside an instance that trades with real money: every command about accounts
// says what that instance has open, and not what the environment of the shell would make of it.

import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { commandLineHere } from '../cli/command-line.ts';
import { startBinance } from '../support/emulated-venues/binance/venue.ts';
import type { EmulatedVenue } from '../support/emulated-venues/emulated-venue.ts';
import { preparedDataDir } from '../support/prepared-data-dir.ts';
import { freshDataDir, type RunningProcess, startGatewayProcess } from '../support/process.ts';

const TOKEN = 'the-internal-token-of-this-test-0123456789';

describe('beside a running instance', () => {
  let emulated: EmulatedVenue;
  let dataDir: string;
  let started: RunningProcess;
  let cli: ReturnType<typeof commandLineHere>;
  let keyStart: string;

  beforeAll(async () => {
    emulated = await startBinance();
    emulated.market.setPrice('BTCUSDT', '50000');
    dataDir = freshDataDir();
    const { apiKey, secret } = emulated.credentials;
    keyStart = apiKey.slice(0, 4);
    const env = {
      BINANCE_BASE_URL: emulated.baseUrl,
      BINANCE_API_KEY: apiKey,
      BINANCE_API_SECRET: secret,
      TRADING_MODE: 'live',
      INTERNAL_TOKEN: TOKEN,
    };
    started = await startGatewayProcess({ dataDir, env });
    cli = commandLineHere({ DATA_DIR: dataDir, INTERNAL_TOKEN: TOKEN }, ['yes']);
  });
  afterAll(async () => {
    await started.stop();
    await emulated.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  test('accounts list shows what it has open, and "confirmed" only where there is a key', async () => {
    const told = await cli.done('accounts', 'list');
    expect(told).toMatch(new RegExp(`binance:main +LIVE +environment +${keyStart}… +NOT CONFIRMED`));
    expect(told).toMatch(/bybit:main +LIVE +none +- +- +Bybit is set to live and has no credentials/);
    expect(told).not.toContain('paper');
  });

  test('accounts test and doctor --live ask the venue with its key, and send no order', async () => {
    expect(await cli.done('accounts', 'test', 'binance:main')).toContain('binance:main answers.');
    expect(await cli.refused(1, 'accounts', 'test', 'bybit:main')).toContain('no account bybit:main is stored');
    const { code, stdout } = await cli.run('doctor', '--live');
    expect(code).toBe(0);
    expect(stdout).toContain(`accounts: binance:main is LIVE (key ${keyStart}…, environment)`);
    expect(stdout).toContain('binance:main (LIVE): the stream of the account opens');
    expect(stdout).toContain('say "signalbox accounts confirm binance:main" once');
    expect(emulated.market.orders).toHaveLength(0);
  });

  test('accounts confirm gives the word that a refused signal asks for', async () => {
    const send = async () => {
      const order = { exchange: 'binance', action: 'LONG', symbol: 'BTCUSDT', quantity: 0.01 };
      const body = JSON.stringify({ apiKey: started.apiKey, ...order });
      return (await fetch(`${started.url}/webhook`, { method: 'POST', body })).status;
    };
    expect(await send()).toBe(422);
    expect(await cli.refused(1, 'accounts', 'confirm', 'bybit:main', '--yes')).toContain('nothing to confirm');
    expect(await cli.refused(1, 'accounts', 'confirm', 'binance:scalp', '--yes')).toContain(
      'there is no account binance:scalp in the running instance',
    );
    expect(await cli.done('accounts', 'confirm', 'binance:main')).toContain('binance:main may open positions');
    expect(await send()).toBe(200);
    expect(await cli.done('accounts', 'list')).toMatch(/binance:main .* confirmed/);
    expect(await cli.done('audit')).toMatch(/cli 127.0.0.1 +confirmedLiveAccounts/);
  });

  test('an account that is stored meanwhile is listed as one that waits for a restart', async () => {
    const adding = commandLineHere({ DATA_DIR: dataDir, INTERNAL_TOKEN: TOKEN }, ['the-other-api-key', 'the-secret']);
    const added = await adding.done('accounts', 'add', 'binance:scalp', '--mode', 'live');
    expect(added).toContain('Restart Signalbox to use it.');
    expect(await cli.done('accounts', 'list')).toMatch(
      /binance:scalp +LIVE +stored +the-… +NOT CONFIRMED +it was added after the start of the running instance/,
    );
    await cli.done('accounts', 'remove', 'binance:scalp', '--yes');
  });

  test('what its environment has is neither added nor removed, whatever the environment of this shell is', async () => {
    const { apiKey, secret } = emulated.credentials;
    const shell = { DATA_DIR: dataDir, INTERNAL_TOKEN: TOKEN };
    const [same, other] = [commandLineHere(shell, [apiKey, secret]), commandLineHere(shell, ['another-key', secret])];
    expect(await same.refused(1, 'accounts', 'add', 'binance:scalp', '--mode', 'live')).toContain(
      'binance:main has this API key already, from the environment (BINANCE_API_KEY and BINANCE_API_SECRET)',
    );
    expect(await other.refused(1, 'accounts', 'add', 'binance:main', '--mode', 'live')).toContain(
      'the environment has credentials for binance:main already',
    );
    expect(await other.refused(1, 'accounts', 'remove', 'binance:main', '--yes')).toContain(
      'the credentials of binance:main are those of the environment; unset BINANCE_API_KEY',
    );
    // Its environment counts, and not that of a shell that has more.
    const more = commandLineHere({ ...shell, BYBIT_API_KEY: apiKey, BYBIT_API_SECRET: secret }, [
      'another-key-of-this-test',
      secret,
    ]);
    await more.done('accounts', 'add', 'bybit:main', '--mode', 'live');
    await more.done('accounts', 'remove', 'bybit:main', '--yes');
    expect(await cli.done('accounts', 'list')).not.toContain('stored');
  });

  test('without its token nothing is guessed', async () => {
    const blind = commandLineHere({ DATA_DIR: dataDir });
    for (const words of [['list'], ['test', 'binance:main'], ['confirm', 'binance:main', '--yes']])
      expect(await blind.refused(1, 'accounts', ...words)).toContain('INTERNAL_TOKEN');
    const adding = commandLineHere({ DATA_DIR: dataDir }, ['another-key-of-this-test', 'another-secret-of-this-test']);
    expect(await adding.refused(1, 'accounts', 'add', 'mexc:main', '--mode', 'live')).toContain('INTERNAL_TOKEN');
    const { code, stdout } = await blind.run('doctor', '--live');
    expect([code, stdout]).toEqual([1, expect.stringContaining('fail  accounts: which accounts the running instance')]);
    expect((await blind.run('doctor')).stdout).toContain('warn  accounts: which accounts the running instance');
  });
});

test('where no instance runs, the settings of the shell count, and it is said', async () => {
  const dataDir = await preparedDataDir();
  const keys = (apiKey: string) => ({ BINANCE_MODE: 'live', BINANCE_API_KEY: apiKey, BINANCE_API_SECRET: 'a-secret' });
  const shell = (more: Record<string, string> = {}) => commandLineHere({ DATA_DIR: dataDir, ...more });
  const listed = await shell().run('accounts', 'list');
  expect([listed.code, listed.stderr]).toEqual([0, expect.stringContaining('Signalbox is not running')]);
  expect(await shell().refused(1, 'accounts', 'confirm', 'binance:main', '--yes')).toContain('no instance runs');
  const { code, stdout } = await shell().run('doctor', '--live');
  expect(code).toBe(1);
  expect(stdout).toContain(
    'fail  accounts: no instance runs, and by the settings of this shell there is no testnet or',
  );
  expect(stdout).not.toContain('Everything works');
  // The word is given for one key.
  await shell(keys('the-first-api-key')).done('accounts', 'confirm', 'binance:main', '--yes');
  expect(await shell(keys('the-first-api-key')).done('accounts', 'list')).toMatch(/binance:main .* confirmed/);
  expect(await shell(keys('the-other-api-key')).done('accounts', 'list')).toMatch(/binance:main .* NOT CONFIRMED/);
  expect(await shell().done('audit', '--json')).not.toContain('the-first-api-key');
  rmSync(dataDir, { recursive: true, force: true });
});

test('stops of a stopped instance are told with what was placed; while the venue is away they are not known', async () => {
  const emulated = await startBinance();
  emulated.market.setPrice('BTCUSDT', '50000');
  const dataDir = freshDataDir();
  const { apiKey, secret } = emulated.credentials;
  const keys = { BINANCE_API_KEY: apiKey, BINANCE_API_SECRET: secret, BINANCE_BASE_URL: emulated.baseUrl };
  const env = { ...keys, BINANCE_MODE: 'live', CONFIRM_FIRST_LIVE_ORDER: 'no' };
  const cli = commandLineHere({ DATA_DIR: dataDir });
  let started = await startGatewayProcess({ dataDir, env });
  const order = { exchange: 'binance', action: 'LONG', symbol: 'BTCUSDT', quantity: 0.01, stopLoss: 49_000 };
  const body = JSON.stringify({ apiKey: started.apiKey, ...order });
  expect((await fetch(`${started.url}/webhook`, { method: 'POST', body })).status).toBe(200);
  await expect.poll(() => cli.done('stops'), { timeout: 10_000 }).toMatch(/at the exchange: stop 49000 +LIVE/);
  await started.stop();
  const placed = /loss 49000, at the exchange: stop 49000 \(placed, not known yet whether it stands\) +LIVE/;
  const stopped = await cli.done('stops');
  expect(stopped).toMatch(/^No instance runs/);
  expect(stopped).toMatch(placed);
  await emulated.close();
  started = await startGatewayProcess({ dataDir, env });
  expect(await cli.done('stops')).toMatch(placed);
  await started.stop();
  rmSync(dataDir, { recursive: true, force: true });
});
