// A clock that can be set while a real process runs: its time of day is so far from the real one.
//
//   const clock = await prepareMovedClock(`${dataDir}.clock`);
//   const running = await startProcess({ dataDir, env: clock.env });
//   clock.move(-60_000);   // a minute slow, from now on and after restarts

import { closeSync, openSync, writeSync } from 'node:fs';
import { buildLibrary } from '../preload/build-library.ts';

const SOURCE = new URL('./moved-clock.c', import.meta.url);

export interface MovedClock {
  /** For the process whose clock it is. */
  readonly env: Readonly<Record<string, string>>;
  /** So far from the real time of day, whatever it was before. */
  move(ms: number): void;
  close(): void;
}

/** The path is a small file that the process and the test share. */
export async function prepareMovedClock(path: string): Promise<MovedClock> {
  const library = await buildLibrary(SOURCE);
  const fd = openSync(path, 'w+');
  const move = (ms: number): void => {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64LE(BigInt(ms));
    writeSync(fd, bytes, 0, bytes.length, 0);
  };
  move(0);
  return { env: { LD_PRELOAD: library, MOVED_CLOCK_CONTROL: path }, move, close: () => closeSync(fd) };
}
