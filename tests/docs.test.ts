// The documentation as a test: links lead somewhere, and the settings table is the one in the code.

import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { loadConfig, settingsMarkdown } from '../src/config.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FOREIGN_FOLDERS = new Set(['node_modules', '.git', 'data']);

/** Every relative link or image of every page that leads to no file, as `page: link`. */
function deadLinks(root: string): string[] {
  const pages = globSync('**/*.md', { cwd: root, exclude: (name) => FOREIGN_FOLDERS.has(name) });
  return pages.sort().flatMap((page) =>
    linksOf(readFileSync(join(root, page), 'utf8'))
      .filter((link) => !existsSync(join(root, dirname(page), decodeURI(link))))
      .map((link) => `${page}: ${link}`),
  );
}

function linksOf(markdown: string): string[] {
  const prose = markdown.replace(/^(```|~~~)[\s\S]*?^\1/gm, '').replace(/`[^`\n]*`/g, '');
  const inline = [...prose.matchAll(/\]\(\s*<?([^)\s>]+)/g)];
  const references = [...prose.matchAll(/^\s{0,3}\[[^\]]+\]:\s*<?([^\s>]+)/gm)];
  return [...inline, ...references]
    .map((match) => match[1]?.replace(/[#?].*$/, '') ?? '')
    .filter((link) => link !== '' && !/^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(link));
}

describe('links', () => {
  it('in every page of the project lead to a file', () => {
    expect(deadLinks(ROOT)).toEqual([]);
  });

  it('that lead nowhere are found, and code, other sites and anchors are left alone', () => {
    const root = mkdtempSync(join(tmpdir(), 'signalbox-docs-'));
    try {
      mkdirSync(join(root, 'node_modules'));
      mkdirSync(join(root, 'docs'));
      writeFileSync(join(root, 'node_modules', 'theirs.md'), '[dead](nowhere.md)');
      writeFileSync(
        join(root, 'here.md'),
        '[a](docs/there.md#part) [b](#part) [c](https://example.com/x.md) `[d](no.md)`',
      );
      writeFileSync(
        join(root, 'docs', 'there.md'),
        '[up](../here.md) ![image](missing.png)\n```\n[code](no.md)\n```\n[ref]: gone.md\n[e](../nowhere.md "title")',
      );
      expect(deadLinks(root)).toEqual([
        'docs/there.md: missing.png',
        'docs/there.md: ../nowhere.md',
        'docs/there.md: gone.md',
      ]);
    } finally {
      rmSync(root, { recursive: true });
    }
  });
});

describe('docs/settings.md', () => {
  it('holds exactly the table of the code', () => {
    const page = readFileSync(join(ROOT, 'docs/settings.md'), 'utf8');
    const [, table] = /<!-- settings:begin[^>]*-->\n([\s\S]*?)\n<!-- settings:end -->/.exec(page) ?? [];
    expect(table).toBe(settingsMarkdown());
  });
});

describe('examples', () => {
  it.each(globSync('examples/*.{json,txt}', { cwd: ROOT }))('%s is JSON with a place for the key', (path) => {
    const template: unknown = JSON.parse(readFileSync(join(ROOT, path), 'utf8'));
    expect(template).toMatchObject({ apiKey: 'whk_PUT-YOUR-KEY-HERE', symbol: '{{ticker}}' });
  });

  it('demo.env is accepted without a warning', () => {
    const dotEnvText = readFileSync(join(ROOT, 'examples/demo.env'), 'utf8');
    const config = loadConfig({}, { dotEnvText, checkAddressEntry: () => 'is not used here' });
    expect(config.warnings).toEqual([]);
  });
});
