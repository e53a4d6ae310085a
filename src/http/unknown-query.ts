// Refuses words in the query that an endpoint does not know, where it changes something: a dryRun or a revision that is passed
// over does what nobody asked for.
//
// Behind the owner's door and behind a script key, that is. What strangers and other systems send to (alerts, runs) stays as
// lenient as it was, and so do the specification's own endpoints, which say so themselves.
import type { KitContext } from './context.ts';
import { type Door, doorOf, type EndpointDoc } from './endpoint.ts';
import { Refusal } from './errors.ts';

interface QueryRule {
  /** Of the tables of the services that have such a door. */
  readonly code: string;
  /** What the door itself reads there. */
  readonly known: readonly string[];
}

const OWNERS: QueryRule = { code: 'INVALID_QUERY', known: [] };
const RULES: Partial<Readonly<Record<Door, QueryRule>>> = {
  internal: OWNERS,
  loopback: OWNERS,
  scriptKey: { code: 'UNKNOWN_FIELDS', known: ['key'] },
};

/** Undefined where unknown words are passed over. */
function ruleOf(endpoint: EndpointDoc): QueryRule | undefined {
  if (endpoint.unknownQuery === 'refused') return OWNERS;
  return endpoint.method === 'get' || endpoint.unknownQuery === 'ignored' ? undefined : RULES[doorOf(endpoint)];
}

export function refuseUnknownQuery(c: KitContext, endpoint: EndpointDoc): void {
  const rule = ruleOf(endpoint);
  if (rule === undefined) return;
  const known = Object.keys(endpoint.query?.shape ?? {});
  const unknown = Object.keys(c.req.queries()).filter((name) => ![...known, ...rule.known].includes(name));
  if (unknown.length === 0) return;
  const remedy =
    known.length === 0 ? 'nothing stands in the query here, send it in the body' : `send ${known.join(', ')}`;
  throw new Refusal(rule.code, `query: has unknown fields, remove ${unknown.join(', ')}; ${remedy}`);
}

/** The words for the description of the endpoint; undefined where nothing is refused. */
export function unknownQueryWords(endpoint: EndpointDoc): string | undefined {
  const rule = ruleOf(endpoint);
  return rule && `${rule.code}: a word in the query is not known`;
}
