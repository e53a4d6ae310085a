// What a second opinion is asked for with, and what both doors answer of it: the fields, and their description.

import { z } from 'zod';
import { opinionTargetOf } from '../deployment.ts';
import { alertText } from './alert-text.ts';
import type { FoundOpinions } from './found-opinions.ts';
import {
  ANY_PERCENT,
  DEFAULT_LATE_AFTER_S,
  DEFAULT_PRICE_TOLERANCE_PERCENT,
  DEFAULT_QUANTITY_TOLERANCE_PERCENT,
  DEFAULT_SEND_AFTER_S,
  MAX_SEND_AFTER_S,
  OPINION_STATES,
  type Opinion,
} from './opinion.ts';

const described = <T extends z.ZodType>(schema: T, description: string): T => schema.meta({ description });

const percent = (standard: number, what: string) =>
  described(
    z.number().min(0).max(ANY_PERCENT).optional(),
    `How far ${what} may be apart, in percent of ours; ${standard} when left out, ${ANY_PERCENT} compares none`,
  );

const seconds = (standard: number, what: string) =>
  described(
    z.number().min(1).max(MAX_SEND_AFTER_S).optional(),
    `${what}: 1 to ${MAX_SEND_AFTER_S}; ${standard} when left out`,
  );

/** What an owner adds to the text; whatever tells one order from another is not among it. */
const OWN_FIELDS = [
  ...['account', 'quantity', 'quantityType', 'leverage', 'stopLoss', 'takeProfit', 'trailPercent', 'trail', 'notify'],
  ...['activationPrice', 'targets', 'breakEvenAfter', 'maxHoldSeconds'],
] as const;
/** A page of them is more than any alert has. */
const MAX_FIELDS_CHARS = 2000;

const ownFields = z
  .record(z.string(), z.unknown())
  .refine(
    (fields) => JSON.stringify(fields).length <= MAX_FIELDS_CHARS,
    `is longer than ${MAX_FIELDS_CHARS} characters`,
  )
  .refine(
    (fields) => Object.keys(fields).every((name) => (OWN_FIELDS as readonly string[]).includes(name)),
    `has a field that cannot be added, send some of ${OWN_FIELDS.join(', ')}`,
  )
  .optional();

/** Of a target, beside what one that trades has. */
export const opinionTargetFields = {
  alertName: described(
    z
      .string()
      .regex(/^[A-Za-z0-9._-]{1,32}$/, 'is no name, send 1 to 32 letters, digits, dots, hyphens and _')
      .optional(),
    "What the alertId of its alerts begins with; a part of the deployment's id when left out",
  ),
  sendMissing: described(
    z.boolean().optional(),
    'Sends a missing alert under the same alertId; in mode dry-run it is only written down. false when left out',
  ),
  lateAfterSeconds: seconds(DEFAULT_LATE_AFTER_S, 'How long after our own event an alert is missing'),
  sendAfterSeconds: seconds(DEFAULT_SEND_AFTER_S, 'How long after our own event a missing alert is sent'),
  fields: described(
    ownFields,
    "Added to the text of a strategy's alerts and to what is sent in their place, such as leverage",
  ),
  quantityTolerancePercent: percent(DEFAULT_QUANTITY_TOLERANCE_PERCENT, 'sizes'),
  priceTolerancePercent: percent(DEFAULT_PRICE_TOLERANCE_PERCENT, 'prices'),
};

type Asked = z.infer<z.ZodObject<typeof opinionTargetFields>>;

/** As it is kept: a default that changes later changes no deployment. */
export const opinionSettings = ({ alertName, fields, ...asked }: Asked) => {
  const lateAfterSeconds = asked.lateAfterSeconds ?? DEFAULT_LATE_AFTER_S;
  return {
    ...(alertName !== undefined && { alertName }),
    ...(fields !== undefined && { fields }),
    sendMissing: asked.sendMissing ?? false,
    lateAfterSeconds,
    // Never before it is missing.
    sendAfterSeconds: Math.max(asked.sendAfterSeconds ?? DEFAULT_SEND_AFTER_S, lateAfterSeconds),
    quantityTolerancePercent: asked.quantityTolerancePercent ?? DEFAULT_QUANTITY_TOLERANCE_PERCENT,
    priceTolerancePercent: asked.priceTolerancePercent ?? DEFAULT_PRICE_TOLERANCE_PERCENT,
  };
};

const ms = described(z.int(), 'Unix milliseconds');

/** Fields of an answer. */
export const opinionsFields = {
  alert: described(
    z
      .object({
        path: described(z.string(), "Where the alert's webhook goes"),
        message: described(z.string().nullable(), "The text of TradingView's alert; null where the script has it"),
        note: z.string(),
      })
      .nullable(),
    'What to paste into TradingView; null of a deployment without a second opinion',
  ),
  counts: described(
    z.partialRecord(z.enum([...OPINION_STATES, 'sent']), z.int()),
    'How often each was said, and how many missing alerts were sent',
  ),
  opinions: described(
    z.array(
      z.object({
        alertId: z.string(),
        state: z.enum(OPINION_STATES),
        words: described(z.string(), 'Why; empty where the state says everything'),
        barTime: ms.nullable(),
        expectedAt: described(z.int().nullable(), 'When our script had it'),
        arrivedAt: described(z.int().nullable(), 'When it came in at the gateway'),
        requestId: described(z.string().nullable(), 'The request it came with'),
        sent: described(z.string().nullable(), 'What became of sending it ourselves'),
        updatedAt: ms,
      }),
    ),
    'Newest first',
  ),
};

export function opinionsView({ deployment, opinions, counts }: FoundOpinions) {
  const target = opinionTargetOf(deployment.targets);
  return { alert: target === undefined ? null : alertText(target, deployment), counts, opinions: opinions.map(view) };
}

const view = ({ alertId, state, words, barTimeMs, expected, arrival, sent, updatedAtMs }: Opinion) => ({
  ...{ alertId, state, words },
  barTime: barTimeMs,
  expectedAt: expected?.atMs ?? null,
  arrivedAt: arrival?.receivedAtMs ?? null,
  requestId: arrival?.requestId ?? null,
  sent,
  updatedAt: updatedAtMs,
});
