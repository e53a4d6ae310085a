// Writes log lines to standard output in the background, in large pieces, and never lets a broken output reach the caller.
import { pino } from 'pino';

export interface LogDestination {
  write(line: string): void;
  close?(): Promise<void>;
}

const FLUSH_EVERY_MS = 1000;
const CLOSE_TIMEOUT_MS = 2000;

// Lines are gathered in pieces of this size: one system call then serves some fifty lines.
const PIECE_BYTES = 16 * 1024;

// A reader of standard output that stands still costs lines, not the memory of the gateway.
const MAX_WAITING_BYTES = 16 * 1024 * 1024;

// A closed output (`signalbox start | head`) must not stop trading, so its errors end in silence here.
export function createStandardOutput(fd = 1): LogDestination {
  const output = pino.destination({ fd, sync: false, contentMode: 'buffer', maxLength: MAX_WAITING_BYTES });
  let broken = false;
  let piece = Buffer.allocUnsafe(PIECE_BYTES);
  let used = 0;

  const handOver = (): void => {
    if (used === 0 || broken) return;
    output.write(piece.subarray(0, used) as unknown as string);
    piece = Buffer.allocUnsafe(PIECE_BYTES);
    used = 0;
  };
  const writeLong = (line: string): void => {
    handOver();
    if (!broken) output.write(Buffer.from(line) as unknown as string);
  };
  const onExit = (): void => {
    handOver();
    if (!broken) output.flushSync();
  };

  output.on('error', () => {
    broken = true;
  });
  process.on('exit', onExit);
  const flushTimer = setInterval(handOver, FLUSH_EVERY_MS);
  flushTimer.unref();

  return {
    write: (line) => {
      // A UTF-16 unit never takes more than three bytes.
      const room = PIECE_BYTES - used;
      if (line.length * 3 <= room) used += piece.write(line, used);
      else if (line.length * 3 > PIECE_BYTES) writeLong(line);
      else {
        handOver();
        used += piece.write(line, used);
      }
    },
    close: () =>
      new Promise((resolve) => {
        clearInterval(flushTimer);
        process.off('exit', onExit);
        handOver();
        if (broken) {
          resolve();
          return;
        }
        const timer = setTimeout(resolve, CLOSE_TIMEOUT_MS);
        const done = (): void => {
          clearTimeout(timer);
          resolve();
        };
        output.once('close', done);
        output.once('error', done);
        output.end();
      }),
  };
}
