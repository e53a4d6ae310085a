// Power cuts: what the disk was told to keep is kept, everything else may be gone. First that the harness does this to any program and
// finds what a disk that lies would lose, then that Signalbox comes through it.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { drawSignal } from '../support/chaos/random-signals.ts';
import { openSqliteForm } from '../support/chaos/sqlite-form.ts';
import { allSettled, checkOrder, checkSignals } from '../support/nothing-lost.ts';
import { type PowerCuts, preparePowerCuts } from '../support/power-cuts/index.ts';
import { freshDataDir, spawnSignalbox, startGatewayProcess } from '../support/process.ts';
import { Random } from '../support/random.ts';
import { type SentSignal, sendAll } from '../support/senders.ts';

const SECTOR_BYTES = 512;

describe('a program that writes files', () => {
  /** Runs the lines to their end and cuts the power. */
  async function cutAfter(lines: string, remains: 'none' | 'some' | 'all', isLying = false) {
    const folder = freshDataDir();
    const power = await preparePowerCuts(folder);
    power.lie(isLying);
    const child = spawn(process.execPath, ['-e', `const fs = require('node:fs'); ${lines}`], {
      ...{ cwd: folder, stdio: 'inherit', env: { ...process.env, ...power.env, FOLDER: folder } },
    });
    expect(await once(child, 'exit')).toEqual([0, null]);
    power.settle();
    expect(power.unrecorded(new Random(1))).toEqual([]);
    power.cut(remains, new Random(1));
    power.close();
    const read = (name: string) => (existsSync(join(folder, name)) ? readFileSync(join(folder, name)) : undefined);
    return { read, text: (name: string) => read(name)?.toString() };
  }
  const NAMED = "const name = (file) => process.env.FOLDER + '/' + file; const folder = fs.openSync(name('.'), 'r');";
  const FILE = `${NAMED} const file = fs.openSync(name('a'), 'w'); fs.writeSync(file, 'kept'); `;
  const SYNCED = `${FILE} fs.fsyncSync(file); fs.fsyncSync(folder);`;

  it.each([
    ['has what it synced, with a folder that was synced', SYNCED, 'kept'],
    ['has no file whose folder was not synced', `${FILE} fs.fsyncSync(file);`, undefined],
    ['has an empty file where only the folder was synced', `${FILE} fs.fsyncSync(folder);`, ''],
    [
      'has lost what it wrote after the sync',
      `${SYNCED} fs.writeSync(file, ' lost'); fs.writeSync(file, 'x', 0);`,
      'kept',
    ],
    [
      'has lost what was overwritten and cut short',
      `${SYNCED} fs.ftruncateSync(file, 1); fs.writevSync(file, [Buffer.from('b')], 0);`,
      'kept',
    ],
    ['has the old file where the new name was not synced', `${SYNCED} fs.renameSync(name('a'), name('b'));`, 'kept'],
    ['has the file that was removed without a sync', `${SYNCED} fs.rmSync(name('a'));`, 'kept'],
    ['has no file that was removed with one', `${SYNCED} fs.unlinkSync(name('a')); fs.fsyncSync(folder);`, undefined],
  ])('%s', async (_, lines, expected) => {
    expect((await cutAfter(lines, 'none')).text('a')).toBe(expected);
  });

  it('has the new name where the folder was synced', async () => {
    const { text } = await cutAfter(`${SYNCED} fs.renameSync(name('a'), name('b')); fs.fsyncSync(folder);`, 'none');
    expect([text('a'), text('b')]).toEqual([undefined, 'kept']);
  });

  const WITHIN = `${NAMED} const sync = (path) => fs.fsyncSync(fs.openSync(name(path), 'r'));
    fs.mkdirSync(name('within')); fs.writeFileSync(name('within/a'), 'kept', { flush: true }); sync('within');`;
  it.each([
    ['nothing of a new folder whose name was not synced', WITHIN, [undefined, undefined]],
    ['a new folder whose name was synced', `${WITHIN} fs.fsyncSync(folder);`, ['kept', undefined]],
    [
      'a folder under its old name where the new one was not synced',
      `${WITHIN} fs.fsyncSync(folder); fs.renameSync(name('within'), name('other'));`,
      ['kept', undefined],
    ],
    [
      'a folder under its new name where that was synced',
      `${WITHIN} fs.renameSync(name('within'), name('other')); fs.fsyncSync(folder);`,
      [undefined, 'kept'],
    ],
  ])('has %s', async (_, lines, expected) => {
    const { text } = await cutAfter(lines, 'none');
    expect([text('within/a'), text('other/a')]).toEqual(expected);
  });

  it('has lost everything where syncs lied', async () => {
    expect((await cutAfter(SYNCED, 'none', true)).text('a')).toBeUndefined();
  });

  it('has some sectors of what was not synced, each of them whole', async () => {
    const sectors = 64;
    const bytes = (letter: string) => `Buffer.alloc(${sectors * SECTOR_BYTES}, '${letter}')`;
    const { read } = await cutAfter(
      `${SYNCED} fs.writeSync(file, ${bytes('o')}, 0, ${sectors * SECTOR_BYTES}, 0); fs.fdatasyncSync(file);
        fs.writeSync(file, ${bytes('n')}, 0, ${sectors * SECTOR_BYTES}, 0);`,
      'some',
    );
    const text = String(read('a'));
    const kinds = Array.from({ length: sectors }, (_, n) => text.slice(n * SECTOR_BYTES, (n + 1) * SECTOR_BYTES));
    const [older, newer] = ['o'.repeat(SECTOR_BYTES), 'n'.repeat(SECTOR_BYTES)];
    expect(kinds.filter((sector) => sector !== older && sector !== newer)).toEqual([]);
    expect(kinds).toContain(older);
    expect(kinds).toContain(newer);
  });

  it('past the record is found out', async () => {
    const folder = freshDataDir();
    const power = await preparePowerCuts(folder);
    // This process runs without the library.
    writeFileSync(join(folder, 'past'), 'the record');
    power.settle();
    expect(power.unrecorded(new Random(1))).toEqual([join(folder, 'past')]);
    power.close();
  });
});

