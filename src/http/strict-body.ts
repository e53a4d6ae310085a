// Reads a body that a strict schema describes, or refuses it once with every fault, under the code of the worst kind.
import type { z } from 'zod';
import type { KitContext } from './context.ts';
import { Refusal } from './errors.ts';
import { type JsonBounds, parseJsonBody } from './json-body.ts';
import { readBody } from './read-body.ts';
import { zodFaults } from './zod-faults.ts';

/** The key-authenticated services tell the kinds of faults apart; each of their tables has these rows. */
export type BodyFaultCode = 'INVALID_BODY' | 'UNKNOWN_FIELDS' | 'MISSING_FIELD' | 'INVALID_FIELD';

export interface StrictBodyOptions {
  limitBytes?: number;
  /** What an empty body stands for, where one may be left out. */
  whenEmpty?: unknown;
}

export async function readStrict<T>(
  c: KitContext,
  schema: z.ZodType<T>,
  { limitBytes, whenEmpty }: StrictBodyOptions = {},
): Promise<T> {
  const bytes = await readBody(c, limitBytes);
  if (bytes.length === 0 && whenEmpty !== undefined) return checkStrict(schema, whenEmpty);
  return checkStrict(schema, parseStrict(bytes));
}

export function parseStrict(bytes: Uint8Array, bounds?: JsonBounds): unknown {
  const parsed = parseJsonBody(bytes, bounds);
  if (!parsed.ok) throw bodyFault('INVALID_BODY', parsed.message);
  return parsed.value;
}

/** `at` is where the value stands in the body, for the words: `requests.3`. */
export function checkStrict<T>(schema: z.ZodType<T>, value: unknown, at = ''): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const faults = zodFaults(parsed.error, value, '').map((fault) => placed(fault, at));
  throw bodyFault(codeOf(parsed.error, value, at === ''), faults.join('; '));
}

const placed = (fault: string, at: string): string =>
  at === '' || fault.startsWith('and ') ? fault : fault.startsWith('body: ') ? at + fault.slice(4) : `${at}.${fault}`;

const bodyFault = (code: BodyFaultCode, message: string): Refusal<BodyFaultCode> => new Refusal(code, message);

/** An unknown name comes first: it often is the missing one, misspelt. */
function codeOf({ issues }: z.ZodError, value: unknown, isWhole: boolean): BodyFaultCode {
  const isNoObject = issues.some(({ code, path }) => path.length === 0 && code === 'invalid_type');
  if (isNoObject) return isWhole ? 'INVALID_BODY' : 'INVALID_FIELD';
  if (issues.some(({ code }) => code === 'unrecognized_keys')) return 'UNKNOWN_FIELDS';
  return issues.some(({ path }) => isMissing(value, path)) ? 'MISSING_FIELD' : 'INVALID_FIELD';
}

function isMissing(root: unknown, path: readonly PropertyKey[]): boolean {
  let value = root;
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return true;
    value = (value as Record<PropertyKey, unknown>)[step];
  }
  return value === undefined;
}
