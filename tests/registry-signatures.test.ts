// Who vouches for the packages of a release: asked of a made-up registry on loopback, which signs as a real one does.

import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { checkSignatures, pinnedPackages, signatureText } from '../build/registry-signatures.ts';
import { closeAtEnd } from './support/close-at-end.ts';

const PINNED = [
  { name: '@some/thing', version: '2.0.1', digest: 'sha512-aaa' },
  { name: 'ws', version: '8.22.2', digest: 'sha512-bbb' },
];
const OLD = '2025-01-29T00:00:00.000Z';

interface MadeUp {
  /** Undefined: the registry does not sign. */
  readonly keys?: readonly {
    readonly id: string;
    readonly pair: { publicKey: KeyObject };
    readonly expires?: string;
  }[];
  readonly dists: Readonly<Record<string, object>>;
  readonly times?: Readonly<Record<string, string>>;
  readonly status?: number;
}

const pair = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });
const ours = pair();
const signature = (text: string, by = ours, keyid = 'k1') => ({
  keyid,
  sig: sign('sha256', Buffer.from(text), by.privateKey).toString('base64'),
});
const signed = PINNED.map(({ name, version, digest }) => [
  `/${name.replace('/', '%2f')}/${version}`,
  { integrity: digest, signatures: [signature(`${name}@${version}:${digest}`)] },
]) as [[string, object], [string, object]];
const KEYS = [{ id: 'k1', pair: ours }];

/** Its address, and what it was asked. */
async function registry({ keys, dists, times, status }: MadeUp): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = [];
  const answerTo = (path: string): object | undefined => {
    if (path === '/-/npm/v1/keys')
      return (
        keys && {
          keys: keys.map(({ id, pair: { publicKey }, expires = null }) => ({
            keyid: id,
            expires,
            key: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
          })),
        }
      );
    if (dists[path] !== undefined) return { dist: dists[path] };
    return times && { time: times };
  };
  const server = createServer(({ url = '' }, outgoing) => {
    asked.push(url);
    const answer = answerTo(url);
    outgoing.writeHead(status ?? (answer === undefined ? 404 : 200)).end(JSON.stringify(answer ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closeAtEnd(async () => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

const outcome = async (made: MadeUp): Promise<string> => {
  try {
    return signatureText(await checkSignatures((await registry(made)).url, PINNED));
  } catch (error) {
    return (error as Error).message;
  }
};

test('signatures of the registry for the pinned digests are verified, and an attestation is told', async () => {
  const [first, [path, dist]] = signed;
  const dists = Object.fromEntries([first, [path, { ...dist, attestations: { url: 'x' } }]]);
  const made = await registry({ keys: KEYS, dists });
  const report = await checkSignatures(`${made.url}/`, PINNED);
  expect(report.hasKeys).toBe(true);
  expect(signatureText(report).split('\n').slice(1)).toEqual([
    '# package\tversion\tdigest\tsignature',
    '@some/thing\t2.0.1\tsha512-aaa\tverified',
    'ws\t8.22.2\tsha512-bbb\tverified, attested',
    '',
  ]);
  expect(made.asked).toContain('/@some%2fthing/2.0.1');
});

test('a registry that has no keys vouches for nothing, and every line says so', async () => {
  const text = await outcome({ dists: Object.fromEntries(signed) });
  expect(text).toMatch(/^# NOT VERIFIED: the registry that was asked has no keys/);
  expect(text).toContain('ws\t8.22.2\tsha512-bbb\tnone\n');
  expect(text).not.toContain('verified\n');
});

test.each<[string, object, string]>([
  [
    'a signature of somebody else',
    { integrity: 'sha512-bbb', signatures: [signature('ws@8.22.2:sha512-bbb', pair())] },
    'its signature with k1 is wrong',
  ],
  [
    'the signature of another digest',
    { integrity: 'sha512-bbb', signatures: [signature('ws@8.22.2:sha512-ccc')] },
    'its signature with k1 is wrong',
  ],
  [
    'the signature of another package',
    { integrity: 'sha512-bbb', signatures: [signature('wss@8.22.2:sha512-bbb')] },
    'its signature with k1 is wrong',
  ],
  [
    'a key that the registry does not have',
    { integrity: 'sha512-bbb', signatures: [signature('ws@8.22.2:sha512-bbb', ours, 'k2')] },
    'it is signed with k2, which is no key',
  ],
  [
    'one good signature beside a wrong one',
    { integrity: 'sha512-bbb', signatures: [signature('ws@8.22.2:sha512-bbb'), signature('x')] },
    'its signature with k1 is wrong',
  ],
  ['no signature', { integrity: 'sha512-bbb' }, 'it has no signature, although the registry signs'],
  [
    'another digest than the pinned one',
    { integrity: 'sha512-ccc', signatures: [signature('ws@8.22.2:sha512-ccc')] },
    'its digest at the registry is sha512-ccc',
  ],
])('%s refuses the release, with the remedy', async (_, dist, words) => {
  const text = await outcome({ keys: KEYS, dists: Object.fromEntries([signed[0], ['/ws/8.22.2', dist]]) });
  expect(text).toContain('1 of 2 packages are not what the registry vouches for');
  expect(text).toContain(`ws@8.22.2: ${words}`);
  expect(text).toContain('pin a version that is signed');
});

test('another digest refuses the release also where the registry has no keys', async () => {
  const dists = Object.fromEntries([signed[0], ['/ws/8.22.2', { integrity: 'sha512-ccc' }]]);
  expect(await outcome({ dists })).toContain('ws@8.22.2: its digest at the registry is sha512-ccc');
});

test('a key that has expired counts for what was published before', async () => {
  const made = { keys: [{ ...KEYS[0]!, expires: OLD }], dists: Object.fromEntries(signed) };
  const times = (day: string) => ({ '2.0.1': '2024-01-01T00:00:00.000Z', '8.22.2': day });
  expect(await outcome({ ...made, times: times('2024-05-01T00:00:00.000Z') })).toContain(
    'ws\t8.22.2\tsha512-bbb\tverified',
  );
  expect(await outcome({ ...made, times: times('2026-05-01T00:00:00.000Z') })).toContain(
    'published after its key k1 had expired',
  );
  expect(await outcome(made)).toContain('published after its key k1 had expired');
});

test('a registry that fails is not taken for one without keys', async () => {
  expect(await outcome({ keys: KEYS, dists: Object.fromEntries(signed), status: 500 })).toMatch(
    /cannot be asked who vouches for the packages \(it answers 500\)\. Try again/,
  );
  await expect(checkSignatures('http://127.0.0.1:1', PINNED)).rejects.toThrow('cannot be asked who vouches');
});

test('packages of a lock file are each asked for once, by the name they have at the registry', () => {
  const packages = {
    '': { name: 'signalbox', version: '1.0.0' },
    'node_modules/ws': { version: '8.22.2', integrity: 'sha512-bbb' },
    'node_modules/a/node_modules/ws': { version: '8.22.2', integrity: 'sha512-bbb' },
    'node_modules/alias': { name: '@some/thing', version: '2.0.1', integrity: 'sha512-aaa' },
  };
  expect(pinnedPackages(JSON.stringify({ packages }))).toEqual(PINNED);
});
