// Who vouches for the packages of the lock file: the registry is asked for its keys and for its signature of every digest there,
// and each signature is checked here. A package whose digest there is another one, or whose signature is missing or wrong while
// the registry has keys, is a fault; a registry without keys can vouch for nothing, which is said and is no fault.

import { createPublicKey, verify } from 'node:crypto';

export interface PinnedPackage {
  readonly name: string;
  readonly version: string;
  /** As in the lock file: `sha512-…`. */
  readonly digest: string;
}

/** `attested`: the registry names a statement of where it was built besides; what it says is checked by `npm audit signatures`. */
export type Vouched = 'verified' | 'verified, attested' | 'none' | 'none, attested';

export interface SignatureReport {
  readonly packages: readonly (PinnedPackage & { readonly vouched: Vouched })[];
  /** The registry has no keys: nothing could be verified. */
  readonly hasKeys: boolean;
}

interface RegistryKey {
  readonly keyid: string;
  /** SubjectPublicKeyInfo in base64. */
  readonly key: string;
  readonly expires: string | null;
}

interface Distribution {
  readonly integrity?: string;
  readonly signatures?: readonly { readonly keyid: string; readonly sig: string }[];
  readonly attestations?: object;
}

const KEYS_PATH = '-/npm/v1/keys';
/** What registries without keys answer. */
const NO_KEYS = new Set([400, 404]);
const AT_ONCE = 8;
const TRIES = 3;
const ANSWER_MS = 30_000;
/** More are of no help to whoever reads them. */
const MAX_FAULTS_SHOWN = 10;
const REMEDY =
  'Somebody may have changed it since it was pinned. Do not give this release away: compare with another registry or an older checkout, and pin a version that is signed.';

/** Every package of a lock file that comes from a registry, each once, in the order of their names. */
export function pinnedPackages(lockFile: string): PinnedPackage[] {
  const { packages } = JSON.parse(lockFile) as {
    readonly packages: Record<string, { name?: string; version?: string; integrity?: string }>;
  };
  const found = new Map<string, PinnedPackage>();
  for (const [path, { name = path.replace(/^.*node_modules\//, ''), version, integrity }] of Object.entries(packages))
    if (path !== '' && version !== undefined && integrity !== undefined)
      found.set(`${name}@${version}`, { name, version, digest: integrity });
  return [...found.values()].sort((one, other) =>
    `${one.name}@${one.version}` < `${other.name}@${other.version}` ? -1 : 1,
  );
}

/** Throws, in words with the remedy, where a package is not what the registry vouches for, or where it cannot be asked. */
export async function checkSignatures(registry: string, pinned: readonly PinnedPackage[]): Promise<SignatureReport> {
  const base = registry.replace(/\/*$/, '/');
  const keys = await keysOf(base);
  const packages: (PinnedPackage & { vouched: Vouched })[] = [];
  const faults: string[] = [];
  const waiting = [...pinned.entries()];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [place, each] = next;
      const judged = await judge(base, each, keys);
      if ('fault' in judged) faults.push(`${each.name}@${each.version}: ${judged.fault}`);
      else packages[place] = { ...each, vouched: judged.vouched };
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  if (faults.length === 0) return { packages, hasKeys: keys !== undefined };
  const shown = faults.sort().slice(0, MAX_FAULTS_SHOWN).join('\n  ');
  throw new Error(
    `${faults.length} of ${pinned.length} packages are not what the registry vouches for:\n  ${shown}\n${REMEDY}`,
  );
}

async function keysOf(base: string): Promise<readonly RegistryKey[] | undefined> {
  const answer = await ask<{ readonly keys?: readonly RegistryKey[] }>(base + KEYS_PATH);
  const keys = answer?.keys ?? [];
  return keys.length === 0 ? undefined : keys;
}

type Judged = { readonly vouched: Vouched } | { readonly fault: string };

async function judge(base: string, pinned: PinnedPackage, keys: readonly RegistryKey[] | undefined): Promise<Judged> {
  const { name, version, digest } = pinned;
  const path = base + name.replace('/', '%2f');
  const dist = (await ask<{ readonly dist?: Distribution }>(`${path}/${version}`))?.dist;
  if (dist === undefined) return { fault: 'the registry does not know it' };
  if (dist.integrity !== digest)
    return { fault: `its digest at the registry is ${dist.integrity ?? 'not told'}, not the pinned one` };
  const attested = dist.attestations === undefined ? '' : ', attested';
  if (keys === undefined) return { vouched: `none${attested}` as Vouched };
  const { signatures = [] } = dist;
  if (signatures.length === 0) return { fault: 'it has no signature, although the registry signs' };
  for (const { keyid, sig } of signatures) {
    const key = keys.find((each) => each.keyid === keyid);
    if (key === undefined) return { fault: `it is signed with ${keyid}, which is no key of the registry` };
    if (!isSigned(`${name}@${version}:${digest}`, sig, key)) return { fault: `its signature with ${keyid} is wrong` };
    if (key.expires !== null && !(await wasPublishedBefore(path, version, key.expires)))
      return { fault: `it was published after its key ${keyid} had expired` };
  }
  return { vouched: `verified${attested}` as Vouched };
}

function isSigned(text: string, signature: string, { key }: RegistryKey): boolean {
  const publicKey = createPublicKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'spki' });
  return verify('sha256', Buffer.from(text), publicKey, Buffer.from(signature, 'base64'));
}

/** Only the whole description of a package has its times, and only an old key asks for them. */
async function wasPublishedBefore(path: string, version: string, expires: string): Promise<boolean> {
  const times = (await ask<{ readonly time?: Record<string, string> }>(path))?.time ?? {};
  return Date.parse(times[version] ?? '') < Date.parse(expires);
}

/** Undefined where there is no such thing. */
async function ask<T>(url: string): Promise<T | undefined> {
  let reason = '';
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    try {
      const answer = await fetch(url, {
        signal: AbortSignal.timeout(ANSWER_MS),
        headers: { accept: 'application/json' },
      });
      if (answer.ok) return (await answer.json()) as T;
      await answer.body?.cancel();
      if (NO_KEYS.has(answer.status)) return undefined;
      reason = `it answers ${answer.status}`;
    } catch (error) {
      const { cause, message } = error as Error;
      reason = cause instanceof Error ? cause.message : message;
    }
  }
  throw new Error(
    `The registry cannot be asked who vouches for the packages (${reason}). Try again when it is reachable; behind a proxy set NODE_USE_ENV_PROXY=1, and NODE_EXTRA_CA_CERTS where it has certificates of its own.`,
  );
}

const PLAINLY = {
  signed:
    'Every line below: the digest is the one at the registry, and the signature of the registry for it was verified.',
  unsigned:
    'NOT VERIFIED: the registry that was asked has no keys to sign with. Every line below: the digest is the one at the registry, and nobody vouches for it.',
};

/** A line for each package, for people and for `grep`. */
export function signatureText({ packages, hasKeys }: SignatureReport): string {
  const lines = packages.map(({ name, version, digest, vouched }) => [name, version, digest, vouched].join('\t'));
  const head = [`# ${hasKeys ? PLAINLY.signed : PLAINLY.unsigned}`, '# package\tversion\tdigest\tsignature'];
  return `${[...head, ...lines].join('\n')}\n`;
}
