// Writes bytes to a port, ends the connection in one way or another, and collects what comes back until the other side closes.

import { connect } from 'node:net';

/** Longer than an answer may take; who does not close by then holds the connection of a client that has left. */
const PATIENCE_MS = 8000;

/** Says that nothing more comes, says so when an answer has had its time, leaves at once, or waits for the other side to close. */
export type Ending = 'half' | 'late' | 'cut' | 'theirs';

/** Whoever says at once that nothing more comes is taken for gone, and what he sent for given up. */
const LATE_MS = 100;

export interface Exchange {
  readonly answer: string;
  /** False where the other side kept the connection although nothing could come any more. */
  readonly isClosed: boolean;
}

export function exchange(
  port: number,
  pieces: readonly Buffer[],
  ending: Ending = 'half',
  isGreeted = false,
): Promise<Exchange> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    let answer = '';
    const end = (isClosed: boolean): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ answer, isClosed });
    };
    const timer = setTimeout(() => end(false), PATIENCE_MS);
    socket.setEncoding('latin1');
    socket.on('data', (text) => {
      // Pictures and pages are long, and their first bytes say enough.
      if (answer.length < 20_000) answer += text;
    });
    socket.on('error', () => {});
    socket.on('close', () => end(true));
    // Who is greeted first, as in SMTP, and talks before that is sent away.
    socket.once(isGreeted ? 'data' : 'connect', () => {
      for (const piece of pieces) socket.write(piece);
      if (ending === 'cut') socket.destroySoon();
      if (ending === 'half') socket.end();
      if (ending === 'late') setTimeout(() => socket.end(), LATE_MS);
    });
  });
}
