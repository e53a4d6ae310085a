// A data folder of every released version, made by that very version: this one takes it over with everything in it.
//
// Each archive of tests/durability/released was made by starting the release and sending it the same few calls: a long
// with a trailing stop, a short, a long that was closed, a stored signal, a limit, a script and a deployment of it. The
// one that is called killed was ended by kill -9. A new release gets its archive before its version is left behind.

import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { closeAtEnd } from '../support/close-at-end.ts';
import { freshDataDir, runSignalbox, startProcess } from '../support/process.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const ARCHIVES = globSync('tests/durability/released/*.tgz', { cwd: ROOT }).sort();
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

interface Trade {
  readonly orderId: string;
  readonly action: string;
  readonly status: string;
}
interface Keys {
  readonly webhookKey: string;
  readonly scriptKey: string;
}

function unpacked(archive: string): { readonly dataDir: string; readonly keys: Keys } {
  const dataDir = freshDataDir();
  execFileSync('tar', ['-xzf', join(ROOT, archive), '-C', dataDir]);
  return { dataDir, keys: JSON.parse(readFileSync(join(dataDir, 'keys-of-this-folder.json'), 'utf8')) };
}

it('there is a folder of every version that was released', () => {
  const released = [...read('CHANGELOG.md').matchAll(/^## \[(\d+\.\d+\.\d+)\] - /gm)].map(([, version]) => version);
  expect(released.length).toBeGreaterThanOrEqual(2);
  expect(ARCHIVES.map((path) => basename(path, '.tgz'))).toEqual(expect.arrayContaining(released));
  for (const version of released) expect(read('docs/guides/upgrading.md')).toContain(`### From ${version}`);
});

describe.each(ARCHIVES)('%s', (archive) => {
  it('is taken over, keeps all it held, and works on', { timeout: 180_000 }, async () => {
    const { dataDir, keys } = unpacked(archive);
    // Before anything trades: prices have moved on since then.
    const positions = await runSignalbox(['positions', '--data-dir', dataDir], { DATA_DIR: dataDir });
    expect(positions.stdout).toMatch(/bybit\s+ETHUSDT\s+SHORT\s+0\.5/);
    expect(positions.stdout).toMatch(/binance\s+BTCUSDT\s+LONG\s+0\.01/);

    const running = await startProcess({ dataDir, env: { LOG_LEVEL: 'error' } });
    closeAtEnd(() => running.kill());
    const ask = async (path: string, key?: string) =>
      (
        await fetch(running.url + path, key === undefined ? {} : { headers: { Authorization: `Bearer ${key}` } })
      ).json();
    const { result: trades } = (await ask('/trades?limit=100')) as { result: Trade[] };
    const old = trades.map(({ orderId, action, status }) => `${orderId} ${action} ${status}`);
    expect(old).toEqual(
      expect.arrayContaining([
        'paper-mexc-000002 CLOSE_LONG Filled',
        'paper-mexc-000001 LONG Filled',
        'paper-bybit-000001 SHORT Filled',
        'paper-binance-000001 LONG Filled',
      ]),
    );
    expect(JSON.stringify(await ask('/signals'))).toContain('TREND_UP');
    expect(await ask('/admin/limits')).toMatchObject({ result: { webhookRatePerMinute: 77 } });
    expect(await ask('/api/scripts', keys.scriptKey)).toMatchObject({ scripts: [{ name: 'mean' }] });
    expect(await ask('/api/deployments', keys.scriptKey)).toMatchObject({ deployments: [{ symbol: 'BTCUSDT' }] });

    const order = { exchange: 'mexc', action: 'LONG', symbol: 'ETHUSDT', quantity: 0.1, apiKey: keys.webhookKey };
    const sent = await fetch(`${running.url}/webhook`, {
      ...{ method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(order) },
    });
    expect(await sent.json()).toMatchObject({ tradeResult: { status: 'Filled' } });
    expect(await running.stop()).toBe(0);
    const { stdout } = await runSignalbox(['doctor'], { DATA_DIR: dataDir, PORT: '1' });
    expect(stdout.match(/is whole/g)).toHaveLength(3);
  });
});
