// What the script worker's endpoints accept, strict to the last field; the OpenAPI document is made from the same.

import { z } from 'zod';
import { TIERS } from '../../keys/tiers.ts';
import { CODE_HOSTS } from '../../library/device-flow.ts';

/** Which tiers there are is checked apart, because an unknown one has a code of its own. */
export const newKeySchema = z.strictObject({
  tier: z
    .string()
    .optional()
    .meta({ description: `One of ${TIERS.join(', ')}; hobby when left out` }),
});

/** Digits in quotes are accepted too: charting clients keep revisions as text. */
const revisionSchema = z.union([
  z.int().min(0),
  z.string().regex(/^\d{1,15}$/, 'is no revision, send the number that the script was read with'),
]);

const textFields = {
  name: z.string().meta({ description: '1 to 200 characters' }),
  description: z.string().optional().meta({ description: 'At most 4000 characters' }),
  path: z.string().optional().meta({ description: 'Where the client keeps it; 1 to 512 characters' }),
  content: z.string().meta({ description: 'The script; at most 256 KiB in UTF-8' }),
};

/** Ours to write. Accepted, so that a record can be sent back as it was read; what they say changes nothing. */
const echoedFields = { createdAt: z.number().optional(), updatedAt: z.number().optional() };

const known = revisionSchema.optional().meta({ description: 'The revision the client knows; 0 for nothing there' });

export const newScriptSchema = z.strictObject({
  id: z.string().optional().meta({ description: '1 to 64 of A-Z a-z 0-9 . _ -; made up when left out' }),
  ...textFields,
  ...echoedFields,
  revision: revisionSchema.optional().meta({ description: 'Changes nothing: a new script has nothing before it' }),
});

export const scriptSchema = z.strictObject({
  id: z.string().optional().meta({ description: 'If sent, the same as in the address' }),
  ...textFields,
  ...echoedFields,
  revision: known,
});

export const draftSchema = z.strictObject({
  ...textFields,
  name: z.string().optional(),
  ...echoedFields,
  revision: known,
});

export const removalSchema = z.strictObject({ revision: known });

const clientId = z
  .string()
  .regex(/^[A-Za-z0-9._-]{1,128}$/, 'is no client id, copy it from the application at the code host')
  .optional()
  .meta({ description: 'Used only where the operator has set none' });

const provider = z.enum(CODE_HOSTS);

export const deviceStartSchema = z.strictObject({
  provider,
  clientId,
  scope: z
    .string()
    .regex(/^[A-Za-z0-9_:. -]{1,256}$/, 'is no list of scopes, separate their names by blanks')
    .optional(),
});

export const pollSchema = z.strictObject({
  provider,
  device_code: z.string().regex(/^[\x21-\x7e]{1,1024}$/, 'is no device code, send the one that start answered'),
  clientId,
});
