// Writes log lines to standard output in the background, in large pieces. What cannot be written is lost, and nothing else:
// a full disk, a closed pipe or a reader that stands still costs lines, never trading nor the end of the process.
import { write, writeSync } from 'node:fs';
import { foregroundTimers } from '../timing/timers.ts';
import { withTimeout } from '../timing/with-timeout.ts';

export interface LogDestination {
  write(line: string): void;
  close?(): Promise<void>;
}

const FLUSH_EVERY_MS = 1000;
const CLOSE_TIMEOUT_MS = 2000;

/** Lines are gathered in pieces of this size: one system call then serves some fifty lines. */
const PIECE_BYTES = 16 * 1024;

/** A reader of standard output that stands still costs lines, not the memory of the gateway. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024;

/** A pipe that is full is tried again so much later; at the end of the process only a few times. */
const BUSY_RETRY_MS = 100;
const TRIES_AT_EXIT = 5;

const isBusy = (error: unknown): boolean => ['EAGAIN', 'EBUSY'].includes((error as NodeJS.ErrnoException).code ?? '');

/** Handed in, so that a test has a disk whose room is its own. */
export type WriteBytes = (
  fd: number,
  bytes: Buffer,
  done: (error: NodeJS.ErrnoException | null, written: number) => void,
) => void;

export function createStandardOutput(fd = 1, writeBytes: WriteBytes = write): LogDestination {
  return new StandardOutput(fd, writeBytes);
}

/** Lines become pieces, pieces wait in order, and one is written at a time. */
class StandardOutput implements LogDestination {
  readonly #fd: number;
  readonly #write: WriteBytes;
  #piece = Buffer.allocUnsafe(PIECE_BYTES);
  #used = 0;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #isWriting = false;
  #retry: NodeJS.Timeout | undefined;
  /** Told in the log itself, once it can be written again. */
  #lostBecause: string | undefined;
  /** The last line of the output stops in the middle. */
  #isCut = false;
  #onIdle: (() => void) | undefined;
  readonly #flushTimer: NodeJS.Timeout;

  constructor(fd: number, writeBytes: WriteBytes) {
    this.#fd = fd;
    this.#write = writeBytes;
    this.#flushTimer = setInterval(() => this.#handOver(), FLUSH_EVERY_MS).unref();
    process.on('exit', this.#onExit);
  }

  write(line: string): void {
    // A UTF-16 unit never takes more than three bytes.
    if (line.length * 3 > PIECE_BYTES - this.#used) this.#handOver();
    if (line.length * 3 > PIECE_BYTES) this.#enqueue(Buffer.from(line));
    else this.#used += this.#piece.write(line, this.#used);
  }

  /** Resolves when everything is written, cannot be written, or has taken too long. */
  close(): Promise<void> {
    clearInterval(this.#flushTimer);
    process.off('exit', this.#onExit);
    this.#handOver();
    if (this.#waiting.length === 0) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onIdle = resolve;
    return withTimeout(promise, CLOSE_TIMEOUT_MS, () => {}, foregroundTimers);
  }

  #handOver(): void {
    if (this.#used === 0) return;
    const bytes = this.#piece.subarray(0, this.#used);
    this.#piece = Buffer.allocUnsafe(PIECE_BYTES);
    this.#used = 0;
    this.#enqueue(bytes);
  }

  #enqueue(bytes: Buffer): void {
    if (this.#waitingBytes + bytes.length > MAX_WAITING_BYTES) {
      this.#lostBecause = 'nobody took them';
      return;
    }
    for (const next of [...this.#noticeOfLoss(), bytes]) {
      this.#waiting.push(next);
      this.#waitingBytes += next.length;
    }
    this.#writeNext();
  }

  #noticeOfLoss(): readonly Buffer[] {
    if (this.#lostBecause === undefined) return [];
    const notice = { level: 'warn', time: Date.now(), msg: `lines of this log were lost: ${this.#lostBecause}` };
    const line = `${this.#isCut ? '\n' : ''}${JSON.stringify(notice)}\n`;
    this.#lostBecause = undefined;
    return [Buffer.from(line)];
  }

  #writeNext(): void {
    const [bytes] = this.#waiting;
    if (bytes === undefined) this.#onIdle?.();
    if (bytes === undefined || this.#isWriting || this.#retry !== undefined) return;
    this.#isWriting = true;
    this.#write(this.#fd, bytes, (error, written) => {
      this.#isWriting = false;
      if (error === null) this.#take(bytes, written);
      else if (isBusy(error)) this.#retry = setTimeout(() => this.#tryAgain(), BUSY_RETRY_MS).unref();
      else this.#lose(error.message);
      this.#writeNext();
    });
  }

  #tryAgain(): void {
    this.#retry = undefined;
    this.#writeNext();
  }

  #take(bytes: Buffer, written: number): void {
    this.#waitingBytes -= written;
    this.#isCut = written < bytes.length;
    if (this.#isCut) this.#waiting[0] = bytes.subarray(written);
    else this.#waiting.shift();
  }

  /** The rest would fail in the same way, one after the other. Lines that come later are tried: the disk may have room then. */
  #lose(reason: string): void {
    this.#lostBecause = reason;
    this.#waiting = [];
    this.#waitingBytes = 0;
  }

  /** The last words of a process that ends without having closed its log; a piece that is being written is left alone. */
  readonly #onExit = (): void => {
    this.#handOver();
    for (const bytes of this.#waiting.slice(this.#isWriting ? 1 : 0)) if (!writeNow(this.#fd, bytes)) return;
  };
}

function writeNow(fd: number, bytes: Buffer): boolean {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  let left = bytes;
  for (let tries = 0; left.length > 0 && tries < TRIES_AT_EXIT; ) {
    try {
      left = left.subarray(writeSync(fd, left));
    } catch (error) {
      if (!isBusy(error)) return false;
      tries += 1;
      Atomics.wait(pause, 0, 0, BUSY_RETRY_MS);
    }
  }
  return left.length === 0;
}
