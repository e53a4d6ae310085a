// A TCP proxy in front of a server or of several, whatever they speak: its address stays when they are replaced, and it cuts
// connections, loses answers and lets everything wait.

import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { Random } from '../random.ts';

const HOST = '127.0.0.1';
/** A port on which nobody listens. */
const NOBODY = 1;

export interface CuttingProxy {
  readonly url: string;
  /** The same address through this proxy, whatever its protocol. */
  through(url: string): string;
  /** Where connections go from now on, to each of them in turn. */
  leadTo(urls: readonly string[]): void;
  /** Cuts so many of 100 connections at once, whatever is under way on them. */
  cut(percent: number, random: Random): number;
  /** The next answers get no further than here, and their connections are cut: the signal has arrived, and nobody is told. */
  loseAnswers(count: number): void;
  /** Everything waits so long on its way, in both directions. */
  delay(ms: number): void;
  close(): Promise<void>;
}

export async function openProxy(): Promise<CuttingProxy> {
  let ports: readonly number[] = [];
  let connections = 0;
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
    connections += 1;
    const behind = connect({ port: ports[connections % ports.length] ?? NOBODY, host: HOST, noDelay: true });
    const end = (): void => {
      cutters.delete(end);
      sender.destroy();
      behind.destroy();
    };
    cutters.add(end);
    for (const socket of [sender, behind]) socket.on('error', end).on('close', end);
    pass(sender, behind, () => false);
    pass(behind, sender, () => lostAnswers > 0 && lostAnswers-- > 0);
  });
  server.listen(0, HOST);
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  return {
    url: `http://${HOST}:${address.port}`,
    through: (url) => Object.assign(new URL(url), { port: `${address.port}` }).href,
    leadTo(urls) {
      ports = urls.map((url) => Number(new URL(url).port));
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
