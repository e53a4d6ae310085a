// Backups that somebody has changed, exchanged or put together, and places that no backup can go to: what restore says of them.

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, describe, expect, it } from 'vitest';
import { makeDataFolder } from '../../src/composition/make-data-folder.ts';
import { freshDataDir } from '../support/process.ts';
import { type ChangedFile, changeBackup, toldOf, type Unpacked } from './changed-backup.ts';
import { commandLineHere } from './command-line.ts';

const PASSPHRASE = 'four words in a row';

describe('a plain backup', () => {
  const folder = freshDataDir();
  const dataDir = join(folder, 'data');
  const plain = join(folder, 'plain.tar.gz');
  const cli = commandLineHere({ DATA_DIR: dataDir });
  let made = 0;
  const freshPlace = (): string => join(folder, `to-${++made}`);

  beforeAll(async () => {
    await makeDataFolder({ dataDir, databaseUrl: undefined });
    const db = new DatabaseSync(join(dataDir, 'settings.db'));
    db.exec(
      "INSERT INTO sessions VALUES ('one', 'family', 'chain', 'digest', NULL, NULL, 1, 1, '127.0.0.1', 'Chrome')",
    );
    db.close();
    await cli.done('backup', '--to', plain);
  });

  async function refusedAfter(change: (unpacked: Unpacked) => void): Promise<string> {
    const changed = join(folder, `changed-${++made}.tar.gz`);
    await changeBackup(plain, changed, change);
    const to = freshPlace();
    const words = await cli.refused(1, 'restore', changed, '--to', to);
    expect(existsSync(to)).toBe(false);
    expect(readdirSync(folder).filter((name) => name.startsWith('.'))).toEqual([]);
    return words;
  }

  const without = ({ manifest, files }: Unpacked, ...names: string[]): void => {
    manifest.files = manifest.files.filter(({ name }) => !names.includes(name));
    for (const name of names) files.delete(name);
  };
  const add = ({ manifest, files }: Unpacked, name: string, bytes = Buffer.from('{}')): void => {
    manifest.files.push(toldOf(name, bytes));
    files.set(name, bytes);
  };

  it('whose kill switch is taken out is refused, and so is one without its trades', async () => {
    expect(await refusedAfter((all) => without(all, 'settings.db'))).toMatch(
      /has signalbox\.db and not settings\.db.*kill switch/,
    );
    expect(await refusedAfter((all) => without(all, 'signalbox.db'))).toMatch(/has settings\.db and not signalbox\.db/);
    const all = ['settings.db', 'signalbox.db', 'scripts.db'];
    expect(await refusedAfter((each) => without(each, ...all, 'api_keys.json'))).toContain('nothing in it');
  });

  it('of an instance that only serves the Analysis API says nothing of a kill switch', async () => {
    const changed = join(folder, 'keys-only.tar.gz');
    await changeBackup(plain, changed, (all) => {
      without(all, 'settings.db', 'signalbox.db', 'scripts.db', 'api_keys.json');
      add(all, 'api_keys.json');
    });
    const text = await cli.done('restore', changed, '--to', freshPlace());
    expect(text).not.toContain('kill switch is on');
    expect(text).toContain('no trades');
    expect(await cli.done('restore', plain, '--to', freshPlace())).toContain('The kill switch is on');
  });

  it('is not taken for an encrypted one without a word', async () => {
    const sealed = commandLineHere({ DATA_DIR: dataDir, SIGNALBOX_BACKUP_PASSPHRASE: PASSPHRASE });
    const to = freshPlace();
    const words = await sealed.refused(1, 'restore', plain, '--to', to);
    expect(words).toMatch(/is not encrypted.*--unencrypted/);
    expect(existsSync(to)).toBe(false);
    await sealed.done('restore', plain, '--to', to, '--unencrypted');
    const named = join(folder, 'signalbox-2026-11-18T08-15-00Z.tar.gz.sealed');
    writeFileSync(named, readFileSync(plain));
    expect(await cli.refused(1, 'restore', named, '--to', freshPlace())).toMatch(/is not encrypted.*its name/);
    await cli.done('restore', named, '--to', freshPlace(), '--unencrypted');
    expect(await cli.refused(1, 'backup', '--to', join(folder, 'open.sealed'))).toContain('--encrypt');
  });

  const WRONG_FORM: Readonly<Record<string, (manifest: Unpacked['manifest']) => void>> = {
    'files that are no list': (manifest) => Object.assign(manifest, { files: 5 }),
    'a list of what is left out that is none': (manifest) => Object.assign(manifest, { leftOut: 5 }),
    'a time that is none': (manifest) => Object.assign(manifest, { madeAt: 'x' }),
    'a version that is no text': (manifest) => Object.assign(manifest, { version: 5 }),
    'a size below nothing': ({ files }) => Object.assign(files[0] ?? {}, { bytes: -1 }),
    'a hash that is none': ({ files }) => Object.assign(files[0] ?? {}, { sha256: 'x' }),
    'a database without its rows': ({ files }) => delete files[0]?.database,
  };
  it.each(Object.entries(WRONG_FORM))('with %s in its manifest is told as damaged', async (_, change) => {
    const words = await refusedAfter(({ manifest }) => change(manifest));
    expect(words).toMatch(/its manifest is not as Signalbox writes it \(.+\).*take another/);
  });

  it('with a manifest that is nothing at all is told as damaged', async () => {
    for (const text of [null, 5, []])
      expect(await refusedAfter((all) => Object.assign(all, { manifest: text }))).toContain('its manifest');
  });

  it('of a later form names the version that made it', async () => {
    const words = await refusedAfter(({ manifest }) => Object.assign(manifest, { form: 2, version: '9.0.0' }));
    expect(words).toMatch(/another version of Signalbox \(9\.0\.0\)/);
  });

  it('with a file twice is refused in words', async () => {
    expect(
      await refusedAfter(({ manifest }) => void manifest.files.push({ ...(manifest.files[0] as ChangedFile) })),
    ).toContain('twice');
  });

  it.each([
    '../evil',
    '/tmp/evil',
    '..',
    '.hidden',
    'a/b',
    'sub\\evil',
    'instance.json',
    'moved-to-postgresql.json',
    'databases.json',
  ])('with %s in it, which Signalbox puts into none, writes nothing', async (name) => {
    const words = await refusedAfter((all) => add(all, name));
    expect(words).toContain(`names ${JSON.stringify(name)}`);
    expect(words).not.toContain('another version');
    expect(existsSync(join(folder, 'evil'))).toBe(false);
  });

  it('with a file that its manifest does not name writes nothing outside', async () => {
    expect(await refusedAfter(({ files }) => void files.set('../evil', Buffer.from('x')))).toContain('something else');
    expect(existsSync(join(folder, 'evil'))).toBe(false);
  });

  it('whose databases hold other rows than its manifest says is refused', async () => {
    const words = await refusedAfter(({ manifest }) => {
      const trading = manifest.files.find(({ name }) => name === 'signalbox.db');
      Object.assign(trading?.database?.rows ?? {}, { trades: 7 });
    });
    expect(words).toContain('does not hold what its manifest says');
  });

  it('is restored without the sessions of that time', async () => {
    const to = freshPlace();
    await cli.done('restore', plain, '--to', to);
    const sessionsIn = (path: string) => {
      const db = new DatabaseSync(join(path, 'settings.db'), { readOnly: true });
      const { n } = db.prepare('SELECT count(*) AS n FROM sessions').get() as { n: number };
      db.close();
      return n;
    };
    expect([sessionsIn(dataDir), sessionsIn(to)]).toEqual([1, 0]);
  });

  it('goes into the folder that --to names, which is made, also on the second day', async () => {
    const into = join(folder, 'kept', 'backups');
    for (const _ of [1, 2]) await cli.done('backup', '--to', into);
    expect(readdirSync(into)).toEqual([1, 2].map(() => expect.stringMatching(/^signalbox-.*\.tar\.gz$/)));
    const file = join(folder, 'a file');
    writeFileSync(file, 'mine');
    for (const place of [file, join(file, 'below')])
      expect(await cli.refused(1, 'backup', '--to', place)).toMatch(/a file is a file.*BACKUP_DIR/);
    const byTheClock = commandLineHere({ DATA_DIR: dataDir, BACKUP_DIR: file });
    expect(await byTheClock.refused(1, 'backup')).toMatch(/a file is a file.*BACKUP_DIR/);
    expect(readFileSync(file, 'utf8')).toBe('mine');
  });

  it('is a file: a folder is told what to do instead', async () => {
    expect(await cli.refused(1, 'restore', folder, '--to', freshPlace())).toContain(
      'is a folder; name one of the backups in it',
    );
  });
});
