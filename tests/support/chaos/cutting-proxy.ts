// A TCP proxy between senders and a process: its address stays when the process is replaced, and it cuts connections, loses answers
// and lets everything wait.

import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { Random } from '../random.ts';

const HOST = '127.0.0.1';

export interface CuttingProxy {
  readonly url: string;
  /** Where connections go from now on. */
  leadTo(url: string): void;
  /** Cuts so many of 100 connections at once, whatever is under way on them. */
  cut(percent: number, random: Random): number;
  /** The next answers get no further than here, and their connections are cut: the signal has arrived, and nobody is told. */
  loseAnswers(count: number): void;
  /** Everything waits so long on its way, in both directions. */
  delay(ms: number): void;
  close(): Promise<void>;
}

export async function openProxy(): Promise<CuttingProxy> {
  let port = 1;
  let delayMs = 0;
  let lostAnswers = 0;
  const cutters = new Set<() => void>();

  const pass = (from: Socket, to: Socket, isLost: () => boolean): void => {
    // What comes later leaves later, also where it has to wait for less.
    let freeAtMs = 0;
    from.on('data', (bytes) => {
      const nowMs = performance.now();
      freeAtMs = Math.max(freeAtMs, nowMs + delayMs);
      if (isLost()) from.destroy();
      else if (freeAtMs === nowMs) to.write(bytes);
      else setTimeout(() => to.write(bytes), freeAtMs - nowMs);
    });
  };
  const server = createServer({ noDelay: true }, (sender) => {
    const process = connect({ port, host: HOST, noDelay: true });
    const end = (): void => {
      cutters.delete(end);
      sender.destroy();
      process.destroy();
    };
    cutters.add(end);
    for (const socket of [sender, process]) socket.on('error', end).on('close', end);
    pass(sender, process, () => false);
    pass(process, sender, () => lostAnswers > 0 && lostAnswers-- > 0);
  });
  server.listen(0, HOST);
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  return {
    url: `http://${HOST}:${address.port}`,
    leadTo(url) {
      port = Number(new URL(url).port);
    },
    cut(percent, random) {
      const chosen = [...cutters].filter(() => random.chance(percent));
      for (const end of chosen) end();
      return chosen.length;
    },
    loseAnswers(count) {
      lostAnswers = count;
    },
    delay(ms) {
      delayMs = ms;
    },
    async close() {
      for (const end of [...cutters]) end();
      server.close();
      await once(server, 'close');
    },
  };
}
