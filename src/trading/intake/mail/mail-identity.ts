// What makes a mail the same mail when it is delivered again: its message id, as a key the journal can claim.

import { hash } from 'node:crypto';

/** The same mail for two recipients is two signals, and another domain's message id is another mail's. */
export function mailIdempotencyKey(mail: { messageId: string; keyLabel: string; from: string }): string {
  const domain = mail.from.slice(mail.from.lastIndexOf('@') + 1).toLowerCase();
  // A line break can stand in none of the three, so no two mails are spelled alike.
  const digest = hash('sha256', [mail.messageId, mail.keyLabel, domain].join('\n'), 'buffer').subarray(0, 16);
  // RFC 9562: version 8 is for UUIDs of one's own making.
  digest[6] = ((digest[6] as number) & 0x0f) | 0x80;
  digest[8] = ((digest[8] as number) & 0x3f) | 0x80;
  return digest.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
