// How the tests run: unit tests side by side, whole-system tests too, what measures alone, and a plain closing line.

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
];

/** Tests beside the code that wait for a real disk for seconds: they run with the whole-system tests. */
const DISK_TESTS = 'src/**/*.disk.test.ts';

/** They run twice: a few cases with the units, all of them with the whole-system tests (tests/support/thorough.ts). */
const THOROUGH_TESTS = 'src/**/*.thorough.test.ts';

/** What they promise is how a time grows: another file at work would disturb them. */
const MEASURING_TESTS = 'src/**/*.timing.test.ts';

/** Whole-system tests wait more than they work: three at a time keep two cores busy, and more would wait for each other. */
const SYSTEM_WORKERS = Math.max(2, Math.ceil(availableParallelism() * 1.5));

/** Threads that a test starts (storage, scripts) read their source from there, as those of the product do. */
const NODE_COMPILE_CACHE = fileURLToPath(new URL('node_modules/.cache/compiled', import.meta.url));

/** Real processes, disks and sockets need their time. */
const PATIENCE = { testTimeout: 300_000, hookTimeout: 120_000 };

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
          include: ['src/**/*.test.ts', ...STRUCTURE_TESTS],
          exclude: [...configDefaults.exclude, DISK_TESTS, MEASURING_TESTS],
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
          name: 'system',
          include: ['tests/**/*.test.ts', DISK_TESTS, THOROUGH_TESTS],
          env: { THOROUGH: '1', NODE_COMPILE_CACHE },
          exclude: [...configDefaults.exclude, ...STRUCTURE_TESTS],
          pool: 'forks',
          // Each file in a process of its own: what one leaves behind, a pretended clock or a server, must not meet the next.
          maxWorkers: SYSTEM_WORKERS,
          ...PATIENCE,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'measuring',
          include: [MEASURING_TESTS],
          pool: 'forks',
          fileParallelism: false,
          ...PATIENCE,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
