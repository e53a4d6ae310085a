// A page's style sheet changes nothing of another page: it stays loaded when the reader goes on, so whatever it says of everybody's
// classes would depend on which pages were looked at before.

import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const DASHBOARD = fileURLToPath(new URL('../', import.meta.url));
const read = (file: string): string => readFileSync(join(DASHBOARD, file), 'utf8');
const components = globSync('**/*.tsx', { cwd: DASHBOARD }).map((file) => ({ file, text: read(file) }));

/** Where class names are written. */
const WRITTEN = /class=(?:"[^"]*"|\{[^}]*\})|words\([^)]*\)/g;
const written = components.map(({ file, text }) => ({ file, words: (text.match(WRITTEN) ?? []).join(' ') }));

/** `pages/alerts/alerts.css` belongs to `pages/alerts`. */
const pageOf = (file: string): string =>
  file
    .split('/')
    .slice(0, 3)
    .join('/')
    .replace(/\/[^/]*\.\w+$/, '');

function selectorsOf(css: string): readonly string[] {
  const heads = [...css.replaceAll(/\/\*.*?\*\//gs, '').matchAll(/([^{}]+)\{/g)].map(([, head = '']) => head.trim());
  // Commas within brackets part no selectors.
  return heads.filter((head) => !head.startsWith('@')).flatMap((head) => head.split(/,(?![^(]*\))/));
}

/** Components elsewhere that write this class, and do not ask for the style sheet themselves. */
function strangersOf(name: string, stylesheet: string): readonly string[] {
  const page = pageOf(stylesheet);
  const word = new RegExp(`(?<![\\w-])${name}(?![\\w-])`);
  return written
    .filter(({ file, words }) => !file.startsWith(`${page}/`) && word.test(words) && !asksFor(file, stylesheet))
    .map(({ file }) => file);
}

function asksFor(file: string, stylesheet: string): boolean {
  const { text } = components.find((component) => component.file === file)!;
  const asked = [...text.matchAll(/import '([^']+\.css)'/g)].map(([, path = '']) => join(dirname(file), path));
  return asked.includes(stylesheet);
}

test.each(globSync('pages/**/*.css', { cwd: DASHBOARD }))('%s', (stylesheet) => {
  const meddling = selectorsOf(read(stylesheet)).filter((selector) => {
    const names = [...selector.matchAll(/\.([a-z][\w-]*)/gi)].map(([, name = '']) => name);
    return !names.some((name) => strangersOf(name, stylesheet).length === 0);
  });
  expect(meddling, 'name a class in it that only this page has').toEqual([]);
});
