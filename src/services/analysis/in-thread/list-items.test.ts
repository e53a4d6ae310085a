// Cutting a list into its items: as they were written, each in memory of its own.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { itemsOf } from './list-items.ts';

const cut = (json: string): string[] => itemsOf(Buffer.from(json)).map((item) => Buffer.from(item).toString());

it.each([
  ['{"requests":[]}', ['']],
  ['{"requests":[1]}', ['1']],
  ['{ "requests" : [ 1.0 , 1e400,{"a":[1,2],"b":{"c":[]}} ] }', [' 1.0 ', ' 1e400', '{"a":[1,2],"b":{"c":[]}} ']],
  ['{"requests":["a,]b","\\"]," , "\\\\"]}', ['"a,]b"', '"\\"]," ', ' "\\\\"']],
])('%s', (json, items) => {
  expect(cut(json)).toEqual(items);
});

it('gives every item back as it was, whatever it is', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue({ maxDepth: 3 }), { minLength: 1 }), fc.nat(2), (values, space) => {
      const items = cut(JSON.stringify({ requests: values }, null, space));
      expect(items.map((item) => JSON.stringify(JSON.parse(item)))).toEqual(
        values.map((value) => JSON.stringify(value)),
      );
    }),
  );
});

it('can be handed on one by one: no item shares its memory', () => {
  for (const item of itemsOf(Buffer.from('{"requests":[1,2]}'))) expect(item.buffer.byteLength).toBe(item.length);
});