const API_KEY = `whk_${'p'.repeat(43)}`;
const SIGNALS = 150;

/** Signals, a power cut in their midst that takes everything that was not synced, and what the next start makes of it. */
async function tradeOverCut(prepare: (power: PowerCuts) => void) {
  const dataDir = freshDataDir();
  const power = await preparePowerCuts(dataDir);
  const env = { ...power.env, WEBHOOK_API_KEYS: API_KEY, WEBHOOK_RATE_PER_MINUTE: '0', PAPER_BALANCE: '1000000000' };
  const settings = { ...env, QUEUE_MODE: 'async', SIGNAL_MAX_AGE_S: '600', LOG_LEVEL: 'error' };
  const first = await startGatewayProcess({ dataDir, env: settings });
  prepare(power);
  const random = new Random(3);
  let killed: Promise<void> | undefined;
  const sent = await sendAll({
    ...{ url: async () => first.url, total: SIGNALS, connections: 10 },
    next: () => drawSignal({ random, apiKeys: [API_KEY], paper: ['binance'] }),
    onSent(count) {
      if (count > (SIGNALS * 2) / 3) killed ??= first.kill();
    },
  });
  await killed;
  power.cut('none', random);
  power.lie(false);
  const next = await startGatewayProcess({ dataDir, env: settings });
  await allSettled(next.url);
  expect(await next.stop()).toBe(0);
  power.close();
  return { dataDir, sent };
}

const kindsOf = (dataDir: string, sent: readonly SentSignal[]): string[] => [
  ...new Set([...checkSignals(dataDir, sent), ...checkOrder(dataDir)].map(({ kind }) => kind)),
];

describe('signals over a power cut', () => {
  it.concurrent('are all there, once and in order; and the harness notices where they are not', async () => {
    const { dataDir, sent } = await tradeOverCut(() => {});
    expect(kindsOf(dataDir, sent)).toEqual([]);
    expect(sent.filter(({ answer }) => answer?.status === 202).length).toBeGreaterThan(SIGNALS / 2);
    expect(sent.filter(({ answer }) => answer === undefined).length).toBeGreaterThan(0);
    // Its books are falsified one way after the other.
    const change = (sql: string): void => {
      const db = new DatabaseSync(join(dataDir, 'signalbox.db'));
      expect(db.prepare(sql).run().changes).toBeGreaterThan(0);
      db.close();
    };
    const undone = (wrong: string, right: string): string[] => {
      change(wrong);
      const found = kindsOf(dataDir, sent);
      change(right);
      expect(kindsOf(dataDir, sent)).toEqual([]);
      return found;
    };
    const LAST = "(SELECT max(seq) FROM trades WHERE state = 'filled')";
    const FIRST = "(SELECT min(seq) FROM trades WHERE state = 'filled')";
    const rename = (from: string, to: string) =>
      `UPDATE trades SET request_id = replace(request_id, '${from}', '${to}')`;
    expect(undone(rename('-', '_'), rename('_', '-'))).toContain('lost');
    const submit = (times: number) => `UPDATE paper_orders SET submissions = ${times}`;
    expect(undone(submit(2), submit(1))).toContain('doubled');
    const flip = `UPDATE trades SET state = iif(state = 'filled', 'rejected', 'filled') WHERE seq IN (${FIRST}, ${LAST})`;
    change(flip);
    expect(kindsOf(dataDir, sent)).toContain('out of order');
  });

  it.concurrent('are lost where syncs lie, and the harness finds it', async () => {
    const { dataDir, sent } = await tradeOverCut((power) => power.lie(true));
    const lost = checkSignals(dataDir, sent).filter(({ kind }) => kind === 'lost');
    expect(lost.length).toBeGreaterThan(SIGNALS / 3);
  });
});

describe('a first start', () => {
  /** It has about 570 of them: the lock, each of the databases, and the notes about them. */
  it.concurrent.each([
    [12, 'none'],
    [110, 'some'],
    [550, 'none'],
  ] as const)('that loses its power at step %s of the disk can be repeated', async (step, remains) => {
    const dataDir = freshDataDir();
    const power = await preparePowerCuts(dataDir);
    const child = spawnSignalbox(['start'], { DATA_DIR: dataDir, SERVICES: 'gateway', ...power.env });
    const gone = once(child, 'exit');
    while (power.steps() < step && child.exitCode === null) await sleep(1);
    child.kill('SIGKILL');
    await gone;
    power.cut(remains, new Random(step));
    expect(await (await startGatewayProcess({ dataDir, env: power.env })).stop()).toBe(0);
    power.close();
  });
});

it('a form over SQLite tells what changed past its record, and that its process ended by itself', async () => {
  const form = await openSqliteForm({
    ...{ mode: 'async', apiKeys: [API_KEY], accounts: [], settings: {}, live: [], onStart: () => {} },
  });
  try {
    await form.start();
    writeFileSync(join(form.dataDir, 'past'), 'the record');
    const restart = form.faults.find(({ name }) => name === 'ordinary restart');
    await expect(restart?.strike(new Random(1))).rejects.toThrow(`past the record of power cuts: ${form.dataDir}/past`);
    // It was not started again, so nobody has asked for the end of the one that was to be there.
    const found = (await form.end([])).map(({ words }) => words);
    expect(found).toEqual([expect.stringMatching(/^the process ended by itself with 0: /)]);
  } finally {
    await form.close();
  }
});
