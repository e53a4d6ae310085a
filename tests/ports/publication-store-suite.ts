// What every store of published libraries must do: versions that never change, users kept apart, limits, and all of it over a restart.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MAX_VERSION } from '../../src/library/publication.ts';
import type { NewPublication, PublicationLimits, PublicationStore } from '../../src/library/publication-store.ts';
import type { ScriptStore } from '../../src/library/script-store.ts';

export interface OpenPublications {
  readonly store: PublicationStore;
  /** Of the same library: both share the room of a user. */
  readonly scripts: ScriptStore;
  /** As another process has it. */
  another(): PublicationStore;
  reopen(): Promise<PublicationStore>;
  close(): Promise<void>;
}

const ANN = 'a'.repeat(32);
const BOB = 'b'.repeat(32);
const LIMITS = { publicationsPerUser: 4, bytesPerUser: 1000, keptWithdrawn: 2 };

const wanted = (source: string, more: Partial<NewPublication> = {}): NewPublication => ({
  namespace: 'me',
  name: 'Tools',
  source,
  digest: `digest of ${source}`,
  publishedAtMs: 7,
  scriptId: 'tools',
  revision: 3,
  imports: [],
  ...more,
});
const named = (version: number, library = 'Tools') => ({ namespace: 'me', name: library, version });

