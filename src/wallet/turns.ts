// Turns: work under one name runs strictly in order, one piece at a time; other names run side by side.

import { SerialQueues } from '../timing/serial-queue.ts';
import { WalletRefusal } from './refusal.ts';

/** More waiting under one name than this is a runaway caller, and each piece holds memory and a connection. */
const MAX_WAITING = 256;

const BUSY = `${MAX_WAITING} requests wait for their turn already; try again soon`;

export interface Turns {
  /** Refused at once when too many wait under this name. */
  take<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** Resolves when nothing runs or waits. */
  idle(): Promise<void>;
}

export function createTurns(): Turns {
  const queues = new SerialQueues();
  return {
    take(name, work) {
      if (queues.size(name) >= MAX_WAITING) return Promise.reject(new WalletRefusal('busy', BUSY));
      return queues.run(name, work);
    },
    idle: () => queues.idle(),
  };
}
