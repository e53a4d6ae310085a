// Test client that writes bytes to a socket and collects what comes back, to see exactly what a server sends.
import { connect, type Socket } from 'node:net';

export interface RawClient {
  readonly socket: Socket;
  send(text: string): void;
  /** Resolves with everything received once it matches, or once the server has closed the connection. */
  until(pattern: RegExp): Promise<string>;
  closed(): Promise<string>;
}

export function rawClient(port: number): RawClient {
  const socket = connect({ port, host: '127.0.0.1' });
  let received = '';
  let ended = false;
  const waiting = new Set<() => void>();
  const wake = (): void => {
    for (const look of waiting) look();
  };
  socket.setEncoding('utf8');
  socket.on('data', (text) => {
    received += text;
    wake();
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    ended = true;
    wake();
  });
  const when = (isDone: () => boolean): Promise<string> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (!isDone() && !ended) return;
        waiting.delete(look);
        resolve(received);
      };
      waiting.add(look);
      look();
    });
  return {
    socket,
    send: (text) => {
      socket.write(text);
    },
    until: (pattern) => when(() => pattern.test(received)),
    closed: () => when(() => false),
  };
}
