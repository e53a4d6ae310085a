// The command line when no gateway runs: it works on the data folder, trades nothing, and says who is in the way.

import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshDataDir, type RunningProcess, startGatewayProcess } from '../support/process.ts';
import { type CommandLine, commandLine, commandLineHere, keyIn, signalWords } from './command-line.ts';

const NOWHERE = 'http://127.0.0.1:9';
const KEY = 'binance:BTCUSDT:LONG';

describe('on the folder of a gateway that was stopped', () => {
  let running: RunningProcess;
  let cli: CommandLine;
  let dataDir: string;
  let apiKey: string;
  beforeAll(async () => {
    running = await startGatewayProcess();
    ({ dataDir } = running);
    apiKey = running.apiKey as string;
    cli = commandLineHere({ DATA_DIR: dataDir });
    await cli.done(...signalWords(apiKey));
    await cli.done('stops', 'set', KEY, '--stop-loss', '10%', '--max-hold', '86400');
    await cli.done(...signalWords(apiKey, { symbol: 'ETHUSDT', quantity: '1', price: '100', 'stop-loss': '90' }));
    await running.stop();
  });
  afterAll(() => running.stop());

  it('reads trades and positions, and says that nothing runs', async () => {
    const { stdout, stderr } = await cli.run('trades');
    expect(stdout).toMatch(/binance +LONG +BTCUSDT/);
    expect(stderr).toBe(`(data folder ${dataDir} (Signalbox is not running))\n`);
    expect(await cli.done('positions')).toMatch(/BTCUSDT +LONG +0\.01/);
    expect(await cli.done('signals')).toMatch(/webhook +LONG +BTCUSDT +accepted/);
  });

  it('shows the stops that are on disk, those that wait for a fill too', async () => {
    const stops = await cli.done('stops');
    expect(stops).toMatch(/BTCUSDT +LONG +- +active +loss [\d.]+ \(10%\), closes /);
    expect(stops).toMatch(/ETHUSDT +LONG +- +waiting for the fill +loss 90 +paper\n/);
    expect(await cli.done('positions')).toMatch(/loss [\d.]+/);
    expect((await cli.json('positions')).body.result[0].protections).toHaveLength(1);
  });

  it('changes no stop: nobody would compare it with the market', async () => {
    for (const words of [
      ['set', KEY, '--take-profit', '900000'],
      ['remove', KEY],
    ])
      expect(await cli.refused(1, 'stops', ...words)).toContain('Signalbox is not running, so nothing can be traded');
    expect(await cli.done('stops')).toContain('(10%)');
  });

  it('refuses to trade, with the remedy and without a word on standard output', async () => {
    const words = await cli.refused(1, ...signalWords(apiKey), '--json');
    expect(words).toBe('Signalbox is not running, so nothing can be traded; start it with "signalbox start"\n');
    expect((await cli.json('trades')).body.result).toHaveLength(2);
    expect(await cli.refused(1, 'flatten', '--yes')).toContain('is not running, so nothing can be traded');
  });

  it('changes keys and controls, and the next start obeys them', async () => {
    const key = keyIn(await cli.done('keys', 'create', 'made while stopped'));
    await cli.done('kill-switch', 'on', '--scope', 'entries');
    await cli.done('queue-mode', 'async');
    await cli.done('limits', '--webhook-rate-per-minute', '240');
    running = await startGatewayProcess({ dataDir });
    expect(await cli.refused(1, ...signalWords(key))).toMatch(/^Refused \(503 KILL_SWITCH_ACTIVE\): /);
    expect(await cli.done(...signalWords(key, { action: 'CLOSE_LONG' }))).toMatch(/^Enqueued/);
    expect(await cli.done('limits')).toContain('240 per minute');
    expect(await cli.done('audit')).toMatch(/cli 127\.0\.0\.1 +limits/);
  });

  it('says of every change, and of nothing else, that it takes effect at the next start', async () => {
    await running.stop();
    const changes = [
      ['kill-switch', 'off'],
      ['queue-mode', 'failover'],
      ['keys', 'create', 'another'],
      ['allowlist', 'off'],
    ];
    for (const words of changes)
      expect(await cli.done(...words)).toMatch(/\nSignalbox is not running: this takes effect at the next start\.\n$/);
    expect(await cli.done('kill-switch')).toBe('The kill switch is off: signals pass.\n');
    const { body } = await cli.json('limits', '--webhook-rate-per-minute', '0');
    expect(body).toMatchObject({ success: true, takesEffect: 'at the next start' });
    expect((await cli.json('limits')).body).not.toHaveProperty('takesEffect');
    expect(await cli.refused(1, 'keys', 'revoke', 'nobody')).not.toContain('next start');
  });

  it('--data-dir outranks DATA_DIR and SIGNALBOX_URL', async () => {
    const other = commandLineHere({ DATA_DIR: freshDataDir(), SIGNALBOX_URL: NOWHERE });
    const { code, stderr } = await other.run('keys', 'create', 'here', '--data-dir', dataDir);
    expect([code, stderr]).toEqual([0, `(data folder ${dataDir} (Signalbox is not running))\n`]);
    expect(await other.done('keys', 'list', '--data-dir', dataDir)).toContain('here');
    running = await startGatewayProcess({ dataDir });
  });

  it('leaves the note of a crash where it is, so that the next start still knows of it', async () => {
    await running.kill();
    const note = join(dataDir, 'instance.json');
    expect(existsSync(note)).toBe(true);
    expect(await cli.done('trades')).toContain('CLOSE_LONG');
    expect(existsSync(note)).toBe(true);
  });

  it('makes no database that is missing', async () => {
    rmSync(join(dataDir, 'settings.db'));
    expect(await cli.refused(1, 'kill-switch', 'on')).not.toContain('ON');
    expect(existsSync(join(dataDir, 'settings.db'))).toBe(false);
  });
});

