// Published libraries on SQLite keep the promises of their port.

import { describePublications } from '../../../../../tests/ports/publication-store-suite.ts';
import { STORE_LIMITS } from '../../../../library/script-store.ts';
import { openTestScripts } from './testing/open-test-scripts.ts';

describePublications('published libraries on SQLite', async (limits) => {
  const opened = openTestScripts(STORE_LIMITS, limits);
  return {
    store: opened.storage.publications,
    scripts: opened.storage.scripts,
    another: () => opened.another().publications,
    reopen: async () => (await opened.reopen()).publications,
    close: () => opened.close(),
  };
});
