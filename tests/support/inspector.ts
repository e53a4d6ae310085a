// Asks a running process through Node's inspector: what it holds, and what it has loaded.

import type { RunningProcess } from './process.ts';

/** What a process must be started with, so that it can be asked; any free port serves. */
export const ASKABLE = { NODE_OPTIONS: '--inspect=127.0.0.1:0' };

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly url?: string; readonly scriptId?: string };
  readonly result?: { readonly result?: { readonly value: number }; readonly scriptSource?: string };
}

class Inspector {
  readonly #socket: WebSocket;
  readonly #answers: ((result: Message['result']) => void)[] = [];
  readonly #listeners: ((message: Message) => void)[] = [];

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => {
      const message = JSON.parse(String(data)) as Message;
      if (message.id !== undefined) this.#answers[message.id]?.(message.result);
      else for (const listener of this.#listeners) listener(message);
    });
  }

  ask(method: string, params: object = {}): Promise<Message['result']> {
    return new Promise((resolve) => {
      const id = this.#answers.push(resolve) - 1;
      this.#socket.send(JSON.stringify({ id, method, params }));
    });
  }

  hear(listener: (message: Message) => void): void {
    this.#listeners.push(listener);
  }

  /** A number, by its expression in JavaScript. */
  async evaluate(expression: string): Promise<number> {
    return (await this.ask('Runtime.evaluate', { expression }))?.result?.value ?? Number.NaN;
  }
}

async function inspect<T>(server: RunningProcess, look: (inspector: Inspector) => Promise<T>): Promise<T> {
  const address = /Debugger listening on (ws:\/\/\S+)/.exec(server.output())?.[1];
  if (address === undefined) throw new Error('start the process with the settings of ASKABLE');
  const socket = new WebSocket(address);
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = () => reject(new Error(`nobody answers at ${address}`));
  });
  try {
    return await look(new Inspector(socket));
  } finally {
    socket.close();
  }
}

/** The bytes that are really in use, after its garbage is collected. */
export const liveHeapBytes = (server: RunningProcess): Promise<number> =>
  inspect(server, async (inspector) => {
    // What the first round sets free may hold the last reference to something else.
    for (let round = 0; round < 3; round++) await inspector.ask('HeapProfiler.collectGarbage');
    return inspector.evaluate('process.memoryUsage().heapUsed');
  });

/** How long its processors have worked for it since its start. */
export const processorMs = (server: RunningProcess): Promise<number> =>
  inspect(server, async (inspector) =>
    inspector.evaluate('process.cpuUsage().user / 1000 + process.cpuUsage().system / 1000'),
  );

export interface LoadedScript {
  readonly url: string;
  readonly source: string;
}

/** All files that were loaded, with what is in them: what was built of many files is one file with another name. */
export const loadedScripts = (server: RunningProcess): Promise<readonly LoadedScript[]> =>
  inspect(server, async (inspector) => {
    const parsed: { readonly url: string; readonly scriptId: string }[] = [];
    inspector.hear(({ method, params: { url, scriptId } = {} }) => {
      if (method === 'Debugger.scriptParsed' && url?.startsWith('file:') && scriptId !== undefined)
        parsed.push({ url, scriptId });
    });
    await inspector.ask('Debugger.enable');
    return Promise.all(
      parsed.map(async ({ url, scriptId }) => {
        const answer = await inspector.ask('Debugger.getScriptSource', { scriptId });
        return { url, source: answer?.scriptSource ?? '' };
      }),
    );
  });