describe('elsewhere', () => {
  it('an address where nothing listens is a failure with the remedy', async () => {
    const words = await commandLine({}).refused(1, 'trades', '--url', NOWHERE);
    expect(words).toMatch(/^http:\/\/127\.0\.0\.1:9 cannot be reached .*signalbox start/);
  });

  it('a folder that somebody else holds is a failure that says what to do', async () => {
    const folder = freshDataDir();
    const holder = new DatabaseSync(join(folder, 'instance.lock'));
    holder.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
    const cli = commandLineHere({ DATA_DIR: folder });
    expect(await cli.refused(1, 'trades')).toMatch(
      new RegExp(`^A Signalbox runs on ${folder}, .* Name its address with --url http://host:8787\\.\n$`),
    );
    holder.close();
    expect(await cli.refused(1, 'trades')).toContain(`There is no Signalbox instance in ${folder}`);
    expect(readdirSync(folder)).toEqual(['instance.lock']);
  });

  it('a wrong setting is told before anything is opened', async () => {
    const folder = join(freshDataDir(), 'new');
    const words = await commandLine({ DATA_DIR: folder, QUEUE_MODE: 'sometimes' }).refused(1, 'trades');
    expect(words).toMatch(/QUEUE_MODE/);
    expect(existsSync(folder)).toBe(false);
  });
});

describe('a wrong command line', () => {
  const cli = commandLineHere({ DATA_DIR: join(freshDataDir(), 'untouched') });
  it.each([
    [['kill-swich', 'on'], 'kill-switch'],
    [['trades', '--limt', '2'], '--limit'],
    [['trades', '--limit', 'many'], 'whole number'],
    [['signal', '--symbol', 'BTCUSDT'], 'Missing: --exchange, --action, --quantity.'],
    [signalWords('whk', { quantity: '1e3' }), 'plain number'],
    [['kill-switch', 'maybe'], 'status, on, off'],
    [['queue-mode', 'fast'], 'direct, async, failover'],
    [['keys', 'create'], 'The label is missing'],
    [['allowlist', 'set'], 'at least one address'],
    [['start', 'now'], 'one word too many'],
    [['trades', '--url', 'nowhere'], 'is no address'],
  ])('%j ends with 2 and the remedy', async (args, remedy) => {
    const words = await cli.refused(2, ...args);
    expect(words).toContain(remedy);
    expect(words).toMatch(/\nRun "signalbox help( [a-z-]+" to see how it is used|" to see what there is)\.\n$/);
  });

  it.each([[[]], [['help']], [['help', 'keys']], [['--version']], [['trades', '--help']]])(
    '%j is no fault and opens nothing',
    async (args) => {
      expect(await cli.done(...args)).not.toBe('');
    },
  );
});
