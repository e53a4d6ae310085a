// Finds exchanges that are named in code: what each of them is or does stands in its row and its folders, and nowhere else.

import { parseAst } from 'rolldown/parseAst';
import { EXCHANGE_ROWS, EXCHANGES } from '../../src/exchanges/exchange.ts';
import type { Tree } from './structure-rules.ts';

/** Path of a file that may name exchanges, and the reason. */
export type MayName = Readonly<Record<string, string>>;

/** Where one of them is at home: its row, its folders of adapters. */
const isHome = (path: string): boolean =>
  path.startsWith('src/exchanges/') ||
  EXCHANGES.some((exchange) => path.startsWith('src/adapters/') && path.split('/').includes(exchange));

const isTest = (path: string): boolean => /\.test\.tsx?$|\/testing\//.test(path);

const NAMES = new Set(EXCHANGES.flatMap((exchange) => [exchange, EXCHANGE_ROWS[exchange].title.toLowerCase()]));
const SOME_NAME = new RegExp([...NAMES].join('|'), 'gi');
/** What a page or a description shows as an example is a word of its own text. */
const EXAMPLE = /example/i;

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [field: string]: unknown;
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';

export function exchangeNameFaults(tree: Tree, mayName: MayName): string[] {
  const faults = [...tree]
    .filter(([path]) => !isHome(path) && !isTest(path))
    .map(([path, source]) => [path, namedIn(path, source)] as const);
  const named = new Map(faults.filter(([, lines]) => lines.length > 0));
  return [
    ...[...named]
      .filter(([path]) => mayName[path] === undefined)
      .flatMap(([path, lines]) =>
        lines.map(
          (line) => `${path}:${line} names an exchange; take it from EXCHANGE_ROWS, or give it a field of ExchangeRow`,
        ),
      ),
    ...Object.keys(mayName)
      .filter((path) => !named.has(path))
      .map((path) => `${path} is listed and names no exchange; take it out of the list`),
  ];
}

/** The lines on which code depends on which exchanges there are: a name as a whole text, as a key, or in a list of several. */
function namedIn(path: string, source: string): readonly number[] {
  if (source.match(SOME_NAME) === null) return [];
  const lines = new Set<number>();
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const item of value) visit(item);
    if (!isNode(value) || isExample(value)) return;
    if (isName(value)) lines.add(source.slice(0, value.start).split('\n').length);
    for (const child of Object.values(value)) visit(child);
  };
  visit(parseAst(source, { lang: path.endsWith('.tsx') ? 'tsx' : 'ts' }));
  return [...lines];
}

const textOf = (value: unknown): string =>
  isNode(value) ? String(value.name ?? (typeof value.value === 'string' ? value.value : '')) : '';

/** `bodyExample: …`, `examples: […]`, `const EXAMPLE = …`. */
const isExample = ({ key, id }: Node): boolean => EXAMPLE.test(textOf(key)) || EXAMPLE.test(textOf(id));

function isName(node: Node): boolean {
  const text =
    node.type === 'TemplateElement' ? ((node.value as { cooked?: string }).cooked ?? '') : textOf(node).trim();
  if (NAMES.has(text.toLowerCase())) return true;
  return new Set(text.match(SOME_NAME)?.map((name) => name.toLowerCase())).size > 1;
}
