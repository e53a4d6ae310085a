// The doctor: what it finds in order, what it finds wrong with the remedy, and which secrets it never shows.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { freshDataDir, runSignalbox, startGatewayProcess, startProcess } from '../support/process.ts';
import { commandLineHere } from './command-line.ts';

const SECRETS = { INTERNAL_TOKEN: 'a-secret-token-of-mine', WEBHOOK_API_KEYS: `whk_${'s'.repeat(43)}` };

describe('doctor', () => {
  it('with a public address says what keeps charting platforms from it', async () => {
    const cli = commandLineHere({ DATA_DIR: join(freshDataDir(), 'new') });
    const { stdout: out } = await cli.run('doctor', '--public', 'http://127.0.0.1:1');
    expect(out).toMatch(/fail {2}public address: TradingView calls ports 80 and 443 only, not 1/);
    expect(out).toMatch(/fail {2}public address: GET \/health got no answer/);
  });

  it('with a public address says when TradingView has last called, also after a restart', async () => {
    const running = await startGatewayProcess({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
    const cli = commandLineHere({ DATA_DIR: running.dataDir });
    const lastCall = async (): Promise<string> =>
      (await cli.run('doctor', '--public', running.url)).stdout
        .split('\n')
        .filter((line) => line.includes('public address: TradingView'))
        .filter((line) => !line.includes('ports 80'))
        .join();
    expect(await lastCall()).toMatch(/warn {2}public address: TradingView has never called.*/);
    const call = (address: string): Promise<Response> =>
      fetch(`${running.url}/webhook/tradingview`, {
        method: 'POST',
        body: '{}',
        headers: { 'x-forwarded-for': address },
      });
    await call('203.0.113.7');
    expect(await lastCall()).toContain('TradingView has never called');
    expect((await call('52.89.214.238')).status).toBe(400);
    const seen =
      /ok {4}public address: TradingView last called on \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC, from 52\.89\.214\.238/;
    expect(await lastCall()).toMatch(seen);
    await running.stop();
    expect(await lastCall()).toMatch(seen);
  });

  it('finds a folder that does not exist yet in order, and does not make it', async () => {
    const words = await commandLineHere({ DATA_DIR: join(freshDataDir(), 'new') }).done('doctor');
    expect(words).toMatch(/data folder: .* will be made at the first start/);
    expect(words).toMatch(/instance: not running/);
    expect(words).toContain('Everything is in order.');
  });

  it('finds the running instance, its databases and every setting with its source', async () => {
    const running = await startProcess({ env: SECRETS });
    const cli = commandLineHere({ DATA_DIR: running.dataDir, ...SECRETS });
    const words = await cli.done('doctor');
    expect(words).toContain(`instance: running and ready at ${running.url}`);
    expect(words).toMatch(/signalbox\.db is whole/);
    for (const name of ['settings', 'signalbox', 'scripts']) expect(words).toContain(`${name}.db is whole`);
    expect(words).toMatch(/QUEUE_MODE +failover +default/);
    await running.stop();
    expect(await cli.done('doctor')).toMatch(/instance: not running/);
  });

  it('looks at the folder that --data-dir names instead of that of the settings', async () => {
    const dataDir = join(freshDataDir(), 'named');
    const cli = commandLineHere({ DATA_DIR: join(freshDataDir(), 'of-the-settings') });
    const words = await cli.done('doctor', '--data-dir', dataDir);
    expect(words).toContain(`warn  data folder: ${dataDir} is not there; it will be made at the first start`);
    expect(words).not.toContain('in order');
    expect(words).toMatch(new RegExp(`DATA_DIR +${dataDir} `));
  });

  it('says that an instance runs, also where it cannot be asked', async () => {
    const running = await startGatewayProcess();
    const cli = commandLineHere({ DATA_DIR: running.dataDir });
    const note = join(running.dataDir, 'instance.json');
    const written = readFileSync(note, 'utf8');
    const { url } = JSON.parse(written);
    writeFileSync(note, written.replace(url, 'http://127.0.0.1:1'));
    expect(await cli.done('doctor')).toContain('warn  instance: running, but it does not answer at http://127.0.0.1:1');
    rmSync(note);
    expect(await cli.done('doctor')).toMatch(/warn {2}instance: running on \S+, but it has told no address/);
    await running.stop();
    expect(await cli.done('doctor')).toMatch(/instance: not running/);
  });

  it('names an .env that cannot be read, and so does the start, as its last word', async () => {
    const cwd = freshDataDir();
    mkdirSync(join(cwd, '.env'));
    const words = `.env in ${cwd} cannot be read`;
    const doctor = await runSignalbox(['doctor'], { DATA_DIR: freshDataDir() }, cwd);
    expect([doctor.code, doctor.stdout]).toEqual([1, expect.stringContaining(words)]);
    const start = await runSignalbox(['start'], { DATA_DIR: freshDataDir() }, cwd);
    expect([start.code, start.stderr]).toEqual([1, expect.stringContaining(words)]);
  });

  it('shows no secret, neither to people nor as JSON', async () => {
    const cli = commandLineHere({ DATA_DIR: freshDataDir(), ...SECRETS });
    const { code, body } = await cli.json('doctor');
    expect(code).toBe(0);
    expect(body.settings.map(({ name }: { name: string }) => name)).toContain('INTERNAL_TOKEN');
    const shown = JSON.stringify(body) + (await cli.done('doctor'));
    for (const secret of Object.values(SECRETS)) expect(shown).not.toContain(secret);
  });

  it('with --live says where there is nobody to ask', async () => {
    const { code, stdout } = await commandLineHere({ DATA_DIR: freshDataDir() }).run('doctor', '--live');
    expect([code, stdout]).toEqual([
      1,
      expect.stringContaining('there is no testnet or live account that could be asked'),
    ]);
    expect(stdout).not.toContain('Everything works');
  });

  it('lists every wrong setting and ends with 1', async () => {
    const { code, body } = await commandLineHere({ QUEUE_MODE: 'sometimes', SIGNAL_MAX_AGE_S: '-1' }).json('doctor');
    expect(code).toBe(1);
    const failed = body.checks.filter(({ ok }: { ok: string }) => ok === 'fail');
    expect(failed.map(({ detail }: { detail: string }) => detail.split(/[ :]/)[0]).sort()).toEqual([
      'QUEUE_MODE',
      'SIGNAL_MAX_AGE_S',
    ]);
  });

  it('finds a damaged database, with the remedy, and ends with 1', async () => {
    const dataDir = freshDataDir();
    writeFileSync(join(dataDir, 'signalbox.db'), 'this is no database, but a letter to my broker');
    const { code, stdout } = await commandLineHere({ DATA_DIR: dataDir }).run('doctor');
    expect(code).toBe(1);
    expect(stdout).toMatch(/fail {2}database: .*is not a SQLite database/);
    expect(stdout).toMatch(/1 of \d+ checks failed\./);
  });
});
