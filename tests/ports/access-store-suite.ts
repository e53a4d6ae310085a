// What every access store must do: keep the password and the sessions exactly, and change them in whole steps.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AccessFault } from '../../src/access/access-fault.ts';
import type { AccessStore, OwnerPassword } from '../../src/access/access-store.ts';
import type { Session } from '../../src/access/session.ts';
import { StorageError } from '../../src/errors/storage-error.ts';
import { START_MS } from './sample-trades.ts';

export interface OpenAccessStore {
  readonly access: AccessStore;
  reopen(): Promise<AccessStore>;
  close(): Promise<void>;
}

const plain = (number: number): Session => ({
  id: `session-${number}`,
  familyDigest: number.toString(16).padStart(64, '0'),
  chainKey: `key-${number}`,
  digest: 'd'.repeat(64),
  createdAtMs: START_MS + number,
  lastUsedAtMs: START_MS + 10,
  address: '2001:db8::1',
  userAgent: 'Firefox "quoted"',
});

const full = (number: number): Session => ({
  ...plain(number),
  previousDigest: 'e'.repeat(64),
  confirmedAtMs: START_MS + 20,
});

const PASSWORD: OwnerPassword = { hash: 'scrypt$16$1$1$salt$key' };
const WITH_TOTP: OwnerPassword = {
  ...PASSWORD,
  totp: { secret: 'MZXW6YTB', lastStep: 56_666_666, recoveryDigests: ['a'.repeat(64), 'b'.repeat(64)] },
};
const ENTRY = { atMs: START_MS, actor: 'api', setting: 'session', before: null, after: null };

export function describeAccessStore(name: string, open: () => Promise<OpenAccessStore>): void {
  describe(name, () => {
    let opened: OpenAccessStore;
    let store: AccessStore;
    beforeEach(async () => {
      opened = await open();
      store = opened.access;
    });
    afterEach(() => opened.close());

    test('is empty at first', async () => {
      expect(await store.password()).toBeUndefined();
      expect(await store.sessions()).toEqual([]);
      expect(await store.session(plain(1).familyDigest)).toBeUndefined();
    });

    test('keeps one password, with and without codes, over a restart', async () => {
      for (const password of [PASSWORD, WITH_TOTP, PASSWORD]) {
        await store.change((rows) => rows.putPassword(password));
        expect(await store.password()).toEqual(password);
        store = await opened.reopen();
        expect(await store.password()).toEqual(password);
      }
      await store.change((rows) => rows.putPassword(undefined));
      expect(await store.password()).toBeUndefined();
    });

    test('keeps bare and full sessions exactly, oldest first, over a restart', async () => {
      await store.change((rows) => {
        rows.insertSession(full(2));
        rows.insertSession(plain(1));
      });
      expect(await store.sessions()).toEqual([plain(1), full(2)]);
      store = await opened.reopen();
      expect(await store.sessions()).toEqual([plain(1), full(2)]);
      expect(await store.session(full(2).familyDigest)).toEqual(full(2));
    });

    test('an update replaces every field of that session and of no other, and brings none back', async () => {
      await store.change((rows) => {
        rows.insertSession(plain(1));
        rows.insertSession(plain(2));
      });
      await store.change((rows) => rows.updateSession(full(1)));
      expect(await store.sessions()).toEqual([full(1), plain(2)]);
      await store.change((rows) => rows.updateSession(plain(1)));
      await store.change((rows) => rows.removeSession(plain(2).id));
      await store.change((rows) => rows.updateSession(full(2)));
      expect(await store.sessions()).toEqual([plain(1)]);
    });

    test.each([
      ['id', { id: plain(1).id }],
      ['family', { familyDigest: plain(1).familyDigest }],
    ])('a second session with the same %s is refused, and the first stays', async (_, same) => {
      await store.change((rows) => rows.insertSession(plain(1)));
      await expect(store.change((rows) => rows.insertSession({ ...plain(2), ...same }))).rejects.toThrow(StorageError);
      expect(await store.sessions()).toEqual([plain(1)]);
    });

    test('a step reads what it has written, and gives back what it comes to', async () => {
      const found = await store.change((rows) => {
        rows.putPassword(PASSWORD);
        rows.insertSession(plain(1));
        return [rows.password(), rows.sessions().length, rows.session(plain(1).familyDigest)?.id];
      });
      expect(found).toEqual([PASSWORD, 1, plain(1).id]);
    });

    test('a step whose audit entry cannot be written does not happen', async () => {
      const broken = { ...ENTRY, atMs: Number.NaN };
      await expect(
        store.change((rows) => {
          rows.putPassword(PASSWORD);
          rows.insertSession(plain(1));
          rows.audit(broken);
        }),
      ).rejects.toThrow(StorageError);
      expect([await store.password(), await store.sessions()]).toEqual([undefined, []]);
    });

    test('steps that come at the same moment see each what the others have left', async () => {
      const add = (number: number) =>
        store.change((rows) => {
          const { length } = rows.sessions();
          rows.insertSession(plain(number));
          return length;
        });
      const counts = await Promise.all(Array.from({ length: 10 }, (_, number) => add(number)));
      expect([...counts].sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    });

    test('a fault of whoever wants to enter takes the step back, and comes out as it is', async () => {
      const fault = new AccessFault('LOGIN_FAILED', 'wrong');
      await expect(
        store.change((rows) => {
          rows.putPassword(PASSWORD);
          throw fault;
        }),
      ).rejects.toThrow(fault);
      expect(await store.password()).toBeUndefined();
      await store.change((rows) => rows.putPassword(PASSWORD));
      expect(await store.password()).toEqual(PASSWORD);
    });
  });
}
