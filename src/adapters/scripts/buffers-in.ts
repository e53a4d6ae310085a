// Finds the buffers in an outcome, so that they change hands instead of being copied.

/** Plain data of any depth; each buffer once, and none that is shared already. */
export function buffersIn(value: unknown): ArrayBuffer[] {
  const buffers = new Set<ArrayBuffer>();
  const seen = new Set<object>();
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== 'object' || next === null || seen.has(next)) continue;
    seen.add(next);
    if (ArrayBuffer.isView(next)) {
      if (next.buffer instanceof ArrayBuffer) buffers.add(next.buffer);
    } else for (const part of next instanceof Map ? next.values() : Object.values(next)) open.push(part);
  }
  return [...buffers];
}
