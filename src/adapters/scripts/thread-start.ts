// The file that a thread of the pool starts with: it takes the engine as it was built, else its sources.

import { parentPort, workerData } from 'node:worker_threads';
import { openBuiltEngine } from './built-engine.ts';

if (parentPort === null) throw new Error('thread-start.ts runs as a thread of the pool only');
const { serve } = openBuiltEngine() ?? (await import('./engine.ts'));
await serve(parentPort, workerData);
