// Whoever writes a file in this process takes turns with the others. A step waits for its statements; a second connection that
// wanted to begin one meanwhile would block the very thread that has to end the first, until SQLite's patience is over.

import { SerialQueues } from '../../../timing/serial-queue.ts';

const files = new SerialQueues();

export const inTurn = <T>(path: string, work: () => T | Promise<T>): Promise<T> => files.run(path, work);
