// The folder of the socket between our processes: closed to others, not believed when it is not ours, and nothing else removed.

import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { SocketFolder } from './socket-folder.ts';

let dataDir: string;
let folder: SocketFolder;
let server: Server | undefined;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'data-'));
  folder = new SocketFolder(dataDir);
});
afterEach(async () => {
  vi.restoreAllMocks();
  server?.close();
  folder.remove();
  rmSync(dataDir, { recursive: true });
});

async function listening(): Promise<string> {
  const path = folder.make();
  const opened = createServer();
  server = opened;
  await new Promise<void>((resolve) => opened.listen(path, resolve));
  return path;
}

test('lies in the data folder, where only the owner can enter it', async () => {
  const path = await listening();
  expect(dirname(dirname(path))).toBe(dataDir);
  expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
  expect(folder.socketPath()).toBe(path);
});

test('lies in the temporary folder where the path would be too long for a socket', async () => {
  const long = join(dataDir, 'x'.repeat(100));
  mkdirSync(long);
  folder = new SocketFolder(long);
  const path = await listening();
  expect(dirname(dirname(path))).toBe(tmpdir());
  expect(folder.socketPath()).toBe(path);
});

describe('is not used', () => {
  test('before anybody listens, nor after the socket is gone', async () => {
    expect(folder.socketPath()).toBeUndefined();
    const path = folder.make();
    expect(folder.socketPath()).toBeUndefined();
    writeFileSync(path, 'no socket');
    expect(folder.socketPath()).toBeUndefined();
  });

  test('when others may enter it', async () => {
    const path = await listening();
    chmodSync(dirname(path), 0o711);
    expect(folder.socketPath()).toBeUndefined();
  });

  test('when it belongs to another user', async () => {
    await listening();
    vi.spyOn(process, 'geteuid').mockReturnValue(4_000_000);
    expect(folder.socketPath()).toBeUndefined();
  });

  test('when it is a link to elsewhere', async () => {
    const path = await listening();
    const elsewhere = join(dataDir, 'elsewhere');
    renameSync(dirname(path), elsewhere);
    symlinkSync(elsewhere, dirname(path));
    expect(folder.socketPath()).toBeUndefined();
  });
});

test('another user’s folder of that name is left alone, and the socket lies elsewhere', async () => {
  mkdirSync(join(dataDir, 'script-process'));
  vi.spyOn(process, 'geteuid').mockReturnValue(4_000_000);
  expect(dirname(dirname(folder.make()))).toBe(tmpdir());
});

test('removes nothing but the socket: what else lies there stays', async () => {
  const path = await listening();
  const other = join(dirname(path), 'kept.txt');
  writeFileSync(other, 'mine');
  folder.make();
  folder.remove();
  expect(existsSync(other)).toBe(true);
});
