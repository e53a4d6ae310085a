// Guides as the page shows them: every file of the docs in its parts, with links that lead where they say.

import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { fileOf, guideLink, linkIn } from './guide-places.ts';
import { type Block, blocksOf, inlinesOf } from './guide-text.ts';

const DOCS = fileURLToPath(new URL('../../../docs/', import.meta.url));
const FILES = new Set(globSync(['*.md', 'guides/**/*.md', 'api/*.md', 'pine/*.md'], { cwd: DOCS }));
const textOf = (file: string): string => readFileSync(`${DOCS}${file}`, 'utf8');

const allOf = (blocks: readonly Block[]): readonly Block[] =>
  blocks.flatMap((block) => [
    block,
    ...(block.kind === 'list' ? block.items.flatMap(({ below }) => allOf(below)) : []),
  ]);

/** Everything that is read as a line, but for code. */
const linesOf = (blocks: readonly Block[]): readonly string[] =>
  allOf(blocks).flatMap((block) => {
    if (block.kind === 'code') return [];
    if (block.kind === 'list') return block.items.map(({ line }) => line);
    return block.kind === 'table' ? [...block.head, ...block.rows.flat()] : [block.line];
  });

const anchorsOf = (file: string): readonly string[] =>
  allOf(blocksOf(textOf(file))).flatMap((block) => (block.kind === 'heading' ? [block.id] : []));

describe.each([...FILES])('%s', (file) => {
  const blocks = blocksOf(textOf(file));
  const inlines = linesOf(blocks).flatMap(inlinesOf);

  test('has no sign left that is not meant to be read', () => {
    const left = inlines.filter(({ kind, text }) => kind === 'text' && /\]\(|\*\*|`|^\s*\||^#/.test(text));
    expect(left).toEqual([]);
    for (const block of allOf(blocks))
      if (block.kind === 'table')
        for (const row of block.rows) expect(row, row.join(' | ')).toHaveLength(block.head.length);
  });

  test('leads to what is here, and to a heading that is there', () => {
    for (const inline of inlines) {
      if (inline.kind !== 'link') continue;
      const link = linkIn(file, inline.to, FILES);
      if (link === undefined || !link.startsWith('#/guides')) continue;
      const [path = '', anchor] = link.split('?at=');
      const found = fileOf(path.split('/').slice(2), FILES);
      expect(found, inline.to).toBeDefined();
      if (anchor !== undefined) expect(anchorsOf(found!), inline.to).toContain(decodeURIComponent(anchor));
    }
  });
});

test('lists, tables and code are told apart, also inside each other', () => {
  const [heading, list, table, code, paragraph] = blocksOf(
    '# A `b` c\n- one\n  more\n\n  ```sh\n  run\n    it\n  ```\n- two\n  1. deep\n\n| a | b |\n|---|---|\n| x \\| y | `z` |\n\n```\n# not a heading\n```\nlast\nline',
  );
  expect(heading).toMatchObject({ kind: 'heading', id: 'a-b-c' });
  expect(list).toMatchObject({
    ...{ kind: 'list', isOrdered: false },
    items: [
      { line: 'one', below: [{ line: 'more' }, { kind: 'code', text: 'run\n  it' }] },
      { line: 'two', below: [{ kind: 'list', isOrdered: true, items: [{ line: 'deep' }] }] },
    ],
  });
  expect(table).toMatchObject({ head: ['a', 'b'], rows: [['x | y', '`z`']] });
  expect(code).toEqual({ kind: 'code', text: '# not a heading' });
  expect(paragraph).toEqual({ kind: 'paragraph', line: 'last line' });
});

test('what is in code stays as it is, and a link leads to a guide, away, or nowhere', () => {
  expect(inlinesOf('a `**b**` **c** [`d`](e.md) *f* 2*3*4')).toMatchObject([
    { text: 'a ' },
    { kind: 'code', text: '**b**' },
    { text: ' ' },
    { kind: 'strong', text: 'c' },
    { text: ' ' },
    { kind: 'link', text: 'd', to: 'e.md' },
    { text: ' ' },
    { kind: 'emphasis', text: 'f' },
    { text: ' 2*3*4' },
  ]);
  expect(linkIn('guides/limits.md', 'venues/bybit.md#keys', FILES)).toBe(guideLink('guides/venues/bybit.md', 'keys'));
  expect(linkIn('guides/limits.md', '../api/gateway.md', FILES)).toBe('#/guides/api/gateway');
  expect(linkIn('guides/limits.md', '../README.md', FILES)).toBe('#/guides');
  expect(linkIn('guides/limits.md', 'https://example.com/', FILES)).toBe('https://example.com/');
  expect(linkIn('guides/limits.md', '../../src/main.ts', FILES)).toBeUndefined();
});
