// The watch: looks at the transactions of every chain at regular times, and tells of an outage once, not with every look.

import { type ChainName, ChainUnreachable } from './chain.ts';
import type { NonceQueue } from './nonce-queue.ts';

export interface Watch {
  start(): void;
  look(): Promise<void>;
  stop(): void;
}

export interface WatchParts {
  readonly queues: ReadonlyMap<ChainName, NonceQueue>;
  /** Proves that the chain is the one it is called. */
  readonly open: (name: ChainName) => Promise<unknown>;
  readonly pollMs: number;
  readonly onTrouble: (what: string, error: unknown) => void;
}

export function createWatch({ queues, open, pollMs, onTrouble }: WatchParts): Watch {
  const unreachable = new Set<ChainName>();
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  async function lookAt(name: ChainName, queue: NonceQueue): Promise<void> {
    try {
      if ((await queue.live()).length === 0) return;
      await open(name);
      await queue.look();
      unreachable.delete(name);
    } catch (error) {
      const isKnown = unreachable.has(name);
      if (error instanceof ChainUnreachable) unreachable.add(name);
      if (!(error instanceof ChainUnreachable && isKnown))
        onTrouble(`the transactions on ${name} cannot be followed`, error);
    }
  }

  async function look(): Promise<void> {
    await Promise.all([...queues].map(([name, queue]) => lookAt(name, queue)));
  }

  function start(): void {
    timer = setTimeout(() => {
      void look().finally(() => {
        if (!stopped) start();
      });
    }, pollMs);
    timer.unref();
  }

  return {
    start,
    look,
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
