// `signalbox wallet` from the command line to a real key file: the key comes from standard input and shows up nowhere.

import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { importKey, keystoreAddress, openKeystore } from '../../adapters/keystores/v3/keystore.ts';
import { createDurably } from '../../adapters/storage/durable-file.ts';
import { addressOfKey } from '../../wallet/private-key.ts';
import type { WalletHost } from '../host.ts';
import { readLines } from '../read-lines.ts';
import { type Given, run } from '../testing/fake-host.ts';

const KEY = '0x7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d';
const ADDRESS = addressOfKey(KEY);
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'signalbox-wallet-cli-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** As the real process has it, with a cheap cipher. */
function hostWith(input: string, fallback = join(folder, 'wallet.json')): Given {
  const wallet: WalletHost = {
    async importWalletKey({ privateKey, password, file = fallback }) {
      const cheap = { randomBytes, newId: randomUUID, cost: 1024, createFile: createDurably };
      const sealed = { path: file, privateKey, password, ...cheap };
      return { address: await importKey(sealed), file };
    },
    walletAddress: async (file = fallback) => ({ address: await keystoreAddress(file), where: file }),
  };
  return { wallet, input };
}

describe('wallet import', () => {
  test('seals the key of standard input under the password of its second line', async () => {
    const file = join(folder, 'one.json');
    const ran = await run(['wallet', 'import', '--file', file], hostWith(`${KEY}\ncorrect horse\n`));
    expect([ran.code, ran.err]).toEqual([0, '']);
    expect(ran.out).toContain(ADDRESS);
    expect(ran.out).toContain(`WALLET_KEYSTORE=${file}`);
    expect(await openKeystore(file, 'correct horse')).toBe(KEY);
    expect(JSON.stringify(ran)).not.toContain(KEY.slice(2));
    expect(JSON.stringify(ran)).not.toContain('correct horse');
  });

  test('takes the password of the environment, and then needs one line only', async () => {
    const given = { ...hostWith(KEY.slice(2)), env: { WALLET_PASSWORD: 'from settings' } };
    expect((await run(['wallet', 'import'], given)).code).toBe(0);
    expect(await openKeystore(join(folder, 'wallet.json'), 'from settings')).toBe(KEY);
    const shown = await run(['wallet', 'address'], given);
    expect([shown.code, shown.out, shown.err]).toEqual([0, ADDRESS, `From ${join(folder, 'wallet.json')}.`]);
  });

  test('takes no key on the command line, and does not repeat it', async () => {
    const ran = await run(['wallet', 'import', KEY], hostWith(''));
    expect(ran.code).toBe(2);
    expect(ran.err).toContain('history');
    expect(JSON.stringify(ran)).not.toContain(KEY.slice(2));
  });

  test.each([
    ['', 'no private key on standard input'],
    ['my dog\npassword\n', 'is no private key'],
    [`${KEY}\n`, 'The password is missing'],
    [`${KEY}\n\n`, 'The password is missing'],
    [`${KEY}\nshort\n`, 'at least 8'],
    ['x'.repeat(9000), 'far too long'],
  ])('says what is wrong with the input %#', async (input, words) => {
    const ran = await run(['wallet', 'import', '--file', join(folder, 'never.json')], hostWith(input));
    expect(ran.code).toBeGreaterThan(0);
    expect(ran.err).toContain(words);
    expect(JSON.stringify(ran)).not.toContain(KEY.slice(2));
    await expect(keystoreAddress(join(folder, 'never.json'))).rejects.toThrow('cannot be read');
  });

  test('never overwrites a key file', async () => {
    const file = join(folder, 'two.json');
    await run(['wallet', 'import', '--file', file], hostWith(`${KEY}\ncorrect horse\n`));
    const again = await run(['wallet', 'import', '--file', file], hostWith(`${KEY}\nanother one\n`));
    expect(again.code).toBe(1);
    expect(again.err).toContain('is there already');
    expect(await openKeystore(file, 'correct horse')).toBe(KEY);
  });
});

test.each([[['wallet']], [['wallet', 'export']], [['wallet', 'address', 'extra']]])(
  '%j is a wrong command line',
  async (argv) => {
    expect((await run(argv, hostWith(''))).code).toBe(2);
  },
);

describe('the first lines', () => {
  async function* chunks(...given: (string | Uint8Array)[]) {
    yield* given;
  }

  test('end where they end, in any cut and with either line end', async () => {
    expect(await readLines(chunks('a\r', '\nb', '\nc'), 2)).toEqual(['a', 'b']);
    expect(await readLines(chunks('a'), 2)).toEqual(['a']);
    expect(await readLines(chunks(), 2)).toEqual([]);
    expect(await readLines(chunks(Uint8Array.of(0xc3), Uint8Array.of(0xa9, 0x0a)), 1)).toEqual(['é']);
  });

  test('are not waited for once they are there', async () => {
    async function* endless() {
      yield 'a\n';
      await new Promise(() => {});
    }
    expect(await readLines(endless(), 1)).toEqual(['a']);
  });
});