export function describePublications(
  name: string,
  open: (limits: PublicationLimits) => Promise<OpenPublications>,
): void {
  describe(name, () => {
    let opened: OpenPublications;
    let store: PublicationStore;
    beforeEach(async () => {
      opened = await open(LIMITS);
      store = opened.store;
    });
    afterEach(() => opened.close());

    const publish = (source: string, more: Partial<NewPublication> = {}, userId = ANN) =>
      store.publish(userId, wanted(source, more));
    const versionOf = async (source: string, more: Partial<NewPublication> = {}) => {
      const outcome = await publish(source, more);
      return outcome.kind === 'published' ? `${outcome.isNew ? 'new' : 'same'} ${outcome.record.version}` : outcome;
    };

    describe('a version', () => {
      test('is the next one, and unchanged code keeps the one it has', async () => {
        expect(await versionOf('one')).toBe('new 1');
        expect(await versionOf('one')).toBe('same 1');
        expect(await versionOf('two')).toBe('new 2');
        expect(await versionOf('one')).toBe('same 1');
        expect(await versionOf('three')).toBe('new 3');
      });

      test('can be named, as long as it is not that of other code', async () => {
        expect(await versionOf('seven', { version: 7 })).toBe('new 7');
        expect(await versionOf('seven', { version: 7 })).toBe('same 7');
        expect(await versionOf('other', { version: 7 })).toEqual({ kind: 'taken', version: 7, next: 8 });
        expect(await versionOf('below', { version: 3 })).toBe('new 3');
        expect(await versionOf('next')).toBe('new 8');
        expect(await versionOf('seven')).toBe('same 7');
      });

      test('ends with the highest number there is', async () => {
        expect(await versionOf('last', { version: MAX_VERSION })).toBe(`new ${MAX_VERSION}`);
        expect(await versionOf('beyond')).toMatchObject({ kind: 'taken', version: MAX_VERSION + 1 });
      });

      test('is kept exactly, over a restart, and listed without its source', async () => {
        const source = '//@version=6\r\nlibrary("Größe 🚂")\u2028';
        const imports = ['TradingView/ta/7'];
        await publish(source, { imports });
        store = await opened.reopen();
        const { digest, ...rest } = wanted(source, { imports });
        const whole = { ...rest, digest, version: 1, contentBytes: Buffer.byteLength(source) };
        expect(await store.read(ANN, named(1))).toStrictEqual(whole);
        const { source: _, ...summary } = whole;
        expect(await store.list(ANN)).toStrictEqual([summary]);
        expect(await store.versions(ANN, 'me', 'Tools')).toStrictEqual([summary]);
      });

      test('is that of one publisher and one name', async () => {
        await publish('one');
        expect(await versionOf('two', { namespace: 'TradingView' })).toBe('new 1');
        expect(await versionOf('three', { name: 'tools' })).toBe('new 1');
        expect((await store.versions(ANN, 'me', 'Tools')).map(({ version }) => version)).toEqual([1]);
        expect((await store.list(ANN)).map(({ namespace, name }) => `${namespace}/${name}`)).toEqual([
          'me/tools',
          'TradingView/Tools',
          'me/Tools',
        ]);
      });
    });

    describe('a withdrawn version', () => {
      test('is gone, and its number stays that of its code', async () => {
        await publish('one');
        expect(await store.withdraw(ANN, named(1))).toEqual({ kind: 'withdrawn' });
        expect(await store.read(ANN, named(1))).toBeUndefined();
        expect(await store.list(ANN)).toEqual([]);
        expect(await store.withdraw(ANN, named(1))).toEqual({ kind: 'missing' });
        expect(await versionOf('other', { version: 1 })).toEqual({ kind: 'taken', version: 1, next: 2 });
        expect(await versionOf('other')).toBe('new 2');
        expect(await versionOf('one')).toBe('new 1');
        expect(await versionOf('one')).toBe('same 1');
      });

      test('is forgotten when so many were withdrawn after it', async () => {
        for (const source of ['one', 'two', 'three']) await publish(source);
        for (const version of [1, 2, 3]) await store.withdraw(ANN, named(version));
        expect(await versionOf('other', { version: 2 })).toMatchObject({ kind: 'taken' });
        expect(await versionOf('other', { version: 1 })).toBe('new 1');
      });

      test('is none while another published library imports it', async () => {
        await publish('base');
        await publish('user', { name: 'User', imports: ['me/Tools/1'] });
        expect(await store.withdraw(ANN, named(1))).toEqual({ kind: 'in-use', by: named(1, 'User') });
        expect(await store.withdraw(ANN, named(1, 'User'))).toEqual({ kind: 'withdrawn' });
        expect(await store.withdraw(ANN, named(1))).toEqual({ kind: 'withdrawn' });
      });
    });

    test('nobody sees, takes or withdraws a version of another user', async () => {
      await publish('of Ann', { imports: ['me/Base/1'] });
      await publish('base', { name: 'Base' }, BOB);
      expect(await store.read(BOB, named(1))).toBeUndefined();
      expect(await store.versions(BOB, 'me', 'Tools')).toEqual([]);
      expect(await store.withdraw(BOB, named(1))).toEqual({ kind: 'missing' });
      expect(await publish('of Bob', {}, BOB)).toMatchObject({ isNew: true, record: { version: 1 } });
      // Ann imports a library of this name too, but it is not this one.
      expect(await store.withdraw(BOB, named(1, 'Base'))).toEqual({ kind: 'withdrawn' });
    });

    describe('there is room', () => {
      test('for so many versions, withdrawn ones not counted, each user for himself', async () => {
        for (const source of ['1', '2', '3', '4']) expect(await publish(source)).toMatchObject({ isNew: true });
        expect(await publish('5')).toEqual({ kind: 'too-many' });
        expect(await publish('4')).toMatchObject({ isNew: false });
        expect(await publish('1', {}, BOB)).toMatchObject({ isNew: true });
        await store.withdraw(ANN, named(2));
        expect(await versionOf('5')).toBe('new 5');
      });

      test('for so many bytes, together with the scripts', async () => {
        const { scripts } = opened;
        const text = { name: 'x', content: 'x'.repeat(600) };
        await scripts.write(ANN, { id: 'x', text, atMs: 1, precondition: 'none' });
        expect(await publish('é'.repeat(200))).toMatchObject({ isNew: true });
        expect(await publish('y')).toEqual({ kind: 'no-room' });
        await store.withdraw(ANN, named(1));
        expect(await publish('y')).toMatchObject({ isNew: true });
        await scripts.remove(ANN, 'x', 'present');
        expect(await publish('z'.repeat(999))).toMatchObject({ isNew: true });
        expect(await publish('z')).toEqual({ kind: 'no-room' });
      });
    });

    test('of two that publish at once each gets a version of its own', async () => {
      const other = opened.another();
      const both = await Promise.all([store.publish(ANN, wanted('one')), other.publish(ANN, wanted('two'))]);
      expect(both.map((one) => (one.kind === 'published' ? one.record.version : one.kind)).sort()).toEqual([1, 2]);
    });
  });
}
