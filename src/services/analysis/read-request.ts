// From the bytes of a body to a checked request, or one refusal that lists every fault and has the code of the first kind.

import type { z } from 'zod';
import type { KitContext } from '../../http/context.ts';
import { Refusal } from '../../http/errors.ts';
import { parseJsonBody } from '../../http/json-body.ts';
import { readBody } from '../../http/read-body.ts';
import { zodFaults } from '../../http/zod-faults.ts';
import type { AnalysisErrorCode } from './errors.ts';

export type AnalysisRefusal = Refusal<AnalysisErrorCode>;

export const refusal = (
  code: AnalysisErrorCode,
  message?: string,
  options?: ConstructorParameters<typeof Refusal>[2],
): AnalysisRefusal => new Refusal(code, message, options);

export function parseBody(bytes: Uint8Array): unknown {
  const parsed = parseJsonBody(bytes);
  if (!parsed.ok) throw refusal('INVALID_BODY', parsed.message);
  return parsed.value;
}

export async function readRequest<T>(c: KitContext, schema: z.ZodType<T>, limitBytes?: number): Promise<T> {
  return checked(schema, parseBody(await readBody(c, limitBytes)));
}

/** `at` is where the value stands in the body, for the words: `requests.3`. */
export function checked<T>(schema: z.ZodType<T>, value: unknown, at = ''): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const faults = zodFaults(parsed.error, value, '').map((fault) => placed(fault, at));
  throw refusal(codeOf(parsed.error, value, at === ''), faults.join('; '));
}

const placed = (fault: string, at: string): string =>
  at === '' || fault.startsWith('and ') ? fault : fault.startsWith('body: ') ? at + fault.slice(4) : `${at}.${fault}`;

/** An unknown name comes first: it often is the missing one, misspelt. */
function codeOf({ issues }: z.ZodError, value: unknown, isWhole: boolean): AnalysisErrorCode {
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
