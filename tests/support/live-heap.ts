// How many bytes of a running process are really in use: asked through Node's inspector, after its garbage is collected.

import type { RunningProcess } from './process.ts';

/** What a process must be started with, so that it can be asked; any free port serves. */
export const ASKABLE = { NODE_OPTIONS: '--inspect=127.0.0.1:0' };

interface Evaluated {
  readonly id: number;
  readonly result: { readonly result?: { readonly value: number } };
}

export async function liveHeapBytes(server: RunningProcess): Promise<number> {
  const address = /Debugger listening on (ws:\/\/\S+)/.exec(server.output())?.[1];
  if (address === undefined) throw new Error('start the process with the settings of ASKABLE');
  const socket = new WebSocket(address);
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = () => reject(new Error(`nobody answers at ${address}`));
  });
  let lastId = 0;
  const ask = (method: string, params: object = {}): Promise<Evaluated['result']> =>
    new Promise((resolve) => {
      const id = ++lastId;
      socket.addEventListener('message', ({ data }) => {
        const answer = JSON.parse(String(data)) as Evaluated;
        if (answer.id === id) resolve(answer.result);
      });
      socket.send(JSON.stringify({ id, method, params }));
    });
  try {
    // What the first round sets free may hold the last reference to something else.
    for (let round = 0; round < 3; round++) await ask('HeapProfiler.collectGarbage');
    const { result } = await ask('Runtime.evaluate', { expression: 'process.memoryUsage().heapUsed' });
    return result?.value ?? Number.NaN;
  } finally {
    socket.close();
  }
}
