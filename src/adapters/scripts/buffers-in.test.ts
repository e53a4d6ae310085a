// Which buffers of an outcome change hands.

import { describe, expect, it } from 'vitest';
import { buffersIn } from './buffers-in.ts';

describe('the buffers of an outcome', () => {
  it('are found in objects, lists and maps, each once', () => {
    const first = new Float64Array(4);
    const second = new Float64Array(2);
    const outcome = {
      plots: first,
      series: new Map([
        ['a', first],
        ['b', first.subarray(1)],
      ]),
      list: [{ deep: { column: second } }],
      text: 'x',
      none: null,
      missing: undefined,
    };
    expect(new Set(buffersIn(outcome))).toEqual(new Set([first.buffer, second.buffer]));
    expect(buffersIn(outcome)).toHaveLength(2);
  });

  it('that are shared stay where they are', () => {
    expect(buffersIn([new Float64Array(new SharedArrayBuffer(8))])).toEqual([]);
  });

  it('are found also where the data comes round to itself, or is nested deeply', () => {
    const loop: Record<string, unknown> = { column: new Float64Array(1) };
    loop.self = loop;
    let deep: unknown = loop;
    for (let i = 0; i < 100_000; i += 1) deep = [deep];
    expect(buffersIn(deep)).toHaveLength(1);
  });
});
