// The style sheets of the dashboard are made of the tokens: no size of a text, space or corner and no colour of their own.

import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const DASHBOARD = fileURLToPath(new URL('../', import.meta.url));
const SIZED =
  /(?<![\w-])(?:font-size|padding(?:-[a-z]+)?|margin(?:-[a-z]+)?|(?:row-|column-)?gap|border-radius):([^;]*);/g;
/** A hairline is no size. */
const OWN_SIZE = /(?<![\w.])(?!1px\b)\d*\.?\d+(?:px|r?em)\b/;
const OWN_COLOUR = /#[0-9a-f]{3,8}\b|\b(?:rgb|hsl|oklch)a?\(/i;

/** What a style sheet has of its own. */
function ownOf(css: string): readonly string[] {
  const bare = css.replaceAll(/\/\*.*?\*\//gs, '');
  const sizes = [...bare.matchAll(SIZED)].filter(([, value = '']) => OWN_SIZE.test(value)).map(([words]) => words);
  return [...sizes, ...(OWN_COLOUR.exec(bare) ?? [])];
}

test('a size or a colour that is no token is found', () => {
  expect(ownOf('a { padding: 1px 9px; color: #fff; }')).toEqual(['padding: 1px 9px;', '#fff']);
  expect(ownOf('a { margin: -9px; font-size: 1.2em; }')).toHaveLength(2);
  expect(ownOf('a { padding: calc(var(--space-2) - 1px) 0; margin-left: -1px; height: 42px; }')).toEqual([]);
});

test.each(globSync('**/*.css', { cwd: DASHBOARD }).filter((file) => !file.endsWith('tokens.css')))('%s', (file) => {
  expect(ownOf(readFileSync(`${DASHBOARD}${file}`, 'utf8'))).toEqual([]);
});
