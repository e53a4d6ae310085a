// A new worker of the engine. The address stands in one place, so that one file is built of it.

export const spawnEngine = (): Worker => new Worker(new URL('./engine-worker.ts', import.meta.url), { type: 'module' });
