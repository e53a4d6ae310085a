// Bounds logins: so many wrong ones a minute from one address, and from all of them together.
//
// Looking at a password is made costly on purpose, so a try is counted before it is looked at and given back when it was
// right: a thousand at once do not slip through. What is bounded for all would let a flood from many addresses keep the
// owner out; so an address that is known, because a session of the owner lives there or because he has logged in from it
// since the start, is bound by its own limit alone.
import { addressGroup } from './client-address.ts';
import { createRateBuckets, type RateBuckets, type SharedTokens } from './shared-buckets.ts';

export interface LoginLimit {
  attempt(address: string): Promise<LoginAttempt>;
}

export type LoginAttempt =
  | {
      readonly allowed: true;
      /** The owner has been there before. */
      readonly isKnown: boolean;
      /** It was the owner, who is known there from now on. */
      wasRight(): void;
      /** It was no try, whatever else it was. */
      giveBack(): void;
    }
  | { readonly allowed: false; readonly retryAfterSeconds: number };

export interface LoginLimitParts {
  readonly monotonicMs: () => number;
  readonly isKnown: (address: string) => Promise<boolean>;
  /** The tries at several processes; undefined where this one counts alone. */
  readonly shared?: SharedTokens | undefined;
}

const PER_ADDRESS_PER_MINUTE = 10;
const IN_ALL_PER_MINUTE = 60;
/** More addresses than this at once are an attack; the least recently seen is forgotten first. */
const MAX_ADDRESSES = 50_000;
const EVERYBODY = 'all';
/** More places than one owner has; the one he was at first is forgotten first. */
const MAX_PLACES = 100;

export function createLoginLimit({ monotonicMs, isKnown, shared }: LoginLimitParts): LoginLimit {
  const bucketsOf = (name: string, perMinute: number, maxKeys: number): RateBuckets =>
    createRateBuckets({
      ...{ name, shared, capacity: perMinute, refillPerMinute: perMinute },
      ...{ nowMs: monotonicMs, maxKeys },
    });
  const perAddress = bucketsOf('logins', PER_ADDRESS_PER_MINUTE, MAX_ADDRESSES);
  const inAll = bucketsOf('all-logins', IN_ALL_PER_MINUTE, 1);
  const places = new Set<string>();
  const remember = (group: string): void => {
    places.delete(group);
    places.add(group);
    const [first] = places;
    if (places.size > MAX_PLACES && first !== undefined) places.delete(first);
  };
  return {
    async attempt(address) {
      const group = addressGroup(address);
      const own = await perAddress.take(group);
      if (!own.allowed) return { allowed: false, retryAfterSeconds: own.retryAfterSeconds };
      const isKnownPlace = places.has(group) || (await isKnown(address));
      const all = isKnownPlace ? undefined : await inAll.take(EVERYBODY);
      if (all?.allowed === false) return { allowed: false, retryAfterSeconds: all.retryAfterSeconds };
      const giveBack = (): void => {
        perAddress.giveBack(group);
        if (!isKnownPlace) inAll.giveBack(EVERYBODY);
      };
      return {
        allowed: true,
        isKnown: isKnownPlace,
        giveBack,
        wasRight() {
          giveBack();
          remember(group);
        },
      };
    },
  };
}
