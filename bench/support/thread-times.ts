// Processor time of the threads of a process, as Linux counts it: what others do on the same machine hardly counts.

import { readdirSync, readFileSync } from 'node:fs';

/** Microseconds by the name of a thread; threads of the same name are added up. */
export type ThreadTimes = ReadonlyMap<string, number>;

/** As Node and V8 call their threads. */
const NAMES: Readonly<Record<string, string>> = {
  MainThread: 'event loop',
  node: 'event loop',
  WorkerThread: 'storage thread',
  V8Worker: 'helpers of the garbage collector and the compiler',
};
const OTHERS = 'others';

export function threadTimes(pid: number): ThreadTimes {
  const times = new Map<string, number>();
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const read = (file: string): string => readFileSync(`/proc/${pid}/task/${thread}/${file}`, 'utf8');
    const name = NAMES[read('comm').trim()] ?? OTHERS;
    const nanoseconds = Number(read('schedstat').split(' ')[0]);
    times.set(name, (times.get(name) ?? 0) + nanoseconds / 1000);
  }
  return times;
}
