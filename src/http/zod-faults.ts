// Says in words what a schema found wrong: one sentence per fault, each with what to do.
import type { z } from 'zod';
import { maskSecrets } from './mask-secrets.ts';

type Issue = z.core.$ZodIssue;

/** A hostile body could hold a fault per item; the first ones are enough to mend it. */
const MAX_FAULTS = 20;

/**
 * The value that was checked makes the sentences better: it tells "missing" from "wrong", and "quoted" from "text".
 * `quotesIn` names the place where quotes around a number are to be dropped.
 */
export function zodFaults(error: z.ZodError, value?: unknown, quotesIn = ' in the alert template'): string[] {
  const issues = error.issues.flatMap((issue) => formMeant(issue));
  const faults = issues.slice(0, MAX_FAULTS).map((issue) => sentence(issue, value, quotesIn));
  const rest = issues.length - MAX_FAULTS;
  return rest > 0 ? [...faults, `and ${rest} more faults, mend these first`] : faults;
}

/** Of a field with several forms, the faults of the form that was sent: the others are of another type altogether. */
function formMeant(issue: Issue): readonly Issue[] {
  if (issue.code !== 'invalid_union') return [issue];
  const meant = issue.errors.filter(
    (form) => !form.some(({ code, path }) => code === 'invalid_type' && path.length === 0),
  );
  if (meant.length !== 1) return [issue];
  return (meant[0] ?? []).map((fault) => ({ ...fault, path: [...issue.path, ...fault.path] }));
}

function sentence(issue: Issue, root: unknown, quotesIn: string): string {
  const field = issue.path.length === 0 ? 'body' : issue.path.map(String).join('.');
  return `${field}: ${describe(issue, valueAt(root, issue.path), quotesIn)}`;
}

function describe(issue: Issue, value: unknown, quotesIn: string): string {
  switch (issue.code) {
    case 'invalid_type':
      return wrongType(issue.expected, value, quotesIn);
    case 'too_small':
      return `is too ${issue.origin === 'string' ? 'short' : 'small'}, send ${bound(issue.origin, issue.minimum, issue.inclusive, 'at least', 'more than')}`;
    case 'too_big':
      return `is too ${issue.origin === 'string' ? 'long' : 'large'}, send ${bound(issue.origin, issue.maximum, issue.inclusive, 'at most', 'less than')}`;
    case 'invalid_value':
      if (value === undefined) return `is missing, send one of ${list(issue.values)}`;
      return `has a value that is not allowed, send one of ${list(issue.values)}`;
    case 'invalid_format':
      return wrongFormat(issue.format, issue.message);
    case 'not_multiple_of':
      return `is not a multiple of ${issue.divisor}, round it`;
    case 'unrecognized_keys':
      return `has unknown fields, remove ${maskSecrets(issue.keys.join(', '))}`;
    case 'invalid_union':
      if (value === undefined) return 'is missing, add it';
      return OWN_WORDS_OF_ZOD.test(issue.message)
        ? 'has none of the allowed forms, see the documentation'
        : issue.message;
    default:
      return issue.message;
  }
}

function wrongType(expected: string, value: unknown, quotesIn: string): string {
  if (value === undefined) return `is missing, add ${noun(expected)}`;
  const wantsNumber = expected === 'number' || expected === 'int';
  if (wantsNumber && typeof value === 'string') {
    return value.trim() !== '' && Number.isFinite(Number(value))
      ? `is a number in quotes, drop the quotes${quotesIn}`
      : 'is text, send a number without quotes';
  }
  if (wantsNumber && typeof value === 'number') {
    return Number.isFinite(value) ? 'is not a whole number, round it' : 'is too large for a number, send a smaller one';
  }
  if (expected === 'string' && typeof value === 'number') return 'is a number, put it in double quotes';
  return `is ${noun(kindOf(value))}, send ${noun(expected)}`;
}

/** A pattern explains itself to nobody: where the schema has words of its own, they are better. */
const OWN_WORDS_OF_ZOD = /^Invalid /;

function wrongFormat(format: string, message: string): string {
  if (format === 'regex') {
    return OWN_WORDS_OF_ZOD.test(message)
      ? 'has characters or a form that is not allowed, see the documentation'
      : message;
  }
  if (format === 'uuid' || format === 'guid') {
    return 'is not a UUID, send one such as 123e4567-e89b-42d3-a456-426614174000';
  }
  return `is not a valid ${format}, correct it`;
}

function bound(
  origin: string,
  limit: number | bigint,
  inclusive: boolean | undefined,
  at: string,
  past: string,
): string {
  const words = inclusive === false ? past : at;
  if (origin === 'string') return `${words} ${limit} characters`;
  if (origin === 'array' || origin === 'set') return `${words} ${limit} items`;
  return `${words} ${limit}`;
}

function noun(kind: string): string {
  if (kind === 'null') return 'null';
  if (kind === 'int') return 'a whole number';
  if (kind === 'record') return 'an object';
  if (kind === 'boolean') return 'true or false';
  return /^[aeiou]/.test(kind) ? `an ${kind}` : `a ${kind}`;
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function list(values: readonly unknown[]): string {
  return values.map(String).join(', ');
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  let value = root;
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Record<PropertyKey, unknown>)[step];
  }
  return value;
}
