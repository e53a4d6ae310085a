// What happens when what is printed cannot be written.

import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { openTerminal } from './terminal.ts';

class FakeOutput extends EventEmitter {
  readonly written: string[] = [];
  isTTY?: boolean;
  columns?: number;
  /** How many writes it takes before it wants a break. */
  room = Number.POSITIVE_INFINITY;
  write(text: string | Uint8Array): boolean {
    this.written.push(typeof text === 'string' ? text : Buffer.from(text).toString());
    return this.written.length < this.room;
  }
}

function opened(change: (stdout: FakeOutput, stderr: FakeOutput) => void = () => {}) {
  const [stdout, stderr] = [new FakeOutput(), new FakeOutput()];
  change(stdout, stderr);
  let faults = 0;
  const onFault = (): void => {
    faults += 1;
  };
  const terminal = openTerminal(stdout, stderr, { onFault, onInterrupt: () => () => {} });
  return { stdout, stderr, terminal, faults: () => faults };
}

const errorOf = (code: string) => Object.assign(new Error(`${code}: it failed`), { code });

describe('the outputs of the process', () => {
  it('get whole lines', () => {
    const { stdout, stderr, terminal } = opened();
    terminal.out('one');
    terminal.err('two');
    expect([stdout.written, stderr.written]).toEqual([['one\n'], ['two\n']]);
  });

  it('a reader who has seen enough is no fault, and gets no more', () => {
    const { stdout, stderr, terminal, faults } = opened();
    stdout.emit('error', errorOf('EPIPE'));
    terminal.out('more');
    expect([stdout.written, stderr.written, faults()]).toEqual([[], [], 0]);
  });

  it('a full disk is one, told once', () => {
    const { stdout, stderr, faults } = opened();
    stdout.emit('error', errorOf('ENOSPC'));
    stdout.emit('error', errorOf('ENOSPC'));
    expect([stderr.written, faults()]).toEqual([['The output cannot be written: ENOSPC: it failed\n'], 1]);
  });

  it('pieces go out as they are, each when there is room for it', async () => {
    const { stdout, terminal } = opened();
    stdout.room = 2;
    const made: number[] = [];
    function* pieces() {
      for (let i = 0; i < 3; i += 1) {
        made.push(i);
        yield Buffer.from(`${i}`);
      }
    }
    const poured = terminal.pour(pieces());
    await Promise.resolve();
    expect([stdout.written, made]).toEqual([
      ['0', '1'],
      [0, 1],
    ]);
    stdout.room = Number.POSITIVE_INFINITY;
    stdout.emit('drain');
    await poured;
    expect(stdout.written).toEqual(['0', '1', '2']);
    expect([stdout.listenerCount('drain'), stdout.listenerCount('error')]).toEqual([0, 1]);
  });

  it.each(['EPIPE', 'ENOSPC'])('after %s no further piece is made', async (code) => {
    const { stdout, terminal } = opened();
    stdout.room = 1;
    let made = 0;
    function* pieces() {
      for (;;) {
        made += 1;
        yield Buffer.from('x');
      }
    }
    const poured = terminal.pour(pieces());
    stdout.emit('error', errorOf(code));
    await poured;
    // One that could not leave, and the next that found the output broken.
    expect([made, stdout.written]).toEqual([2, ['x']]);
  });

  it('broken error output is nobody’s to tell', () => {
    const { stderr, terminal, faults } = opened();
    stderr.emit('error', errorOf('EIO'));
    terminal.err('x');
    expect([stderr.written, faults()]).toEqual([[], 0]);
  });

  it('are terminals one by one', () => {
    const { terminal } = opened((stdout) => {
      stdout.isTTY = true;
      stdout.columns = 132;
    });
    expect(terminal).toMatchObject({ isTty: true, columns: 132, screen: undefined });
    const other = opened((_, stderr) => {
      stderr.isTTY = true;
    });
    expect(other.terminal).toMatchObject({ isTty: false, columns: 80 });
    other.terminal.screen?.write('\r');
    expect(other.stderr.written).toEqual(['\r']);
  });
});
