// Reads query parameters by schema; a parameter given twice, unknown or out of range is refused in words.

import { z } from 'zod';
import type { KitContext } from '../../http/context.ts';
import { Refusal } from '../../http/errors.ts';
import { zodFaults } from '../../http/zod-faults.ts';

/** Of a list that has no filters: one that is ignored would look as if it had filtered. */
export const NO_QUERY = z.strictObject({});

export function readQuery<T>(c: KitContext, schema: z.ZodType<T>): T {
  const given = c.req.queries();
  const twice = Object.keys(given).filter((name) => (given[name]?.length ?? 0) > 1);
  if (twice.length > 0) throw new Refusal('INVALID_QUERY', `${twice.join(', ')}: given more than once, send it once`);
  const value = c.req.query();
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const faults = zodFaults(parsed.error, value).map((fault) => fault.replace(/^body: /, 'query: '));
  throw new Refusal('INVALID_QUERY', faults.join('; '));
}
