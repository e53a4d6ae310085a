// Key values in memory keep the promises of their port.

import { describeKeyValueStore } from '../../../../tests/ports/key-value-store-suite.ts';
import { openMemoryKeyValues } from './key-values.ts';

describeKeyValueStore('the key values in memory', async (choice) => {
  const store = openMemoryKeyValues(choice);
  return { store, remove: () => store.close() };
});
