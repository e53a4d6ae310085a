// The error shape of the key-authenticated services: status, code, message, and whatever a refusal adds.

import type { ErrorShape } from './errors.ts';
import { maskSecrets } from './mask-secrets.ts';

/** Words may repeat what a caller wrote, such as the names of a million unknown fields; nobody reads further than this. */
const MAX_MESSAGE_CHARS = 4000;

export const statusShape: ErrorShape = ({ code, message, extra }) => ({
  status: 'error',
  code,
  message: maskSecrets(shortened(message)),
  ...extra,
});

const shortened = (text: string): string =>
  text.length > MAX_MESSAGE_CHARS ? `${text.slice(0, MAX_MESSAGE_CHARS).toWellFormed()}…` : text;
