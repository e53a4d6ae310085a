// The webhook keys, as somebody uses them who has one in his hand: which one it is, and a new one with one press.

import type { Result } from './answers.ts';
import { ask } from './ask.ts';
import type { IssuedKey, WebhookKey } from './setup-answers.ts';

export const WEBHOOK_KEYS = '/admin/webhook-keys';

/** What a whole key looks like, one of the settings too, which is any word; the server says whether it is one. */
export const looksWhole = (text: string): boolean =>
  /^(?:whk_[A-Za-z0-9_-]{43}|(?!whk_|pn_|pyn_)\S{8,128})$/.test(text.trim());

export const identifyKey = async (apiKey: string): Promise<WebhookKey> =>
  (
    await ask<Result<WebhookKey>>(`${WEBHOOK_KEYS}/identify`, {
      method: 'POST',
      effect: 'none',
      body: { apiKey: apiKey.trim() },
    })
  ).result;

/** Named after the script that it is for. */
export async function makeKeyFor(name: string): Promise<IssuedKey> {
  const { result: keys } = await ask<Result<readonly WebhookKey[]>>(WEBHOOK_KEYS);
  const taken = keys.filter(({ revokedAt }) => revokedAt === null).map(({ label }) => label);
  const body = { label: freeLabel(name, taken) };
  return (await ask<Result<IssuedKey>>(WEBHOOK_KEYS, { method: 'POST', body })).result;
}

/** As long as the server takes, with room for a number. */
const MAX_LABEL_CHARS = 60;

/** A label that the server takes, as near to the name as it can be. */
export function freeLabel(name: string, taken: readonly string[]): string {
  const plain =
    name
      .replace(/[^A-Za-z0-9._-]+/g, ' ')
      .slice(0, MAX_LABEL_CHARS)
      .trim() || 'script';
  // What begins so is of the environment.
  const base = /^static-/i.test(plain) ? `script ${plain}`.slice(0, MAX_LABEL_CHARS).trim() : plain;
  let label = base;
  for (let number = 2; taken.includes(label); number++) label = `${base} ${number}`;
  return label;
}
