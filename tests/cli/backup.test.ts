// Backup and restore by the command line: of an instance that runs and of one that does not, plain and encrypted, and back to the row.

import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { TRADING } from '../../src/adapters/storage/sqlite/database-files.ts';
import { freshDataDir, type RunningProcess, startProcess } from '../support/process.ts';
import { storedRows } from '../support/stored-rows.ts';
import { type CommandLine, commandLineHere, signalWords } from './command-line.ts';

const PASSPHRASE = 'four words in a row';
/** What an instance that runs writes by itself. */
const OF_THE_CLOCK = ['equity_samples'];
/** What a restore changes itself: it throws the kill switch, writes that down, and ends the sessions. */
const OF_THE_RESTORE = ['settings', 'audit', 'sessions', 'sqlite_sequence'];

describe('an instance with trades, stops, keys and a script key', () => {
  let running: RunningProcess;
  let cli: CommandLine;
  let dataDir: string;
  const folder = freshDataDir();
  const fileOf = (name: string): string => join(folder, name);
  const env = (more: Record<string, string> = {}) => ({
    ...{ DATA_DIR: dataDir, API_KEY_STORE: join(dataDir, 'api_keys.json') },
    ...more,
  });

  beforeAll(async () => {
    running = await startProcess();
    ({ dataDir } = running);
    cli = commandLineHere(env());
    // On a machine that has other things to do the script process, which makes its key stores, may come later than the greeting.
    const areScriptsThere = async () => (await fetch(`${running.url}/run`)).status !== 503;
    await vi.waitUntil(areScriptsThere, { timeout: 120_000, interval: 500 });
    await cli.done(...signalWords(running.apiKey as string));
    await cli.done('stops', 'set', 'binance:BTCUSDT:LONG', '--stop-loss', '10%');
    await cli.done('keys', 'create', '--label', 'second');
    await cli.done('keys', 'create', '--analysis', '--tier', 'pro');
    await cli.done('keys', 'create', '--scripts', '--tier', 'team');
    writeFileSync(join(dataDir, 'master.key'), `${Buffer.alloc(32, 1).toString('base64')}\n`, { mode: 0o600 });
  });
  afterAll(() => running.stop());

  it('is backed up while it runs, and restored to the row', async () => {
    const text = await cli.done('backup', '--to', fileOf('plain.tar.gz'));
    expect(text).toContain('was read back: it is whole');
    expect(text).toContain('NOT encrypted');
    expect(text).toContain('signalbox.db (');
    expect(text).toContain(`${join(dataDir, 'master.key')}, a key: keep a copy of it apart`);
    expect(statSync(fileOf('plain.tar.gz')).mode & 0o777).toBe(0o600);
    const to = join(folder, 'plain');
    const restored = await cli.done('restore', fileOf('plain.tar.gz'), '--to', to);
    expect(restored).toContain('every file was checked');
    const without = [...OF_THE_RESTORE, ...OF_THE_CLOCK];
    expect(storedRows(to, ...without)).toEqual(storedRows(dataDir, ...without));
    expect(existsSync(join(to, 'master.key'))).toBe(false);
    expect(JSON.parse(readFileSync(join(to, 'api_keys.json'), 'utf8'))).toEqual(
      JSON.parse(readFileSync(join(dataDir, 'api_keys.json'), 'utf8')),
    );
    expect(readdirSync(dataDir).filter((name) => name.startsWith('.backup'))).toEqual([]);
    expect(readdirSync(folder).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  it('starts again from it, with the kill switch on until its owner says otherwise', async () => {
    const again = commandLineHere({ DATA_DIR: join(folder, 'plain') });
    expect(await again.done('positions')).toMatch(/BTCUSDT +LONG +0\.01/);
    const second = await startProcess({ dataDir: join(folder, 'plain'), env: { SERVICES: 'gateway' } });
    try {
      const refused = await again.refused(1, ...signalWords(running.apiKey as string));
      expect(refused).toMatch(/trading is disabled by the kill switch \(restored from a backup of /);
      const ready = async () => (await (await fetch(`${second.url}/ready`)).json()) as { warnings: string[] };
      expect((await ready()).warnings.join()).toContain('signalbox kill-switch off');
      await again.done('kill-switch', 'off');
      expect((await ready()).warnings.join()).not.toContain('was restored');
      await again.done(...signalWords(running.apiKey as string));
    } finally {
      await second.stop();
    }
  });

  it('is encrypted with a passphrase, keys and all, and opens with no other', async () => {
    const to = fileOf('all.sealed');
    const made = await commandLineHere(env(), [PASSPHRASE]).run('backup', '--encrypt', '--to', to);
    expect([made.code, made.stdout]).toEqual([0, expect.stringContaining('It is encrypted')]);
    expect(made.stdout).toContain('master.key');
    for (const secret of ['SQLite format 3', 'BTCUSDT', 'manifest'])
      expect(readFileSync(to).includes(secret), secret).toBe(false);
    const wrong = await commandLineHere(env(), ['another one entirely']).run(
      'restore',
      to,
      '--to',
      join(folder, 'wrong'),
    );
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('the passphrase is wrong')]);
    expect(existsSync(join(folder, 'wrong'))).toBe(false);
    const right = await commandLineHere(env({ SIGNALBOX_BACKUP_PASSPHRASE: PASSPHRASE })).run(
      ...['restore', to, '--to', join(folder, 'right')],
    );
    expect(right.code).toBe(0);
    expect(readFileSync(join(folder, 'right', 'master.key'))).toEqual(readFileSync(join(dataDir, 'master.key')));
  });

  it('writes over nothing, and asks for a passphrase that is worth one', async () => {
    writeFileSync(fileOf('taken.tar.gz'), 'mine');
    expect(await cli.refused(1, 'backup', '--to', fileOf('taken.tar.gz'))).toContain('is there already');
    expect(readFileSync(fileOf('taken.tar.gz'), 'utf8')).toBe('mine');
    const short = await commandLineHere(env(), ['x'.repeat(15)]).run(
      'backup',
      '--encrypt',
      '--to',
      fileOf('short.sealed'),
    );
    expect([short.code, short.stderr]).toEqual([1, expect.stringContaining('at least 16 characters')]);
    expect(existsSync(fileOf('short.sealed'))).toBe(false);
  });

  it('is restored into an empty place only, or moves aside what is there; never under an instance', async () => {
    const to = join(folder, 'full');
    mkdirSync(to);
    writeFileSync(join(to, 'mine.txt'), 'mine');
    expect(await cli.refused(1, 'restore', fileOf('plain.tar.gz'), '--to', to)).toContain('is not empty');
    const { body } = await cli.json('restore', fileOf('plain.tar.gz'), '--to', to, '--replace');
    expect(readFileSync(join(body.aside, 'mine.txt'), 'utf8')).toBe('mine');
    expect(existsSync(join(to, 'signalbox.db'))).toBe(true);
    const taken = await cli.refused(1, 'restore', fileOf('plain.tar.gz'), '--to', dataDir, '--replace');
    expect(taken).toContain('is using');
    expect(await cli.done('positions')).toContain('BTCUSDT');
  });

  it('a file that is cut off, damaged, of a newer version or something else makes no folder', async () => {
    const whole = readFileSync(fileOf('plain.tar.gz'));
    const tar = gunzipSync(whole);
    const damaged = Buffer.from(tar);
    const at = damaged.indexOf('SQLite format 3') + 5000;
    damaged[at] = (damaged[at] ?? 0) ^ 1;
    const newest = readdirSync(TRADING.migrations).sort().at(-1) ?? '';
    const newer = Buffer.from(tar.toString('latin1').replace(newest, `9999${newest.slice(4)}`), 'latin1');
    const wrong: Record<string, readonly [Buffer, RegExp]> = {
      cut: [whole.subarray(0, -100), /damaged, cut off/],
      damaged: [gzipSync(damaged), /is damaged; take another backup/],
      newer: [gzipSync(newer), /made by a newer Signalbox/],
      other: [gzipSync('hello'), /damaged or cut off/],
      text: [Buffer.from('hello'), /damaged, cut off, or no backup/],
    };
    for (const [name, [bytes, words]] of Object.entries(wrong)) {
      writeFileSync(fileOf(name), bytes);
      const to = join(folder, `from-${name}`);
      expect(await cli.refused(1, 'restore', fileOf(name), '--to', to), name).toMatch(words);
      expect(existsSync(to), name).toBe(false);
    }
    expect(readdirSync(folder).filter((name) => name.startsWith('.'))).toEqual([]);
    expect(await cli.refused(1, 'restore', fileOf('nowhere'))).toContain('there is no file');
  });

  it('is backed up where nothing runs, also after a crash, and leaves the folder as it was', async () => {
    await running.kill();
    const before = readdirSync(dataDir).sort();
    await cli.done('backup', '--to', fileOf('crashed.tar.gz'));
    expect(readdirSync(dataDir).sort()).toEqual(before);
    await cli.done('restore', fileOf('crashed.tar.gz'), '--to', join(folder, 'crashed'));
    const copies = join(folder, 'copies');
    mkdirSync(copies);
    // Read from copies: whoever opens a database takes its log in.
    for (const name of before.filter((each) => /\.db(-wal)?$/.test(each)))
      copyFileSync(join(dataDir, name), join(copies, name));
    expect(storedRows(join(folder, 'crashed'), ...OF_THE_RESTORE)).toEqual(storedRows(copies, ...OF_THE_RESTORE));
    running = await startProcess({ dataDir });
    await running.stop();
    const stopped = readdirSync(dataDir).sort();
    await cli.done('backup', '--to', fileOf('stopped.tar.gz'));
    expect(readdirSync(dataDir).sort()).toEqual(stopped);
  });

  it('makes backups of itself where the settings say so, and tells where it cannot', async () => {
    const into = join(folder, 'kept', 'here');
    const itself = await startProcess({
      dataDir,
      env: { SERVICES: 'gateway', BACKUP_EVERY: '6h', BACKUP_DIR: into, SIGNALBOX_BACKUP_PASSPHRASE: PASSPHRASE },
    });
    const made = () => (existsSync(into) ? readdirSync(into).filter((name) => !name.startsWith('.')) : []);
    await expect.poll(made, { timeout: 30_000 }).toEqual([expect.stringMatching(/^signalbox-.*\.tar\.gz\.sealed$/)]);
    await itself.stop();
    const from = commandLineHere(env({ SIGNALBOX_BACKUP_PASSPHRASE: PASSPHRASE }));
    await from.done('restore', join(into, made()[0] as string), '--to', join(folder, 'from-itself'));
    writeFileSync(fileOf('a file'), '');
    const unable = await startProcess({
      dataDir,
      env: { SERVICES: 'gateway', BACKUP_EVERY: '6h', BACKUP_DIR: join(fileOf('a file'), 'below') },
    });
    const warnings = async () =>
      ((await (await fetch(`${unable.url}/ready`)).json()) as { warnings: string[] }).warnings;
    await expect
      .poll(warnings, { timeout: 30_000 })
      .toContainEqual(expect.stringMatching(/there is none yet: .*a file is a file/));
    await unable.stop();
  });

  it('holds keys and bars where that is asked for', async () => {
    const db = new DatabaseSync(join(dataDir, 'scripts.db'));
    db.exec("INSERT INTO bar_series (source, market, timeframe_ms) VALUES ('simulated', 'BTCUSDT', 60000)");
    db.close();
    await cli.done('backup', '--to', fileOf('few.tar.gz'));
    const text = await cli.done('backup', '--with-keys', '--with-bars', '--to', fileOf('all.tar.gz'));
    expect(text).toContain('master.key is in it: whoever has the file can trade with your accounts');
    for (const name of ['few', 'all'])
      await cli.done('restore', fileOf(`${name}.tar.gz`), '--to', join(folder, `of-${name}`));
    const seriesIn = (name: string) => storedRows(join(folder, `of-${name}`))['scripts.db bar_series']?.length;
    expect([seriesIn('few'), seriesIn('all')]).toEqual([0, 1]);
    expect(existsSync(join(folder, 'of-all', 'master.key'))).toBe(true);
  });

  it('is not made where there is no instance', async () => {
    const nothing = commandLineHere({ DATA_DIR: join(folder, 'nothing') });
    expect(await nothing.refused(1, 'backup')).toContain('There is no Signalbox instance');
  });
});
