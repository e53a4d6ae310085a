// The bar store that tests lean on keeps the promises of the port.

import { describeBarStore } from '../../../tests/ports/bar-store-suite.ts';
import { createMemoryBarStore } from './memory-bar-store.ts';

describeBarStore('the bar store in memory', async () => ({ store: createMemoryBarStore(), remove: async () => {} }));
