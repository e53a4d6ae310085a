// Seals small secrets, such as a venue's credentials, so that whoever copies the database cannot read them without the master key.
//
// A sealed text is `sealed1.<cost>.<block>.<parallel>.<salt>.<nonce>.<bytes>`: the parameters and the salt of scrypt, which makes a
// key of the master key, then what AES-256-GCM made of the secret with it, its 16 bytes of proof last. The name of whoever the
// secret belongs to is under the proof too, and every other part leads to another key or another cipher: a text that was changed,
// or moved to another account, is refused like one of another master key. Nobody can tell these apart, so there is one fault for all.

import { createCipheriv, createDecipheriv, scrypt } from 'node:crypto';

const FORM = 'sealed1';
const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const SALT_BYTES = 16;
const NONCE_BYTES = 12;
const PROOF_BYTES = 16;
/** Powers of two: 32 MiB and some 100 ms for a guess, and at most 256 MiB for a text that says more. */
const COST = 15;
const MAX_COST = 18;
const BLOCK_SIZE = 8;
const PARALLEL = 1;
/** Texts that were sealed one after another share a salt, so there are few; a text of somebody else's making fills nothing. */
const MAX_KEYS = 64;
/** Far more than credentials have. */
const MAX_SECRET_CHARS = 16_384;

const SEALED = new RegExp(`^${FORM}\\.(\\d{2})\\.${BLOCK_SIZE}\\.${PARALLEL}\\.([\\w-]+)\\.([\\w-]+)\\.([\\w-]+)$`);

/** The message holds the remedy, and nothing of what is sealed. */
export class SealedTextFault extends Error {
  override readonly name = 'SealedTextFault';
}

export interface SealerOptions {
  readonly masterKey: string;
  readonly randomBytes: (size: number) => Buffer;
  /** Scrypt, unless a test wants to count how often it is asked. */
  readonly makeKey?: typeof slowKey;
}

export class Sealer {
  readonly #options: SealerOptions;
  /** By cost and salt. A key takes long to make, on purpose, so it is made once. */
  readonly #keys = new Map<string, Promise<Buffer>>();

  constructor(options: SealerOptions) {
    this.#options = options;
  }

  /** `owner` is whose secret it is, in words. A text that was sealed before lends its salt, so that both open with one key. */
  async seal(secret: string, owner: string, sealedBefore?: string): Promise<string> {
    if (secret.length > MAX_SECRET_CHARS)
      throw new SealedTextFault(
        `a secret has at most ${MAX_SECRET_CHARS} characters; check what you gave for ${owner}`,
      );
    const { randomBytes } = this.#options;
    const { cost, salt } = partsOf(sealedBefore ?? '') ?? { cost: COST, salt: randomBytes(SALT_BYTES) };
    const nonce = randomBytes(NONCE_BYTES);
    const head = [FORM, cost, BLOCK_SIZE, PARALLEL, inText(salt), inText(nonce)].join('.');
    const cipher = createCipheriv(CIPHER, await this.#keyOf(cost, salt), nonce).setAAD(Buffer.from(owner));
    const bytes = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return `${head}.${inText(bytes)}`;
  }

  async open(sealed: string, owner: string): Promise<string> {
    const parts = partsOf(sealed);
    if (parts === undefined) throw cannotOpen(owner);
    const { cost, salt, nonce, bytes } = parts;
    const decipher = createDecipheriv(CIPHER, await this.#keyOf(cost, salt), nonce, { authTagLength: PROOF_BYTES })
      .setAAD(Buffer.from(owner))
      .setAuthTag(bytes.subarray(-PROOF_BYTES));
    try {
      return Buffer.concat([decipher.update(bytes.subarray(0, -PROOF_BYTES)), decipher.final()]).toString('utf8');
    } catch {
      throw cannotOpen(owner);
    }
  }

  #keyOf(cost: number, salt: Buffer): Promise<Buffer> {
    const name = `${cost} ${inText(salt)}`;
    const known = this.#keys.get(name);
    if (known !== undefined) return known;
    const { masterKey, makeKey = slowKey } = this.#options;
    const made = makeKey(masterKey, cost, salt);
    if (this.#keys.size < MAX_KEYS) this.#keys.set(name, made);
    return made;
  }
}

export function slowKey(masterKey: string, cost: number, salt: Buffer): Promise<Buffer> {
  const N = 2 ** cost;
  const options = { N, r: BLOCK_SIZE, p: PARALLEL, maxmem: 128 * BLOCK_SIZE * (N + PARALLEL) + 2 ** 20 };
  return new Promise((resolve, reject) => {
    scrypt(masterKey, salt, KEY_BYTES, options, (error, key) => (error ? reject(error) : resolve(key)));
  });
}

/** Whether a text is one that was sealed. */
export const isSealed = (text: string): boolean => partsOf(text) !== undefined;

/** Undefined for what is no sealed text. Each part must be written in the one way that we write it in. */
function partsOf(sealed: string) {
  const [, costText = '', ...texts] = SEALED.exec(sealed) ?? [];
  const [salt, nonce, bytes] = texts.map((text) => Buffer.from(text, 'base64url'));
  const cost = Number(costText);
  if (salt === undefined || nonce === undefined || bytes === undefined || cost < COST || cost > MAX_COST)
    return undefined;
  if (salt.length !== SALT_BYTES || nonce.length !== NONCE_BYTES || bytes.length < PROOF_BYTES) return undefined;
  if ([salt, nonce, bytes].some((part, index) => inText(part) !== texts[index])) return undefined;
  return { cost, salt, nonce, bytes };
}

const inText = (bytes: Buffer): string => bytes.toString('base64url');

const cannotOpen = (owner: string): SealedTextFault =>
  new SealedTextFault(
    `what is stored for ${owner} cannot be opened: it was sealed with another master key, or it was changed. ` +
      'Bring back the SIGNALBOX_MASTER_KEY or the file master.key it was sealed with, or remove it and add it again',
  );
