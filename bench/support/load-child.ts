// Runs the load generator in a process of its own, so that it never shares an event loop with the server it measures.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type LoadOptions, type LoadReport, runLoad } from './load.ts';

export interface ChildLoad {
  load: LoadOptions;
  // A module that exports `createBodies(settings): () => string`; functions cannot cross to another process.
  bodiesModule: URL;
  bodiesSettings?: unknown;
}

interface BodiesModule {
  createBodies(settings: unknown): () => string;
}

interface Order {
  load: LoadOptions;
  bodiesModule: string;
  bodiesSettings?: unknown;
}

export async function runLoadInChild({ load, bodiesModule, bodiesSettings }: ChildLoad): Promise<LoadReport> {
  const child = fork(fileURLToPath(import.meta.url), { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const order: Order = { load, bodiesModule: bodiesModule.href, bodiesSettings };
  child.send(order);
  const report = new Promise<LoadReport>((resolve, reject) => {
    child.once('message', (message) => resolve(message as LoadReport));
    child.once('exit', (code) => reject(new Error(`The load generator ended with code ${code} and no report.`)));
  });
  const result = await report;
  child.disconnect();
  await once(child, 'exit');
  return result;
}

if (process.send !== undefined && process.argv[1] === fileURLToPath(import.meta.url)) {
  process.once('message', async (message) => {
    const { load, bodiesModule, bodiesSettings } = message as Order;
    const { createBodies } = (await import(bodiesModule)) as BodiesModule;
    process.send?.(await runLoad(load, createBodies(bodiesSettings)));
  });
}
