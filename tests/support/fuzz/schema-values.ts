// Values as a JSON Schema of openapi.json describes them, drawn at random.

import fc from 'fast-check';
import type { Random } from '../random.ts';

/** The words of JSON Schema that the program's description uses. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly example?: unknown;
  readonly default?: unknown;
}

const OPTIONAL_PERCENT = 30;
const DEEPEST = 6;
/** To draw texts of a pattern is slow, so each pattern has some. */
const TEXTS_PER_PATTERN = 30;
const textsOfPatterns = new Map<string, readonly string[]>();

/** What callers usually send: a market, an exchange, a length of bars, a name. */
const USUAL_TEXTS = ['BTCUSDT', 'ETHUSDT', 'binance', 'main', '1h', 'Test', 'plot(close)', '2026-01-01'] as const;

export function drawValue(schema: Schema, random: Random, depth = 0): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return pick(schema.enum, random);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return drawValue(pick(choices, random), random, depth);
  const type = typeof schema.type === 'object' ? pick(schema.type, random) : schema.type;
  if (type === 'object') return objectOf(schema, random, depth);
  if (type === 'array') return listOf(schema, random, depth);
  if (type === 'string') return textOf(schema, random);
  if (type === 'integer' || type === 'number') return numberOf(schema, random, type === 'integer');
  if (type === 'boolean') return random.chance(50);
  return type === 'null' ? null : random.of([null, 1, 'text', true]);
}

function pick<T>(items: readonly T[], random: Random): T {
  return items[random.between(0, items.length - 1)] as T;
}

function objectOf({ properties = {}, required = [], additionalProperties }: Schema, random: Random, depth: number) {
  const made: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(properties))
    if (required.includes(name) || (depth < DEEPEST && random.chance(OPTIONAL_PERCENT)))
      made[name] = drawValue(schema, random, depth + 1);
  if (typeof additionalProperties === 'object' && depth < DEEPEST)
    for (let left = random.between(0, 3); left > 0; left -= 1)
      made[random.of(USUAL_TEXTS)] = drawValue(additionalProperties, random, depth + 1);
  return made;
}

function listOf({ items = {}, minItems = 0, maxItems = 10 }: Schema, random: Random, depth: number): unknown[] {
  const most = Math.max(minItems, Math.min(maxItems, minItems + 3));
  return Array.from({ length: random.between(minItems, most) }, () => drawValue(items, random, depth + 1));
}

function textOf({ pattern, minLength = 0, maxLength = 40 }: Schema, random: Random): string {
  if (pattern !== undefined && random.chance(70)) return pick(textsOf(pattern), random);
  // At its limits now and then.
  if (random.chance(5)) return 'a'.repeat(random.of([minLength, Math.min(maxLength, 100_000)]));
  return random.of(USUAL_TEXTS);
}

function textsOf(pattern: string): readonly string[] {
  const known = textsOfPatterns.get(pattern);
  if (known !== undefined) return known;
  const made = drawn(pattern);
  textsOfPatterns.set(pattern, made);
  return made;
}

/** The same texts in every run, so that a seed says everything. Classes of Unicode are more than the drawer knows. */
function drawn(pattern: string): readonly string[] {
  try {
    return fc.sample(fc.stringMatching(new RegExp(pattern)), { numRuns: TEXTS_PER_PATTERN, seed: 1 });
  } catch {
    return USUAL_TEXTS;
  }
}

function numberOf(schema: Schema, random: Random, isWhole: boolean): number {
  const least =
    schema.minimum ?? (schema.exclusiveMinimum === undefined ? -1000 : schema.exclusiveMinimum + (isWhole ? 1 : 1e-6));
  const most = Math.max(least, schema.maximum ?? schema.exclusiveMaximum ?? 1e6);
  if (random.chance(15)) return random.of([least, most]);
  // Small ones mostly: a quantity of a trillion is refused by what it costs.
  const span = Math.min(most - least, random.of([1, 10, 1000, 1e6]));
  const value = least + random.next() * span;
  return isWhole ? Math.floor(value) : value;
}
