// A key that nobody else has, a UUID as the server asks for. crypto.randomUUID is not there over plain http from another machine,
// which an owner may use at home.

const BYTES = 16;
/** Of version 4: which bits say so, and where. */
const VERSION = { at: 6, kept: 0x0f, set: 0x40 };
const VARIANT = { at: 8, kept: 0x3f, set: 0x80 };

export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(BYTES));
  for (const { at, kept, set } of [VERSION, VARIANT]) bytes[at] = (bytes[at]! & kept) | set;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
