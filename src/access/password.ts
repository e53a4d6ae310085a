// The owner's password: kept as a scrypt hash with a salt and parameters of its own, and compared in constant time.

import { scrypt, timingSafeEqual } from 'node:crypto';
import { Semaphore } from '../timing/semaphore.ts';
import { AccessFault } from './access-fault.ts';

export interface ScryptCost {
  /** Rounds, a power of two. */
  readonly n: number;
  readonly r: number;
  readonly p: number;
}

export interface PasswordsParts {
  readonly randomBytes: (size: number) => Uint8Array;
  /** Of new hashes; those that are stored say their own. */
  readonly cost?: ScryptCost;
}

/** 32 MiB and about a quarter of a second: what guessing costs for each try, and what a machine that trades can spare. */
const COST: ScryptCost = { n: 2 ** 15, r: 8, p: 3 };
const SALT_BYTES = 16;
const KEY_BYTES = 32;
/** Below that a stolen hash could be guessed. */
export const MIN_PASSWORD_CHARS = 12;
/** Longer is a mistake of the clipboard. */
export const MAX_PASSWORD_CHARS = 256;
/** Whoever comes behind these waits for longer than a person does. */
const MAX_WAITING = 40;
const MAX_WAIT_MS = 20_000;

/** Strangers wait for each other: however many they are, the owner's own tries stand before nobody else's. */
export type Lane = 'owner' | 'stranger';

const newLane = () => new Semaphore({ atOnce: 1, maxWaiting: MAX_WAITING, maxWaitMs: MAX_WAIT_MS });

const FORM = /^scrypt\$(\d{1,8})\$(\d{1,3})\$(\d{1,3})\$([\w-]+)\$([\w-]+)$/;

/** What is wrong with a new password, with the remedy; undefined where it will do. */
export function passwordFault(password: string): string | undefined {
  const { length } = [...password];
  if (length < MIN_PASSWORD_CHARS)
    return `the password has ${length} characters; take at least ${MIN_PASSWORD_CHARS}, for example four words in a row`;
  if (length > MAX_PASSWORD_CHARS) return `the password is longer than ${MAX_PASSWORD_CHARS} characters; shorten it`;
  if (new Set(password).size < 4) return 'the password repeats the same few characters; take four words in a row';
  return undefined;
}

export class Passwords {
  readonly #parts: PasswordsParts;
  /** One at a time in each lane: a flood of logins must not take the memory and the threads of whoever trades. */
  readonly #lanes: Readonly<Record<Lane, Semaphore>> = { owner: newLane(), stranger: newLane() };

  constructor(parts: PasswordsParts) {
    this.#parts = parts;
  }

  async hash(password: string): Promise<string> {
    const { randomBytes, cost = COST } = this.#parts;
    const salt = Buffer.from(randomBytes(SALT_BYTES));
    const key = await this.#derive(password, salt, cost, 'owner');
    return hashText(cost, salt, key);
  }

  /** Takes as long where there is no hash: nobody learns from the time whether a password is set. */
  async isRight(password: string, hash: string | undefined, lane: Lane = 'owner'): Promise<boolean> {
    const { cost, salt, key } = readHash(hash ?? this.#decoy());
    const derived = await this.#derive(password, salt, cost, lane);
    return timingSafeEqual(derived, key) && hash !== undefined;
  }

  #decoy(): string {
    return hashText(this.#parts.cost ?? COST, Buffer.alloc(SALT_BYTES), Buffer.alloc(KEY_BYTES));
  }

  async #derive(password: string, salt: Buffer, { n, r, p }: ScryptCost, lane: Lane): Promise<Buffer> {
    const leave = await this.#lanes[lane].enter();
    if (typeof leave === 'string')
      throw new AccessFault('BUSY', 'too many passwords are being looked at; try again in a few seconds');
    try {
      return await new Promise((resolve, reject) => {
        // The same letters typed on different keyboards are the same password.
        const text = password.normalize('NFKC');
        const options = { N: n, r, p, maxmem: 256 * n * r };
        scrypt(text, salt, KEY_BYTES, options, (error, key) => (error === null ? resolve(key) : reject(error)));
      });
    } finally {
      leave();
    }
  }
}

const hashText = ({ n, r, p }: ScryptCost, salt: Buffer, key: Buffer): string =>
  `scrypt$${n}$${r}$${p}$${salt.toString('base64url')}$${key.toString('base64url')}`;

function readHash(text: string): { readonly cost: ScryptCost; readonly salt: Buffer; readonly key: Buffer } {
  const [, n, r, p, salt = '', key = ''] = FORM.exec(text) ?? [];
  if (n === undefined)
    throw new Error('the stored password cannot be read; set it again with "signalbox password" on the machine itself');
  return {
    cost: { n: Number(n), r: Number(r), p: Number(p) },
    salt: Buffer.from(salt, 'base64url'),
    key: Buffer.from(key, 'base64url'),
  };
}
