// The file that the threads of the Analysis API start with: the engine, and what reads and answers requests with it.

import { parentPort, workerData } from 'node:worker_threads';
import { openBuiltEngine } from '../adapters/scripts/built-engine.ts';
import { handleRequest } from '../services/analysis/in-thread/handle-request.ts';

if (parentPort === null) throw new Error('analysis-thread.ts runs as a thread of the pool only');
const { serve } = openBuiltEngine() ?? (await import('../adapters/scripts/engine.ts'));
await serve(parentPort, workerData, handleRequest);
