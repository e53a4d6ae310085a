// What the bodies of the session endpoints look like: the same schemas check requests and describe them in /openapi.json.

import { z } from 'zod';
import { MAX_PASSWORD_CHARS, MIN_PASSWORD_CHARS } from '../../access/password.ts';
import type { EndpointDoc } from '../../http/endpoint.ts';

export const TAGS = ['Dashboard'];
export const SHAPED = { code: 'INVALID_PAYLOAD' };

const described = <T extends z.ZodType>(schema: T, description: string): T => schema.meta({ description });
/** Longer than any that can be set, so that a wrong one is called wrong. */
const passwordText = z.string().max(4 * MAX_PASSWORD_CHARS);
const codeText = z.string().max(64);
const timeMs = z.number().int();

export const answered = (description: string, result: z.ZodType) => ({
  200: { description, schema: z.object({ success: z.literal(true), requestId: z.string(), result }) },
});

/** What every endpoint that looks at a password may answer. */
export const PROVED: EndpointDoc['responses'] = {
  400: { description: 'INVALID_JSON, INVALID_PAYLOAD' },
  401: { description: 'UNAUTHORIZED; LOGIN_FAILED: the password is wrong' },
  429: { description: 'TOO_MANY_LOGINS: wait as long as Retry-After says' },
};

export const entrySchema = z.object({
  entry: described(
    z.enum(['open', 'session', 'closed']),
    'open: this caller passes without a session, from the same machine in protected mode or with the token; session: by the cookie; closed: log in first',
  ),
  passwordSet: described(z.boolean(), 'Whether there is a password to log in with'),
  codeNeeded: described(z.boolean(), 'Whether a code of an authenticator app is needed too'),
});

export const stateSchema = entrySchema.omit({ entry: true });

export const loginSchema = z.object({
  password: passwordText,
  code: described(codeText.optional(), 'Of the authenticator app, or a recovery code; where codes are asked for'),
});

export const openedSchema = z.object({ sessionId: z.string(), endsAt: described(timeMs, 'At the latest') });
export const endedSchema = z.object({
  ended: described(
    z.boolean(),
    'False where the cookie is missing, stands there twice, or names no session that still lives: nothing was ended',
  ),
});

export const sessionSchema = z.object({
  sessionId: z.string(),
  current: described(z.boolean(), 'The one that asks'),
  createdAt: timeMs,
  lastUsedAt: described(timeMs, 'To the minute'),
  endsAt: described(timeMs, 'Unless it is used before: after 7 days without use, and after 30 days anyhow'),
  address: described(z.string(), 'Where it was used last'),
  userAgent: described(z.string(), 'What the browser calls itself'),
});

export const sessionParams = z.object({
  sessionId: z
    .string()
    .max(64)
    .meta({ examples: ['$SESSION_ID'] }),
});

export const passwordSchema = z.object({
  password: described(passwordText, `At least ${MIN_PASSWORD_CHARS} characters`),
  current: described(passwordText.optional(), 'The present one; where none is set it is not asked for'),
});

export const proofSchema = z.object({ password: passwordText });
export const totpEndSchema = z.object({
  password: passwordText,
  code: described(
    codeText.optional(),
    'Of the authenticator app, or a recovery code; left out only where none is asked for',
  ),
});
export const codeSchema = z.object({ code: described(codeText, 'What the app shows now') });
export const totpStartSchema = z.object({
  secret: described(z.string(), 'Base32, to be typed into the app'),
  address: described(z.string(), 'The same as an otpauth address, for a QR code'),
});
export const recoverySchema = z.object({
  recoveryCodes: described(z.array(z.string()), 'Each lets in once in place of a code; shown this once'),
});
