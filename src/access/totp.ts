// One-time codes of an authenticator app (TOTP, RFC 6238 over HOTP, RFC 4226): six digits, a new one every 30 seconds.

import { createHmac, timingSafeEqual } from 'node:crypto';

const STEP_MS = 30_000;
const DIGITS = 6;
const SECRET_BYTES = 20;
/** The clock of a phone, or of whoever types, may be a step off. */
const STEPS_OFF = [0, -1, 1];
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const CODE = /^\d{6}$/;

/** In base32, which is what authenticator apps take. */
export const newTotpSecret = (randomBytes: (size: number) => Uint8Array): string => base32(randomBytes(SECRET_BYTES));

/** The step that a code belongs to, later than the last one that was used; undefined for a wrong or used code. */
export function stepOfCode(secret: string, code: string, nowMs: number, lastStep = -1): number | undefined {
  const digits = code.replaceAll(' ', '');
  if (!CODE.test(digits)) return undefined;
  const given = Buffer.from(digits);
  const now = Math.floor(nowMs / STEP_MS);
  // Every step is looked at, so that the time tells nothing.
  const fitting = STEPS_OFF.map((off) => now + off).filter((step) => timingSafeEqual(given, codeAt(secret, step)));
  return fitting.find((step) => step > lastStep);
}

/** The code of the moment, as the app shows it. */
export const totpCode = (secret: string, nowMs: number): string =>
  codeAt(secret, Math.floor(nowMs / STEP_MS)).toString();

/** What a QR code holds. */
export function otpauthAddress(secret: string, account: string): string {
  const label = encodeURIComponent(`Signalbox:${account}`);
  return `otpauth://totp/${label}?secret=${secret}&issuer=Signalbox&algorithm=SHA1&digits=${DIGITS}&period=${STEP_MS / 1000}`;
}

function codeAt(secret: string, step: number): Buffer {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.max(0, step)));
  const mac = createHmac('sha1', fromBase32(secret)).update(counter).digest();
  const offset = (mac.at(-1) ?? 0) & 0xf;
  const number = (mac.readUInt32BE(offset) & 0x7fffffff) % 10 ** DIGITS;
  return Buffer.from(String(number).padStart(DIGITS, '0'));
}

export function base32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const groups = bits.match(/.{1,5}/g) ?? [];
  return groups.map((group) => LETTERS[Number.parseInt(group.padEnd(5, '0'), 2)]).join('');
}

function fromBase32(text: string): Buffer {
  const bits = [...text].map((letter) => LETTERS.indexOf(letter).toString(2).padStart(5, '0')).join('');
  const bytes = bits.match(/.{8}/g) ?? [];
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)));
}
