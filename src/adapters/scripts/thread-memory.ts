// How much memory a thread holds: its heap, and the buffers outside of it that its heap keeps alive.

import type { HeapInfo } from 'node:v8';

export const heldBytes = ({ used_heap_size, external_memory }: HeapInfo): number => used_heap_size + external_memory;
