// The stores that other tests stand on keep the promises of their ports themselves.

import { describeScriptStore } from '../../../tests/ports/script-store-suite.ts';
import { describeUsageStore } from '../../../tests/ports/usage-store-suite.ts';
import { memoryScriptStore } from './memory-script-store.ts';
import { memoryUsageStore } from './memory-usage-store.ts';

describeScriptStore('the script store in memory', async (limits) => {
  const store = memoryScriptStore(limits);
  return { store, another: () => store, reopen: async () => store, close: async () => undefined };
});

describeUsageStore('the usage store in memory', async () => {
  const store = memoryUsageStore();
  return { store, reopen: async () => store, close: async () => undefined };
});
