// What happens when what is printed cannot be written.

import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { openTerminal } from './terminal.ts';

class FakeOutput extends EventEmitter {
  readonly written: string[] = [];
  isTTY?: boolean;
  columns?: number;
  write(text: string): void {
    this.written.push(text);
  }
}

function opened(change: (stdout: FakeOutput, stderr: FakeOutput) => void = () => {}) {
  const [stdout, stderr] = [new FakeOutput(), new FakeOutput()];
  change(stdout, stderr);
  let faults = 0;
  const terminal = openTerminal(stdout, stderr, () => {
    faults += 1;
  });
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
