// The error shape of the key-authenticated services: status, code, message, and whatever a refusal adds.

import { z } from 'zod';
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

/** The same shape for /openapi.json; whatever a refusal adds is described where it may be added. */
export const statusErrorSchema = z.object({
  status: z.literal('error'),
  code: z.string().meta({ description: 'One stable word per refusal' }),
  message: z.string().meta({ description: 'What is wrong and what to do' }),
});

const shortened = (text: string): string =>
  text.length > MAX_MESSAGE_CHARS ? `${text.slice(0, MAX_MESSAGE_CHARS).toWellFormed()}…` : text;
