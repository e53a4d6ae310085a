// Reads an image out of Base64: plain or as a data URL, its type told by its first bytes and by nothing else.

import type { ModelImage } from '../../agent/model-provider.ts';

export type ReadImage = { readonly image: ModelImage } | { readonly fault: string };

const DATA_URL = /^data:[\w.+/-]{0,64}(?:;[\w.+=-]{1,64}){0,4},/i;
/** One letter at a time, as with the next: a rule over many would remember every letter on the way, and run out of room. */
const NO_BASE64 = /[^A-Za-z0-9+/]/;
const SPACE = /[\r\n\t ]/g;

const SIGNATURES: readonly (readonly [ModelImage['mediaType'], (bytes: Buffer) => boolean])[] = [
  ['image/png', (bytes) => starts(bytes, 0, '\x89PNG\r\n\x1a\n')],
  ['image/jpeg', (bytes) => starts(bytes, 0, '\xff\xd8\xff')],
  ['image/gif', (bytes) => starts(bytes, 0, 'GIF87a') || starts(bytes, 0, 'GIF89a')],
  ['image/webp', (bytes) => starts(bytes, 0, 'RIFF') && starts(bytes, 8, 'WEBP')],
];

const starts = (bytes: Buffer, at: number, signature: string): boolean =>
  bytes.subarray(at, at + signature.length).equals(Buffer.from(signature, 'latin1'));

const paddingOf = (text: string): number => (text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0);

export function readImage(given: string): ReadImage {
  const head = DATA_URL.exec(given.slice(0, 512))?.[0] ?? '';
  if (head !== '' && !/;base64,$/i.test(head)) return { fault: 'is a data URL without ;base64, send Base64' };
  // Command line tools wrap Base64 into lines.
  const text = given.slice(head.length).replace(SPACE, '');
  const letters = text.slice(0, text.length - paddingOf(text));
  // Node would skip what is no Base64 and read something else than what was sent.
  if (letters === '' || NO_BASE64.test(letters) || letters.length % 4 === 1)
    return { fault: 'is not Base64, send the bytes of the image encoded as Base64' };
  const bytes = Buffer.from(text, 'base64');
  const mediaType = SIGNATURES.find(([, isOne]) => isOne(bytes))?.[0];
  if (mediaType === undefined) return { fault: 'is no PNG, JPEG, WebP or GIF, send one of these' };
  return { image: { mediaType, bytes } };
}
