// What the built engine holds: all that a thread of the pool needs, the compiler and the runtime with it.

export { barColumns, compile } from '../../pine/index.ts';
export { createJobRunner } from './run-job.ts';
export { serve } from './worker.ts';
