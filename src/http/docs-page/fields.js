// Turns the schemas of the document into the rows of its tables.
import { element } from './elements.js';

/** Deeper fields are in openapi.json; a table of them would be read by nobody. */
const MAX_DEPTH = 3;

function resolve(spec, schema) {
  if (!schema?.$ref) return schema ?? {};
  const steps = schema.$ref.slice(2).split('/');
  return steps.reduce((node, step) => node?.[step], spec) ?? {};
}

export function typeOf(schema) {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const forms = schema.anyOf ?? schema.oneOf;
  if (forms) return forms.map(typeOf).join(' | ');
  if (schema.type === 'array') return `list of ${typeOf(schema.items ?? {})}`;
  const name = Array.isArray(schema.type) ? schema.type.join(' | ') : (schema.type ?? 'any');
  return schema.format ? `${name} (${schema.format})` : name;
}

function range(least, most, unit) {
  const [from, to] = [least, most].map((bound) => bound?.toLocaleString('en'));
  if (from !== undefined && to !== undefined) return `${from} to ${to}${unit}`;
  if (from !== undefined) return `at least ${from}${unit}`;
  return to === undefined ? undefined : `at most ${to}${unit}`;
}

/** Whole numbers are bounded by what a number can hold; saying so would only puzzle. */
function bound(limit) {
  return Math.abs(limit) === Number.MAX_SAFE_INTEGER ? undefined : limit;
}

export function rulesOf(schema) {
  const rules = [
    schema.exclusiveMinimum === undefined ? undefined : `greater than ${schema.exclusiveMinimum}`,
    range(bound(schema.minimum), bound(schema.maximum), ''),
    range(schema.minLength, schema.maxLength, ' characters'),
    range(schema.minItems, schema.maxItems, ' items'),
    schema.default === undefined ? undefined : `default ${JSON.stringify(schema.default)}`,
  ];
  const known = rules.filter((rule) => rule !== undefined).join(', ');
  if (!schema.description) return known;
  return known === '' ? schema.description : `${schema.description} (${known})`;
}

/** The object a field leads to: itself, the form that is not null, or what a list is made of. */
function insideOf(spec, given) {
  const schema = resolve(spec, given);
  if (schema.properties) return [schema, '.'];
  if (schema.type === 'array') return [insideOf(spec, schema.items)[0], '[].'];
  const form = (schema.anyOf ?? schema.oneOf ?? []).find((candidate) => resolve(spec, candidate).properties);
  return [resolve(spec, form), '.'];
}

export function fieldRows(spec, given, prefix = '', depth = 0) {
  const schema = resolve(spec, given);
  const rows = [];
  for (const [name, child] of Object.entries(schema.properties ?? {})) {
    const field = resolve(spec, child);
    const required = (schema.required ?? []).includes(name) ? 'yes' : 'no';
    rows.push([element('code', {}, prefix + name), typeOf(field), required, rulesOf(field)]);
    const [inside, joint] = insideOf(spec, field);
    if (inside.properties && depth < MAX_DEPTH) rows.push(...fieldRows(spec, inside, prefix + name + joint, depth + 1));
  }
  return rows;
}
