// The terminal, pipe or file behind standard output and standard error, as the command line uses it.

import type { CliHost, Screen } from './host.ts';

/** Of a terminal, for output that goes to none. */
const USUAL_COLUMNS = 80;

/** What is used of a stream of the process. */
interface Output {
  /** False when what was written before has not left yet. */
  write(text: string | Uint8Array): unknown;
  on(event: 'error', listener: (error: NodeJS.ErrnoException) => void): unknown;
  once(event: 'drain' | 'error', listener: () => void): unknown;
  off(event: 'drain' | 'error', listener: () => void): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** `onFault` is told once when what is printed cannot be written, to a full disk for example. */
export function openTerminal(
  stdout: Output,
  stderr: Output,
  { onFault, onInterrupt }: { onFault(): void } & Pick<Screen, 'onInterrupt'>,
): Pick<CliHost, 'out' | 'pour' | 'err' | 'isTty' | 'screen' | 'columns'> {
  const { line: err } = openOutput(stderr, () => {});
  const { line: out, pour } = openOutput(stdout, (error) => {
    onFault();
    err(`The output cannot be written: ${error.message}`);
  });
  return {
    out,
    pour,
    err,
    isTty: stdout.isTTY === true,
    screen:
      stderr.isTTY === true
        ? { write: (text) => void stderr.write(text), columns: stderr.columns || USUAL_COLUMNS, onInterrupt }
        : undefined,
    columns: stdout.columns || USUAL_COLUMNS,
  };
}

/** After a fault the rest is dropped. A reader who has seen enough (`| head`) is none. */
function openOutput(output: Output, onFault: (error: Error) => void): Pick<CliHost, 'pour'> & { line: CliHost['out'] } {
  let isBroken = false;
  output.on('error', (error) => {
    if (!isBroken && error.code !== 'EPIPE') onFault(error);
    isBroken = true;
  });
  return {
    line(text) {
      if (!isBroken) output.write(`${text}\n`);
    },
    async pour(pieces) {
      for (const piece of pieces) {
        if (isBroken) return;
        if (output.write(piece) === false) await drained(output);
      }
    },
  };
}

/** When the output takes more again, or never will. */
function drained(output: Output): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      output.off('drain', settle);
      output.off('error', settle);
      resolve();
    };
    output.once('drain', settle);
    output.once('error', settle);
  });
}
