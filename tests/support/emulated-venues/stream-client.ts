// A caller of an emulated venue's WebSocket for tests: it writes down what it hears.

import { once } from 'node:events';
import { WebSocket } from 'ws';

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the venue has said
export type Heard = any;

export interface StreamClient {
  readonly heard: readonly Heard[];
  say(message: object): void;
  /** Waits for the first message, heard or still to come, that this is true of. */
  hear(isMeant: (message: Heard) => boolean): Promise<Heard>;
  readonly closed: Promise<number>;
  close(): void;
}

export async function openStream(url: string): Promise<StreamClient> {
  const socket = new WebSocket(url);
  const heard: Heard[] = [];
  const waiting = new Set<() => void>();
  socket.on('message', (data) => {
    heard.push(JSON.parse(String(data)));
    for (const look of waiting) look();
  });
  const closed = new Promise<number>((resolve) => socket.on('close', resolve));
  await once(socket, 'open');
  return {
    heard,
    closed,
    say: (message) => socket.send(JSON.stringify(message)),
    close: () => socket.close(),
    hear: (isMeant) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = heard.find(isMeant);
          if (found === undefined) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      }),
  };
}
