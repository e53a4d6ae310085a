// A gateway over live venues in a process of its own, which may be killed at any moment; asked by messages instead of HTTP.

import { breakProduct } from './broken-product.ts';
import { hurryProcess } from './fast-clock.ts';
import type { Asked, ChildSettings } from './killable-gateway.ts';

const { epochMs, dataDir, settings, venues, broken } = JSON.parse(process.argv[2] ?? '') as ChildSettings;
hurryProcess(epochMs);
if (broken !== undefined) breakProduct(broken);
const { build } = await import('../../../src/composition/build.ts');
const { createLog } = await import('../../../src/http/log.ts');
const { liveConfig } = await import('../live-gateway.ts');

const log = createLog({ level: 'silent', name: 'chaos' });
const built = await build(liveConfig(dataDir, settings, venues), log, { trade: true });
await built.gateway?.desk.start({ afterCrash: built.lock.foundCrash });

process.on('message', async ({ id, method, path, body }: Asked) => {
  if (path === 'stop') {
    await built.tearDown();
    process.disconnect();
    return;
  }
  const init = { method, headers: { host: 'localhost' }, ...(body !== undefined && { body }) };
  const response = await built.app.request(path, init, { peer: '127.0.0.1' });
  process.send?.({ id, status: response.status, body: await response.json() });
});
process.send?.({ id: 0 });
