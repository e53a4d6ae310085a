// A session: one browser that the owner has logged in. Its secret is replaced regularly, and an old one that turns up ends it.
//
//   login ──► living ──► ended: logged out, revoked, password changed, 7 days unused, 30 days old,
//                               or an old secret was shown: somebody has copied the cookie
//
// A cookie is `family.secret`. The family names the session and stays; of both only digests are kept. A secret that was in
// use for 15 minutes is replaced by the next one, which follows from it and from a key that only the store has:
//
//   secret 1 ──HMAC──► secret 2 ──HMAC──► secret 3 …
//
// An answer may be lost, and tabs ask side by side. So the old secret still counts until the new one is shown for the first
// time, and each who comes with it is given the same new one; and for a minute after that, because requests overtake each
// other. From then on nobody honest has it any more.

import { createHmac, hash, timingSafeEqual } from 'node:crypto';

export interface Session {
  /** For lists: nobody gets in with it. The first 12 hex digits of the family's digest. */
  readonly id: string;
  /** SHA-256 in hex, as the other digests. */
  readonly familyDigest: string;
  /** Makes the next secret out of the present one, in base64url. */
  readonly chainKey: string;
  readonly digest: string;
  /** Of the secret before, once there was one. */
  readonly previousDigest?: string | undefined;
  /** When the present secret was shown first; undefined while its owner may not have it yet. */
  readonly confirmedAtMs?: number | undefined;
  readonly createdAtMs: number;
  /** To the minute. */
  readonly lastUsedAtMs: number;
  /** Where it was used last. */
  readonly address: string;
  readonly userAgent: string;
}

export const LIFE_MS = 30 * 24 * 3_600_000;
export const IDLE_MS = 7 * 24 * 3_600_000;
export const ROTATE_AFTER_MS = 15 * 60_000;
export const GRACE_MS = 60_000;
/** Every write is a sync of the disk. */
const TOUCH_AFTER_MS = 60_000;
const SECRET_BYTES = 32;
const FAMILY_BYTES = 16;
const ID_CHARS = 12;
/** 16 and 32 bytes in base64url. */
const COOKIE = /^([\w-]{22})\.([\w-]{43})$/;
const MAX_USER_AGENT_CHARS = 200;

export interface SessionOrigin {
  readonly address: string;
  readonly userAgent: string;
}

export interface NewSession {
  readonly session: Session;
  readonly cookie: string;
}

export function newSession(
  { address, userAgent }: SessionOrigin,
  { nowMs, randomBytes }: { readonly nowMs: number; readonly randomBytes: (size: number) => Uint8Array },
): NewSession {
  const text = (size: number): string => Buffer.from(randomBytes(size)).toString('base64url');
  const [family, secret, chainKey] = [text(FAMILY_BYTES), text(SECRET_BYTES), text(SECRET_BYTES)];
  const familyDigest = digestOf(family);
  const session = {
    id: familyDigest.slice(0, ID_CHARS),
    familyDigest,
    chainKey,
    digest: digestOf(secret),
    confirmedAtMs: nowMs,
    createdAtMs: nowMs,
    lastUsedAtMs: nowMs,
    address,
    userAgent: printable(userAgent),
  };
  return { session, cookie: `${family}.${secret}` };
}

export interface ShownCookie {
  readonly family: string;
  readonly familyDigest: string;
  readonly secret: string;
}

/** Undefined for what was never a cookie of ours. */
export function readCookie(text: string): ShownCookie | undefined {
  const [, family, secret] = COOKIE.exec(text) ?? [];
  if (family === undefined || secret === undefined) return undefined;
  return { family, secret, familyDigest: digestOf(family) };
}

export const endOf = ({ createdAtMs, lastUsedAtMs }: Session): number =>
  Math.min(createdAtMs + LIFE_MS, lastUsedAtMs + IDLE_MS);

/** What a cookie does with its session: it lets in, with what is to be stored and the new cookie, or it ends it. */
export type Step =
  | { readonly kind: 'in'; readonly session: Session; readonly cookie?: string | undefined }
  | { readonly kind: 'expired' | 'stolen' };

export interface Use {
  readonly nowMs: number;
  readonly address: string;
  /** Whether a new cookie can be handed over with the answer. */
  readonly mayRotate: boolean;
}

export function useSession(session: Session, { family, secret }: ShownCookie, use: Use): Step {
  const { nowMs, mayRotate } = use;
  if (endOf(session) <= nowMs) return { kind: 'expired' };
  const nextCookie = (): string => `${family}.${nextSecret(session, secret)}`;
  const shown = digestOf(secret);
  const touched = touch(session, use);
  if (isSame(shown, session.digest)) {
    const confirmedAtMs = session.confirmedAtMs ?? nowMs;
    if (!mayRotate || nowMs - confirmedAtMs < ROTATE_AFTER_MS)
      return { kind: 'in', session: session.confirmedAtMs === undefined ? { ...touched, confirmedAtMs } : touched };
    const digest = digestOf(nextSecret(session, secret));
    const rotated = { ...touched, digest, previousDigest: session.digest, confirmedAtMs: undefined };
    return { kind: 'in', session: rotated, cookie: nextCookie() };
  }
  if (session.previousDigest === undefined || !isSame(shown, session.previousDigest)) return { kind: 'stolen' };
  // The next one has not arrived, or nobody has come with it yet.
  if (session.confirmedAtMs === undefined)
    return { kind: 'in', session: touched, cookie: mayRotate ? nextCookie() : undefined };
  return nowMs < session.confirmedAtMs + GRACE_MS ? { kind: 'in', session: touched } : { kind: 'stolen' };
}

/** The same session where nothing is worth a write. */
function touch(session: Session, { nowMs, address }: Use): Session {
  return nowMs - session.lastUsedAtMs < TOUCH_AFTER_MS ? session : { ...session, lastUsedAtMs: nowMs, address };
}

const nextSecret = ({ chainKey }: Session, secret: string): string =>
  createHmac('sha256', Buffer.from(chainKey, 'base64url')).update(secret).digest('base64url');

const digestOf = (text: string): string => hash('sha256', text, 'hex');
const isSame = (one: string, other: string): boolean => timingSafeEqual(Buffer.from(one), Buffer.from(other));

/** Whoever calls chooses it; it is shown in lists and in terminals. */
const printable = (userAgent: string): string => userAgent.replace(/[^\x20-\x7e]/g, '').slice(0, MAX_USER_AGENT_CHARS);
