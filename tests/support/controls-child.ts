// A process of its own that turns the kill switch when it is told to, and says when that is done.

import { openOwnerStorage } from '../../src/adapters/storage/postgres/owner.ts';
import { createControls } from '../../src/trading/intake/controls.ts';
import { INITIAL_CONTROLS } from '../../src/trading/testing/test-desk.ts';

const owner = await openOwnerStorage(process.argv[2] ?? '');
const controls = createControls({ store: owner.settings.settings, initial: INITIAL_CONTROLS, nowMs: Date.now });
process.on('message', async (active: boolean) => {
  await controls.set('killSwitch', { active, scope: 'all' }, 'the other process');
  process.send?.('done');
});
process.send?.('ready');
