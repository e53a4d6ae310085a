// Standard output on a disk whose room the test decides: what is lost is told, and no two lines become one.

import { closeSync, mkdtempSync, openSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { createStandardOutput, type WriteBytes } from './standard-output.ts';

/** Longer than a piece, so that it is written at once. */
const line = (name: string): string => `${JSON.stringify({ name, long: 'x'.repeat(20_000) })}\n`;
const LINE_BYTES = line('a').length;

function disk() {
  const room = { bytes: 0 };
  let held = '';
  const writeBytes: WriteBytes = (_, bytes, done) => {
    const written = Math.min(room.bytes, bytes.length);
    room.bytes -= written;
    held += bytes.toString('utf8', 0, written);
    const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    setImmediate(() => (written === 0 ? done(full, 0) : done(null, written)));
  };
  const settle = async (): Promise<void> => {
    for (let turns = 0; turns < 10; turns += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  return { room, writeBytes, settle, held: () => held };
}

test.each([0, 1, 2, 5])(
  'a line that was cut, and %s more that were lost, spoil none of the later ones',
  async (lost) => {
    const { room, writeBytes, settle, held } = disk();
    const output = createStandardOutput(-1, writeBytes);
    room.bytes = LINE_BYTES + 100;
    for (const name of ['a', 'b']) output.write(line(name));
    await settle();
    for (let lines = 0; lines < lost; lines += 1) {
      output.write(line('c'));
      await settle();
    }
    room.bytes = 10 * LINE_BYTES;
    for (const name of ['d', 'e']) output.write(line(name));
    await output.close?.();
    const [a, cut, notice, d, e, end] = held().split('\n');
    expect([a, d, e, end]).toEqual([...['a', 'd', 'e'].map((name) => line(name).trimEnd()), '']);
    expect(line('b').startsWith(cut as string)).toBe(true);
    expect(JSON.parse(notice as string)).toMatchObject({
      level: 'warn',
      msg: 'lines of this log were lost: ENOSPC: no space left on device, write',
    });
  },
);

test('a full pipe is tried again, and loses nothing', async () => {
  let busy = 2;
  let held = '';
  const output = createStandardOutput(-1, (_, bytes, done) => {
    busy -= 1;
    if (busy >= 0) return void setImmediate(done, Object.assign(new Error('EAGAIN'), { code: 'EAGAIN' }), 0);
    held += bytes.toString();
    setImmediate(done, null, bytes.length);
  });
  output.write('short\n');
  output.write(line('a'));
  await output.close?.();
  expect(held).toBe(`short\n${line('a')}`);
});

test('closing does not wait for ever for somebody who takes nothing', async () => {
  vi.useFakeTimers();
  const output = createStandardOutput(-1, () => {});
  output.write(line('a'));
  const closed = output.close?.();
  vi.advanceTimersByTime(2000);
  await closed;
  vi.useRealTimers();
});

/** A pipe that takes nothing until it is told to, and keeps what it is given. */
function pipe() {
  const given: Buffer[] = [];
  let waiting: (() => void) | undefined;
  let isOpen = false;
  const writeBytes: WriteBytes = (_, bytes, done) => {
    const take = () => {
      given.push(Buffer.from(bytes));
      setImmediate(done, null, bytes.length);
    };
    if (isOpen) take();
    else waiting = take;
  };
  const open = (): void => {
    isOpen = true;
    waiting?.();
  };
  const bytes = (): number => given.reduce((sum, { length }) => sum + length, 0);
  return { writeBytes, open, bytes, text: () => Buffer.concat(given).toString() };
}

/** 256 of them are the most that may wait. */
const PIECE = `${'x'.repeat(64 * 1024 - 1)}\n`;

test('a reader that stands still costs lines beyond 16 MiB, and is told of them once it reads again', async () => {
  const { writeBytes, open, bytes, text } = pipe();
  const output = createStandardOutput(-1, writeBytes);
  for (let lines = 0; lines < 300; lines += 1) output.write(PIECE);
  open();
  await vi.waitUntil(() => bytes() >= 256 * PIECE.length, { timeout: 60_000 });
  expect(text() === PIECE.repeat(256)).toBe(true);
  output.write(PIECE);
  await output.close?.();
  expect(text().slice(256 * PIECE.length)).toMatch(
    /^\{"level":"warn".*lines of this log were lost: nobody took them"\}\nx+\n$/,
  );
});

test('what was lost to a full disk no longer counts as waiting', async () => {
  const { room, writeBytes, settle, held } = disk();
  const output = createStandardOutput(-1, writeBytes);
  for (let rounds = 0; rounds < 3; rounds += 1) {
    for (let lines = 0; lines < 100; lines += 1) output.write(PIECE);
    await settle();
  }
  room.bytes = 3 * PIECE.length;
  output.write(PIECE);
  await output.close?.();
  expect(held().endsWith(PIECE)).toBe(true);
});

test('a process that ends without closing its log writes what waits, in order, and not the piece that is under way', () => {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-test-'));
  const path = join(folder, 'log');
  const fd = openSync(path, 'w');
  const listeners = process.listeners('exit');
  // The first piece is with the system already, which never says that it has written it.
  const output = createStandardOutput(fd, () => {});
  for (const name of ['under way', 'first', 'second']) output.write(line(name));
  output.write('last\n');
  const [onExit] = process.listeners('exit').filter((listener) => !listeners.includes(listener));
  onExit?.(0);
  closeSync(fd);
  process.off('exit', onExit as () => void);
  expect(readFileSync(path, 'utf8')).toBe(`${line('first')}${line('second')}last\n`);
});
