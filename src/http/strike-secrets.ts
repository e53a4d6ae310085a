// A text as it may be kept: every secret in it is struck out, wherever it stands and whether or not the text is JSON.

import { maskSecrets } from './mask-secrets.ts';
import { redactFields } from './redact.ts';
import { createFragmentStriker, strikeSplitKeys } from './split-secrets.ts';

const MASK = '***';
const MAX_KEPT_BYTES = 4096;
/** More is not looked at: a stranger's 64 KiB must not cost 64 KiB of searching. */
const MAX_READ_BYTES = 8192;
/** The longest secret there can be. Of a text that was cut so much is left out, since a secret may have been cut too. */
const LONGEST_SECRET_CHARS = 512;

/**
 * Whatever stands behind a telling name in a text that is no JSON. Blanks come one at a time by then: see `evened`. What
 * follows behind nothing but quotes, escapes, line ends or the length of a chunk is the rest of the same value, unless it
 * is the name of the next one.
 */
const NAME = '(?:key|token|secret|password|passphrase|passwd|auth(?:orization)?|bearer|credentials?)';
const VALUE = String.raw`[^\s"',;&}{]`;
const REST = String.raw`(?:[\s"'+]{1,8}(?:[0-9a-f]{1,4}[\s"']{1,4})?[^\s"',;:=&}{]{8,}(?=[\s"',;&}{]|$)(?!["']?\s?[:=]))`;
const NAMED = new RegExp(
  String.raw`(${NAME}["']?(?:\s?[:=]\s?|\s)["']?)(?:${VALUE}{4,}${REST}*|${VALUE}{1,3}${REST}+)`,
  'gi',
);
/** The same in JSON; an idempotency key is no secret, and whoever looks for a refused signal needs it. */
const SECRET_NAME = /key|token|secret|pass(?:word|phrase|wd)|auth|bearer|credential|cookie/i;
const NO_SECRET_NAME = /^idempotency[_-]?key$/i;
/** Long runs of letters that could be the tail of a key whose beginning was written in another way. */
const LONG_RUN = /[A-Za-z0-9_-]{32,}/g;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export interface SecretStriker {
  /** A sentence of ours that may repeat what a sender wrote. */
  text(text: string): string;
  /** The beginning of a body, at most 4 KiB. */
  body(bytes: Uint8Array): string;
}

/** `secrets`: those that are known by heart, such as keys from the settings. */
export function createSecretStriker(secrets: readonly string[]): SecretStriker {
  const known = secrets.filter((secret) => secret !== '').flatMap((secret) => [secret, inJson(secret)]);
  const strikeFragments = createFragmentStriker(known);
  const text = (given: string): string => {
    let struck = given;
    for (const secret of known) struck = struck.replaceAll(secret, MASK);
    return maskSecrets(strikeFragments(struck)).replace(LONG_RUN, (run) => (UUID.test(run) ? run : MASK));
  };
  return {
    text,
    body(bytes) {
      const isCut = bytes.length > MAX_READ_BYTES;
      const read = new TextDecoder().decode(isCut ? bytes.subarray(0, MAX_READ_BYTES) : bytes);
      const fields = isCut ? undefined : fieldsIn(read);
      const plain =
        fields === undefined
          ? strikeSplitKeys(evened(read)).replace(NAMED, `$1${MASK}`)
          : strikeSplitKeys(JSON.stringify(redactFields(fields), withoutSecret));
      return shortened(text(isCut ? plain.slice(0, -LONGEST_SECRET_CHARS) : plain));
    },
  };
}

/**
 * JSON that is broken may still spell a secret with escapes, and UTF-16 puts a zero between two letters. Runs of blanks
 * become one, so that no search behind a name has to try them in every way: that would take a stranger's body seconds.
 */
const evened = (text: string): string =>
  text
    .replaceAll('\0', '')
    .replace(/\\u([0-9a-fA-F]{4})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
    .replaceAll('\0', '')
    .replace(/[^\S\n]+/g, ' ')
    .replace(/\n+/g, '\n');

const withoutSecret = (name: string, value: unknown): unknown =>
  SECRET_NAME.test(name) && !NO_SECRET_NAME.test(name) && value !== null ? MASK : value;
const inJson = (secret: string): string => JSON.stringify(secret).slice(1, -1);

function fieldsIn(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function shortened(text: string): string {
  const bytes = Buffer.from(text);
  return bytes.length <= MAX_KEPT_BYTES
    ? text
    : bytes
        .subarray(0, MAX_KEPT_BYTES)
        .toString()
        .replace(/\uFFFD+$/, '');
}
