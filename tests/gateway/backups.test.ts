// POST /admin/backup and GET /admin/backups of the real process: one is made and found, never two at once, and it can be restored.

import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { commandLineHere } from '../cli/command-line.ts';
import { closeWithFile } from '../support/close-at-end.ts';
import { freshDataDir, type RunningProcess, startGatewayProcess } from '../support/process.ts';

const TOKEN = 'a-token-of-the-owner-0001';
const NAME = /^signalbox-\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}Z\.tar\.gz$/;

async function started(env: Readonly<Record<string, string>>): Promise<RunningProcess> {
  const signalbox = await startGatewayProcess({ env: { INTERNAL_TOKEN: TOKEN, ...env } });
  closeWithFile(async () => void (await signalbox.stop()));
  return signalbox;
}

interface Answer {
  readonly code?: string;
  readonly error: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any field
  readonly result: any;
}

async function ask({ url }: RunningProcess, method: string, path: string, headers = { 'x-internal-auth-key': TOKEN }) {
  const answer = await fetch(`${url}${path}`, { method, headers });
  return { status: answer.status, body: (await answer.json()) as Answer };
}

describe('with BACKUP_DIR', () => {
  const folder = join(freshDataDir(), 'backups');
  let signalbox: RunningProcess;
  beforeAll(async () => {
    signalbox = await started({ BACKUP_DIR: folder, BACKUP_KEEP: '1' });
  });
  const make = () => ask(signalbox, 'POST', '/admin/backup');
  const list = async () => (await ask(signalbox, 'GET', '/admin/backups')).body.result;

  test('there is none at first, and nobody without the token makes or sees one', async () => {
    expect(await list()).toEqual({ folder, isRunning: false, backups: [] });
    const other = { 'x-internal-auth-key': 'wrong' };
    expect((await ask(signalbox, 'POST', '/admin/backup', other)).status).toBe(401);
    expect((await ask(signalbox, 'GET', '/admin/backups', other)).status).toBe(401);
    expect((await ask(signalbox, 'POST', '/admin/backup?encrypt=true')).body.code).toBe('INVALID_QUERY');
    expect(await list()).toMatchObject({ isRunning: false, backups: [] });
  });

  test('one is made, is told with its path, size and time, is listed, and can be restored', async () => {
    const before = Math.floor(Date.now() / 1000) * 1000;
    const { status, body } = await make();
    expect(status).toBe(200);
    const [name = ''] = readdirSync(folder);
    expect(name).toMatch(NAME);
    const file = join(folder, name);
    expect(body.result).toEqual({
      ...{ file, bytes: statSync(file).size, isEncrypted: false },
      madeAt: Date.parse(name.slice(10, 30).replace(/T(\d\d)-(\d\d)-(\d\d)Z/, 'T$1:$2:$3Z')),
    });
    expect(body.result.madeAt).toBeGreaterThanOrEqual(before);
    expect(body.result.madeAt).toBeLessThanOrEqual(Date.now());
    writeFileSync(join(folder, 'mine.txt'), 'mine');
    expect(await list()).toEqual({ folder, isRunning: false, backups: [body.result] });
    const to = join(freshDataDir(), 'restored');
    const restored = await commandLineHere({ DATA_DIR: signalbox.dataDir }).done('restore', file, '--to', to);
    expect(restored).toContain('every file was checked');
  });

  test('of two at once the second is refused; the one that is made removes none, and the newest is first', async () => {
    const [first] = (await list()).backups;
    const asked = [make(), make()];
    await expect.poll(async () => (await list()).isRunning, { interval: 5 }).toBe(true);
    const answers = await Promise.all(asked);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({
      code: 'BACKUP_RUNNING',
      error: 'a backup is being made; wait for its end',
    });
    const made = answers.find(({ status }) => status === 200)?.body.result;
    expect(await list()).toEqual({ folder, isRunning: false, backups: [made, first] });
  });
});

test('with a passphrase it is encrypted; without BACKUP_DIR nobody has said where it goes', async () => {
  const folder = freshDataDir();
  const sealed = await started({ BACKUP_DIR: folder, SIGNALBOX_BACKUP_PASSPHRASE: 'four words in a row' });
  const { body } = await ask(sealed, 'POST', '/admin/backup');
  expect(body.result).toMatchObject({ isEncrypted: true, file: expect.stringMatching(/\.tar\.gz\.sealed$/) });

  const nowhere = await started({});
  const refused = await ask(nowhere, 'POST', '/admin/backup');
  expect(refused).toMatchObject({ status: 409, body: { code: 'NO_BACKUP_FOLDER' } });
  expect(refused.body.error).toContain('BACKUP_DIR is not set; set it to a folder');
  const found = await ask(nowhere, 'GET', '/admin/backups');
  expect(found.body.result).toEqual({ folder: null, isRunning: false, backups: [] });
});

test('a folder that cannot be used is told in words', async () => {
  const file = join(freshDataDir(), 'a-file');
  writeFileSync(file, '');
  const signalbox = await started({ BACKUP_DIR: join(file, 'below') });
  const { status, body } = await ask(signalbox, 'POST', '/admin/backup');
  expect([status, body.code]).toEqual([500, 'BACKUP_FAILED']);
  expect(body.error).toMatch(/^no backup was made: .*a-file/);
  const listed = await ask(signalbox, 'GET', '/admin/backups');
  expect([listed.status, listed.body.code]).toEqual([500, 'BACKUP_FAILED']);
});
