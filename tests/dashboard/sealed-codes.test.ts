// The secret of the authenticator app over starts of a whole Signalbox: one that is in clear is sealed, and one that cannot be opened is told.

import { expect, it } from 'vitest';
import { openSettingsStorage } from '../../src/adapters/storage/sqlite/settings.ts';
import { freshDataDir } from '../support/process.ts';
import { openDesk } from './desk.ts';

const WAIT = { timeout: 30_000 };
const SECRET = 'MZXW6YTBOI';
const SIGNALBOX_MASTER_KEY = 'the-master-key-of-the-owner';

it('is sealed by the first start with a master key, and an alarm stands where another one is there', async () => {
  const dataDir = freshDataDir();
  const storedIn = async (): Promise<string> => {
    const storage = openSettingsStorage(dataDir);
    const { secret = '' } = (await storage.access.password())?.totp ?? {};
    await storage.close();
    return secret;
  };
  const plain = await openDesk({}, dataDir);
  const storage = openSettingsStorage(dataDir);
  const totp = { secret: SECRET, lastStep: 0, recoveryDigests: [] };
  await storage.access.change((rows) => rows.putPassword({ hash: 'scrypt$16$1$1$c2FsdA$a2V5', totp }));
  await storage.close();
  await plain.restart();
  expect(await storedIn()).toBe(SECRET);
  await plain.stop();
  const warned = async (desk: Awaited<ReturnType<typeof openDesk>>) =>
    JSON.stringify((await desk.ask('/ready')).warnings);

  const sealing = await openDesk({ SIGNALBOX_MASTER_KEY }, dataDir);
  await expect.poll(storedIn, WAIT).toMatch(/^sealed1\./);
  const sealed = await storedIn();
  expect(await warned(sealing)).not.toContain('One-time codes');
  await sealing.restart();
  expect(await storedIn()).toBe(sealed);
  await sealing.stop();

  const other = await openDesk({ SIGNALBOX_MASTER_KEY: 'another-master-key-of-the-owner' }, dataDir);
  await expect.poll(() => warned(other), WAIT).toContain('signalbox password --totp-off');
  expect(await storedIn()).toBe(sealed);
});
