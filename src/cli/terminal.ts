// The terminal, pipe or file behind standard output and standard error, as the command line uses it.

import type { CliHost } from './host.ts';

/** Of a terminal, for output that goes to none. */
const USUAL_COLUMNS = 80;

/** What is used of a stream of the process. */
interface Output {
  write(text: string): unknown;
  on(event: 'error', listener: (error: NodeJS.ErrnoException) => void): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** `onFault` is told once when what is printed cannot be written, to a full disk for example. */
export function openTerminal(
  stdout: Output,
  stderr: Output,
  onFault: () => void,
): Pick<CliHost, 'out' | 'err' | 'isTty' | 'screen' | 'columns'> {
  const err = lineWriter(stderr, () => {});
  return {
    out: lineWriter(stdout, (error) => {
      onFault();
      err(`The output cannot be written: ${error.message}`);
    }),
    err,
    isTty: stdout.isTTY === true,
    screen: stderr.isTTY === true ? { write: (text) => void stderr.write(text) } : undefined,
    columns: stdout.columns ?? USUAL_COLUMNS,
  };
}

/** After a fault the rest is dropped. A reader who has seen enough (`| head`) is none. */
function lineWriter(output: Output, onFault: (error: Error) => void): (line: string) => void {
  let isBroken = false;
  output.on('error', (error) => {
    if (!isBroken && error.code !== 'EPIPE') onFault(error);
    isBroken = true;
  });
  return (line) => {
    if (!isBroken) output.write(`${line}\n`);
  };
}
