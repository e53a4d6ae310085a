// Ways to break the product, so that chaos can be tried against them: accounts of one venue are mixed up, or signals that were taken come
// to nothing. A process that is told to break does so with its sources as it loads them; nothing on the disk changes.

import { writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { freshDataDir } from '../process.ts';

/** Of what the product is made of. */
export interface Change {
  /** The end of the path of a source. */
  readonly path: string;
  readonly from: string;
  readonly to: string;
}

const OPENING = 'src/adapters/venues/live-accounts.ts';
const ADAPTER = 'const adapter = createAdapter({ ...parts, client });';
const URGENT = 'const urgentAdapter = createAdapter({ ...parts, client: client.urgent });';

/** What every account takes from the adapter of whichever was opened first at its venue. */
const borrowed = (what: string): Change => ({
  path: OPENING,
  from: `    ${ADAPTER}\n    ${URGENT}`,
  to: [ADAPTER, URGENT]
    .join('\n')
    .concat(
      '\nconst known = ((globalThis as any).firstAdapters ??= new Map()) as Map<string, any>;',
      "\nconst first = account === 'main' ? known.set(exchange, adapter).get(exchange) : known.get(exchange);",
      `\nif (first !== undefined) for (const each of [adapter, urgentAdapter]) Object.assign(each, ${what});`,
    ),
});

export const BREAKS = {
  'the credentials of main': {
    path: 'src/composition/live-accounts.ts',
    from: 'const credentials = await credentialsOf(account, parts);',
    to: "const credentials = await credentialsOf({ ...account, account: 'main', credentialsFrom: 'environment' }, parts);",
  },
  'orders are looked up at main': borrowed('{ order: first.order }'),
  'positions are those of main': borrowed('{ positions: first.positions, allPositions: first.allPositions }'),
  'stops are removed from main': borrowed('{ stops: { ...each.stops, cancel: first.stops.cancel } }'),
  'every tenth signal expires': {
    path: 'src/trading/execution/signal-age.ts',
    from: 'return isLate(run) ? EXPIRED : undefined;',
    to: 'return isLate(run) || run.trade.seq % 10 === 0 ? EXPIRED : undefined;',
  },
  'every tenth signal is canceled': {
    path: 'src/trading/execution/halted-trade.ts',
    from: 'if (killed !== undefined) return',
    to: "if (run.trade.seq % 10 === 5) return { kind: 'killed', reason: 'the kill switch is on' };\n  if (killed !== undefined) return",
  },
} as const satisfies Record<string, Change>;
export type Break = keyof typeof BREAKS;

/** Call it before the product is loaded. */
export const breakProduct = (how: Break): void => changeProduct(BREAKS[how]);

export function changeProduct({ path, from, to }: Change): void {
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (!url.endsWith(path)) return loaded;
      const text = String(loaded.source);
      if (!text.includes(from)) throw new Error(`${path} has no line "${from}" any more; say anew how to break it`);
      return { ...loaded, source: text.replace(from, () => to) };
    },
  });
}

/** For a process that runs the sources themselves. */
export function changedBy(changes: readonly Change[]): Readonly<Record<string, string>> {
  const hook = join(freshDataDir(), 'change.mjs');
  const calls = changes.map((change) => `changeProduct(${JSON.stringify(change)});`);
  writeFileSync(hook, [`import { changeProduct } from ${JSON.stringify(import.meta.url)};`, ...calls].join('\n'));
  return { NODE_OPTIONS: `--import ${pathToFileURL(hook)}` };
}

export const brokenBy = (ways: readonly Break[]): Readonly<Record<string, string>> =>
  changedBy(ways.map((how) => BREAKS[how]));
