// What others wrote and we install: pinned, with a digest and a licence each, told in docs/packages.md and in the release.

import { createHash } from 'node:crypto';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { pinnedPackages } from '../build/registry-signatures.ts';
import { SUMS, writeRelease } from '../build/release.ts';
import { closeAtEnd } from './support/close-at-end.ts';

interface Locked {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly hasInstallScript?: boolean;
  readonly link?: boolean;
}
type Versions = Readonly<Record<string, string>>;

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const LOCK_FILES = globSync('**/package-lock.json', { cwd: ROOT, exclude: (path) => path.includes('node_modules') });
const packagesOf = (file: string): [string, Locked][] =>
  Object.entries((JSON.parse(read(file)) as { packages: Record<string, Locked> }).packages).filter(
    ([path]) => path !== '',
  );
const project = JSON.parse(read('package.json')) as Record<
  'dependencies' | 'devDependencies' | 'optionalDependencies',
  Versions
>;
const locked = new Map(packagesOf('package-lock.json'));
/** Licences that let the product be given away under its own. */
const LICENCES = new Set([
  ...['MIT', 'MIT-0', 'ISC', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'BlueOak-1.0.0', 'OFL-1.1'],
  ...['CC0-1.0', 'Unlicense', 'Python-2.0'],
]);
/** Of several with "OR" between them one is enough; of those with "AND" each counts. */
const isAllowed = (licence: string): boolean =>
  licence
    .replaceAll(/[()]/g, '')
    .split(' OR ')
    .some((choice) => choice.split(' AND ').every((each) => LICENCES.has(each)));

describe.each(LOCK_FILES)('%s', (file) => {
  it('has a digest for every package, and each comes from the registry by its name and version', () => {
    const packages = packagesOf(file);
    expect(packages.length).toBeGreaterThan(20);
    for (const [path, { integrity, resolved, version, link }] of packages) {
      expect([path, integrity, link]).toEqual([path, expect.stringMatching(/^sha512-[A-Za-z0-9+/]{86}==/), undefined]);
      expect([path, version]).toEqual([path, expect.stringMatching(/^\d+\.\d+\.\d+/)]);
      // Left out, npm asks its registry by name and version; anything else than that form of address comes from elsewhere.
      if (resolved !== undefined)
        expect([path, resolved]).toEqual([path, expect.stringMatching(/^https:\/\/[^/]+\/.+\/-\/[^/]+\.tgz$/)]);
    }
  });
});

describe('package.json', () => {
  it('names every package with one exact version', () => {
    const named = { ...project.dependencies, ...project.devDependencies, ...project.optionalDependencies };
    expect(Object.entries(named).filter(([, version]) => !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version))).toEqual([]);
  });
});

describe('what the product is made of', () => {
  const shipped = [...locked].filter(([, { dev }]) => dev !== true);

  it('has licences that allow it', () => {
    const doubtful = shipped.filter(([, { license = '' }]) => !isAllowed(license));
    expect(doubtful.map(([path, { license }]) => `${path} ${license}`)).toEqual([]);
  });

  it('runs code of others at an install only where docs/packages.md says so', () => {
    const names = shipped
      .filter(([, each]) => each.hasInstallScript)
      .map(([path]) => path.replace(/^.*node_modules\//, ''));
    const [, told = ''] =
      /^## Code that runs at an install\n([\s\S]*?)(?=^## |(?![\s\S]))/m.exec(read('docs/packages.md')) ?? [];
    for (const name of names) expect(told).toContain(`\`${name}\``);
  });

  it('is the table of docs/packages.md; after a change of it, run this file with --update', async () => {
    const row = ([name, version]: [string, string]): string => {
      const { license, integrity = '' } = locked.get(`node_modules/${name}`) as Locked;
      return `| \`${name}\` | ${version} | ${license} | \`${integrity}\` |`;
    };
    const rows = Object.entries({ ...project.dependencies, ...project.optionalDependencies }).map(row);
    const table = ['| package | version | licence | digest |', '|---|---|---|---|', ...rows].join('\n');
    const page = read('docs/packages.md');
    const marked = /(?<=<!-- packages:begin[^>]*-->\n)[\s\S]*?(?=\n<!-- packages:end -->)/;
    expect(page).toMatch(marked);
    await expect(page.replace(marked, () => table)).toMatchFileSnapshot('../docs/packages.md');
  });
});

/** Has every package with its pinned digest, and signs none. */
async function startRegistry(): Promise<string> {
  const dists = pinnedPackages(read('package-lock.json')).map(({ name, version, digest }) => [
    `/${name.replace('/', '%2f')}/${version}`,
    { integrity: digest },
  ]) as [string, object][];
  const known = new Map(dists);
  const server = createServer(({ url = '' }, outgoing) => {
    const dist = known.get(url);
    outgoing.writeHead(dist === undefined ? 404 : 200).end(JSON.stringify({ dist }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closeAtEnd(async () => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('npm run release', () => {
  it('writes the packed file, a list of every package in it, who vouches for them, and the digests of all three', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'signalbox-release-'));
    try {
      const { files } = await writeRelease(folder, { isBuilt: true, registry: await startRegistry() });
      const [packed = '', sbom = '', signatures = '', sums] = files;
      expect([packed, sums]).toEqual([expect.stringMatching(/^signalbox-\d.*\.tgz$/), SUMS]);
      const vouched = readFileSync(join(folder, signatures), 'utf8');
      expect(vouched).toContain('NOT VERIFIED');
      for (const [path, { integrity, version }] of locked)
        expect(vouched).toContain(`${path.replace(/^.*node_modules\//, '')}\t${version}\t${integrity}\tnone\n`);
      expect(readFileSync(join(folder, SUMS), 'utf8').trim().split('\n')).toHaveLength(3);
      for (const line of readFileSync(join(folder, SUMS), 'utf8').trim().split('\n')) {
        const [digest, name = ''] = line.split('  ');
        expect(
          createHash('sha256')
            .update(readFileSync(join(folder, name)))
            .digest('hex'),
        ).toBe(digest);
      }
      const { bomFormat, components } = JSON.parse(readFileSync(join(folder, sbom), 'utf8')) as {
        bomFormat: string;
        components: { name: string; version: string; hashes?: unknown[] }[];
      };
      expect(bomFormat).toBe('CycloneDX');
      const listed = components.map(({ name, version }) => `${name}@${version}`);
      expect(listed).toEqual(
        expect.arrayContaining(Object.entries(project.dependencies).map(([name, version]) => `${name}@${version}`)),
      );
      for (const name of Object.keys(project.devDependencies))
        if (locked.get(`node_modules/${name}`)?.dev) expect(components.map((each) => each.name)).not.toContain(name);
      expect(components.filter(({ hashes = [] }) => hashes.length === 0)).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
