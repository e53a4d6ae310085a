// How the tests run: unit tests side by side, then whole-system tests and what measures, and a plain closing line.

import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';
import { LongFilesFirst } from './tests/support/long-files-first.ts';

/** Quick tests of the project itself; they live in tests/ but run with the units. */
const STRUCTURE_TESTS = [
  'tests/architecture.test.ts',
  'tests/docs.test.ts',
  'tests/platforms.test.ts',
  'tests/support/*.test.ts',
  'tests/support/second-chance/*.test.ts',
];

/** Tests beside the code that wait for a real disk for seconds: they run with the whole-system tests. */
const DISK_TESTS = 'src/**/*.disk.test.ts';

/** A few cases run with the units in `npm run verify`, all of them with the whole-system tests (tests/support/thorough.ts). */
const THOROUGH_TESTS = 'src/**/*.thorough.test.ts';
const IS_EVERYTHING = !process.argv.some((word) => word.startsWith('--project'));

/** Tests that look at the memory or the speed of their own process, so that nobody else may have used it. */
const PRIVATE_TESTS = ['tests/**/bench.test.ts', 'tests/**/memory.test.ts', 'tests/pine/**/*.test.ts'];

/** What they promise is how a time grows, by the clock of their own thread: that one stands still while another file has the core. */
const MEASURING_TESTS = 'src/**/*.timing.test.ts';

/** Whole-system tests wait as much as they work: two for each core keep it busy. More take as long, and miss their times. */
const SYSTEM_WORKERS = Math.max(2, availableParallelism() * 2);

/** What was compiled once is read from there, as in the product: by the processes of the tests and by threads they start. */
const NODE_COMPILE_CACHE = fileURLToPath(new URL('node_modules/.cache/compiled', import.meta.url));

/** Real processes, disks and sockets need their time. */
const PATIENCE = { testTimeout: 300_000, hookTimeout: 120_000 };

/** How whole-system tests run, whether they share a process or not; both kinds side by side. */
const SYSTEM = {
  pool: 'forks',
  // Node itself loads what they import, as in the product: that is half the work, because Node keeps what it compiled.
  experimental: { viteModuleRunner: false, nodeLoader: false },
  maxWorkers: SYSTEM_WORKERS,
  ...PATIENCE,
  sequence: { groupOrder: 1 },
} as const;

// The processes that run the tests inherit it.
process.env.NODE_COMPILE_CACHE = NODE_COMPILE_CACHE;

export default defineConfig({
  publicDir: false,
  // Tests never need a browser: no file watching socket, no hot reload, no API port.
  server: { hmr: false, ws: false, watch: null },
  test: {
    api: false,
    globalSetup: './tests/support/temporary-folder.ts',
    setupFiles: [
      './tests/support/close-at-end.setup.ts',
      './tests/support/fixed-seed.ts',
      './tests/support/check-answers.setup.ts',
    ],
    // What happens in the background may take long on a busy machine; a test that passes does not wait for it.
    expect: { poll: { timeout: 30_000 } },
    sequence: { sequencer: LongFilesFirst },
    reporters: ['default', './tests/support/closing-line-reporter.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          // Files share their worker and what it has loaded; loading everything anew took longer than many tests.
          pool: 'threads',
          isolate: false,
          include: ['src/**/*.test.ts', 'dashboard/**/*.test.ts', ...STRUCTURE_TESTS],
          // What is tried whole in the same run is not tried in part before.
          exclude: [...configDefaults.exclude, DISK_TESTS, MEASURING_TESTS, ...(IS_EVERYTHING ? [THOROUGH_TESTS] : [])],
          // One less than the cores is the default, and two cores are what many have: half of them would idle.
          maxWorkers: '100%',
          // Far longer than any takes; a busy machine is no fault.
          testTimeout: 30_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          ...SYSTEM,
          name: 'system',
          include: ['tests/**/*.test.ts', DISK_TESTS],
          exclude: [...configDefaults.exclude, ...STRUCTURE_TESTS, ...PRIVATE_TESTS],
          // As above; what a file opens is closed at its end (close-at-end.ts).
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          ...SYSTEM,
          name: 'system-alone',
          // A process for each: what another file left, a stack used to another depth or a full heap, must not meet them.
          include: [THOROUGH_TESTS, MEASURING_TESTS, ...PRIVATE_TESTS],
          env: { THOROUGH: '1' },
        },
      },
    ],
  },
});
