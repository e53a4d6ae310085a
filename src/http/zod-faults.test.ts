// The words for what a schema finds wrong.
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { zodFaults } from './zod-faults.ts';

function faultsOf(schema: z.ZodType, value: unknown): string[] {
  const parsed = schema.safeParse(value);
  if (parsed.success) throw new Error('this value was expected to be refused');
  return zodFaults(parsed.error, value);
}

describe('a fault', () => {
  test.each([
    [z.object({ a: z.number() }), {}, 'a: is missing, add a number'],
    [z.object({ a: z.object({}) }), {}, 'a: is missing, add an object'],
    [z.object({ a: z.number() }), { a: '1.5' }, 'a: is a number in quotes, drop the quotes in the alert template'],
    [z.object({ a: z.number() }), { a: 'x' }, 'a: is text, send a number without quotes'],
    [z.object({ a: z.number() }), { a: '' }, 'a: is text, send a number without quotes'],
    [z.object({ a: z.number() }), { a: null }, 'a: is null, send a number'],
    [z.object({ a: z.number() }), { a: Number.POSITIVE_INFINITY }, 'a: is too large for a number, send a smaller one'],
    [z.object({ a: z.int() }), { a: 1.5 }, 'a: is not a whole number, round it'],
    [z.object({ a: z.string() }), { a: 1 }, 'a: is a number, put it in double quotes'],
    [z.object({ a: z.string() }), { a: [] }, 'a: is an array, send a string'],
    [z.object({ a: z.boolean() }), { a: 'yes' }, 'a: is a string, send true or false'],
    [z.object({ a: z.number().gt(0) }), { a: 0 }, 'a: is too small, send more than 0'],
    [z.object({ a: z.number().min(1) }), { a: 0 }, 'a: is too small, send at least 1'],
    [z.object({ a: z.number().max(2) }), { a: 3 }, 'a: is too large, send at most 2'],
    [z.object({ a: z.number().lt(2) }), { a: 2 }, 'a: is too large, send less than 2'],
    [z.object({ a: z.string().min(1) }), { a: '' }, 'a: is too short, send at least 1 characters'],
    [z.object({ a: z.string().max(1) }), { a: 'ab' }, 'a: is too long, send at most 1 characters'],
    [z.object({ a: z.array(z.number()).max(1) }), { a: [1, 2] }, 'a: is too large, send at most 1 items'],
    [z.object({ a: z.number().multipleOf(5) }), { a: 3 }, 'a: is not a multiple of 5, round it'],
    [z.object({ a: z.enum(['x', 'y']) }), { a: 'z' }, 'a: has a value that is not allowed, send one of x, y'],
    [z.object({ a: z.enum(['x', 'y']) }), {}, 'a: is missing, send one of x, y'],
    [z.object({ a: z.uuid() }), { a: 'z' }, 'a: is not a UUID, send one such as 123e4567-e89b-42d3-a456-426614174000'],
    [z.object({ a: z.email() }), { a: 'z' }, 'a: is not a valid email, correct it'],
    [
      z.object({ a: z.string().regex(/b/) }),
      { a: 'z' },
      'a: has characters or a form that is not allowed, see the documentation',
    ],
    [z.strictObject({}), { b: 1, c: 2 }, 'body: has unknown fields, remove b, c'],
    [
      z.object({ a: z.union([z.string(), z.number()]) }),
      { a: true },
      'a: has none of the allowed forms, see the documentation',
    ],
    [z.object({ a: z.union([z.string(), z.number()]) }), {}, 'a: is missing, add it'],
    [z.object({}), [], 'body: is an array, send an object'],
    [z.object({ a: z.array(z.object({ b: z.int() })) }), { a: [{ b: 1 }, {}] }, 'a.1.b: is missing, add a number'],
    [z.string().refine(() => false, 'is odd, mend it'), 'x', 'body: is odd, mend it'],
  ])('%#: %s', (schema, value, fault) => {
    expect(faultsOf(schema, value)).toEqual([fault]);
  });

  test('never comes alone when there are several', () => {
    expect(faultsOf(z.object({ a: z.number(), b: z.string() }), {})).toHaveLength(2);
  });

  test('list stays short for a body full of faults', () => {
    const faults = faultsOf(
      z.array(z.number()),
      Array.from({ length: 500 }, () => 'x'),
    );
    expect(faults).toHaveLength(21);
    expect(faults.at(-1)).toBe('and 480 more faults, mend these first');
  });

  test('can be told without the value too', () => {
    const parsed = z.object({ a: z.number() }).safeParse({ a: 'x' });
    if (parsed.success) throw new Error('unexpected');
    expect(zodFaults(parsed.error)).toEqual(['a: is missing, add a number']);
  });

  test('of a quoted number names the place that the service gives', () => {
    const parsed = z.object({ a: z.number() }).safeParse({ a: '1' });
    expect(parsed.error && zodFaults(parsed.error, { a: '1' }, '')).toEqual([
      'a: is a number in quotes, drop the quotes',
    ]);
  });
});
