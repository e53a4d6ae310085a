// Sealed texts: what goes in comes out, for its owner and its master key alone, and never after a change.

import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { SealedTextFault, Sealer, slowKey } from './sealed-text.ts';

const MASTER_KEY = 'a master key of a test';
const OWNER = 'the live account binance:main';
const sealerWith = (masterKey: string) => new Sealer({ masterKey, randomBytes });
const sealer = sealerWith(MASTER_KEY);
let first: string;

beforeAll(async () => {
  first = await sealer.seal('{"apiKey":"k","secret":"s"}', OWNER);
});

const refusal = (sealed: string, owner = OWNER, by = sealer) =>
  by.open(sealed, owner).then(
    () => 'opened',
    (error: unknown) => error,
  );

describe('a sealed text', () => {
  test('gives back any text, and says nothing of it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 300 }), fc.string(), async (secret, owner) => {
        const sealed = await sealer.seal(secret, owner, first);
        expect(await sealer.open(sealed, owner)).toBe(secret);
        expect(sealed).toMatch(/^sealed1\.15\.8\.1\.[\w-]{22}\.[\w-]{16}\.[\w-]+$/);
        if (secret.length > 8) expect(sealed).not.toContain(secret);
      }),
    );
  });

  test('is never the same twice', async () => {
    expect(await sealer.seal('x', OWNER, first)).not.toBe(await sealer.seal('x', OWNER, first));
    const [one, other] = await Promise.all([sealer.seal('x', OWNER), sealer.seal('x', OWNER)]);
    expect(one.split('.')[4]).not.toBe(other.split('.')[4]);
  });

  test('is refused after any change of any character', async () => {
    for (let at = 0; at < first.length; at += 1) {
      const changed = `${first.slice(0, at)}${first[at] === 'A' ? 'B' : 'A'}${first.slice(at + 1)}`;
      expect(await refusal(changed), `character ${at}`).toBeInstanceOf(SealedTextFault);
    }
  }, 60_000);

  test('is refused after any flipped bit, and where something is missing or too much', async () => {
    const bytes = Buffer.from(first.split('.').at(-1) as string, 'base64url');
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length * 8 - 1), async (bit) => {
        const flipped = Buffer.from(bytes);
        flipped[bit >> 3] = (flipped[bit >> 3] as number) ^ (1 << (bit & 7));
        const text = `${first.slice(0, first.lastIndexOf('.'))}.${flipped.toString('base64url')}`;
        expect(await refusal(text)).toBeInstanceOf(SealedTextFault);
      }),
    );
    for (const changed of ['', 'sealed1', first.slice(0, -1), `${first}A`, `${first}=`, ` ${first}`, `${first}\n`])
      expect(await refusal(changed), changed).toBeInstanceOf(SealedTextFault);
  });

  test('that asks for less or for far more work than ours is refused before any is done', async () => {
    for (const cost of ['14', '19', '99'])
      expect(await refusal(first.replace('.15.', `.${cost}.`))).toBeInstanceOf(SealedTextFault);
  });

  test('belongs to its owner and its master key, and the fault names the remedy and no secret', async () => {
    expect(await refusal(first, 'the live account binance:other')).toBeInstanceOf(SealedTextFault);
    const fault = (await refusal(first, OWNER, sealerWith('another master key!'))) as Error;
    expect(fault).toBeInstanceOf(SealedTextFault);
    expect(fault.message).toContain('the live account binance:main');
    expect(fault.message).toContain('Bring back the SIGNALBOX_MASTER_KEY or the file master.key');
    expect(fault.message).not.toContain('apiKey');
  });

  test('is not made of a file that somebody took for a secret', async () => {
    expect(await sealer.open(await sealer.seal('x'.repeat(16_384), OWNER, first), OWNER)).toHaveLength(16_384);
    await expect(sealer.seal('x'.repeat(16_385), OWNER)).rejects.toThrow('at most 16384 characters');
  });
});

test('twenty texts that were sealed one after another open with one key, made once, also when all are asked for at once', async () => {
  let made = 0;
  const makeKey: typeof slowKey = (...of) => {
    made += 1;
    return slowKey(...of);
  };
  const counted = () => new Sealer({ masterKey: MASTER_KEY, randomBytes, makeKey });
  const sealed = [first];
  // Each in a process of its own, as when accounts are added.
  for (let n = 1; n < 3; n += 1) sealed.push(await counted().seal(`secret ${n}`, OWNER, sealed.at(-1)));
  for (let n = 3; n < 20; n += 1) sealed.push(await sealer.seal(`secret ${n}`, OWNER, sealed.at(-1)));
  made = 0;
  const atStart = counted();
  const opened = await Promise.all(sealed.map((text) => atStart.open(text, OWNER)));
  expect(opened.slice(1)).toEqual(Array.from({ length: 19 }, (_, n) => `secret ${n + 1}`));
  expect(made).toBe(1);
});
