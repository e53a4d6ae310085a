// The watch: one look at every lane after the other pause, told of an outage once and not with every look.

import { type ChainName, ChainUnreachable } from './chain.ts';
import type { Lane } from './lane.ts';

export interface Watch {
  start(): void;
  look(): Promise<void>;
  stop(): void;
}

export interface WatchParts {
  readonly lanes: ReadonlyMap<ChainName, Lane>;
  /** Proves that the chain is the one it is called. */
  readonly open: (name: ChainName) => Promise<unknown>;
  readonly pollMs: number;
  readonly onTrouble: (what: string, error: unknown) => void;
}

export function createWatch({ lanes, open, pollMs, onTrouble }: WatchParts): Watch {
  const unreachable = new Set<ChainName>();
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  async function lookAt(name: ChainName, lane: Lane): Promise<void> {
    try {
      if ((await lane.live()).length === 0) return;
      await open(name);
      await lane.look();
      unreachable.delete(name);
    } catch (error) {
      const isKnown = unreachable.has(name);
      if (error instanceof ChainUnreachable) unreachable.add(name);
      if (!(error instanceof ChainUnreachable && isKnown))
        onTrouble(`the transactions on ${name} cannot be followed`, error);
    }
  }

  async function look(): Promise<void> {
    await Promise.all([...lanes].map(([name, lane]) => lookAt(name, lane)));
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
