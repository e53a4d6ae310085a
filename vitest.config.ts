// How the tests run: quick unit tests side by side, whole-system tests one file at a time, and a plain closing line.

import { configDefaults, defineConfig } from 'vitest/config';

/** Quick tests of the project itself; they live in tests/ but run with the units. */
const STRUCTURE_TESTS = ['tests/architecture.test.ts', 'tests/docs.test.ts', 'tests/support/*.test.ts'];

/** Tests beside the code that wait for a real disk for seconds: they run with the whole-system tests. */
const DISK_TESTS = 'src/**/*.disk.test.ts';

export default defineConfig({
  publicDir: false,
  // Tests never need a browser: no file watching socket, no hot reload, no API port.
  server: { hmr: false, ws: false, watch: null },
  test: {
    api: false,
    globalSetup: './tests/support/temporary-folder.ts',
    setupFiles: './tests/support/fixed-seed.ts',
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
          exclude: [...configDefaults.exclude, DISK_TESTS],
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'system',
          include: ['tests/**/*.test.ts', DISK_TESTS],
          exclude: [...configDefaults.exclude, ...STRUCTURE_TESTS],
          // These start real processes and measure time: two files at once would disturb each other.
          pool: 'forks',
          fileParallelism: false,
          testTimeout: 300_000,
          hookTimeout: 60_000,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
