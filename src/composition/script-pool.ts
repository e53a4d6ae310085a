// Opens the threads that the scripts of callers run in, and says how much memory their requests may take.

import { totalmem } from 'node:os';
import { createScriptPool, type ScriptPool } from '../adapters/scripts/script-pool.ts';
import type { ThreadPoolOptions } from '../adapters/scripts/thread-pool.ts';

const MEBIBYTE = 1024 * 1024;
/** Of a machine of 1 GiB 64 MiB are left for bodies, when everything else has what it needs. */
const MEMORY_SHARE = 1 / 16;
const MIN_BODY_BYTES = 64 * MEBIBYTE;
const MAX_BODY_BYTES = 256 * MEBIBYTE;

/** One thread beside those for runs is for editors alone: whoever types never waits for somebody's script. */
export function openScriptPool(options: Partial<ThreadPoolOptions> = {}): ScriptPool {
  return createScriptPool({ editorThreads: 1, thread: new URL('./analysis-thread.ts', import.meta.url), ...options });
}

/** What the bodies of requests may take together, by the memory that this process may have at all. */
export function maxBodyBytes(): number {
  // 0 where nothing but the machine limits it.
  const memory = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
  return Math.min(MAX_BODY_BYTES, Math.max(MIN_BODY_BYTES, memory * MEMORY_SHARE));
}
