// The check of a pasted alert, with what stands for the placeholders while TradingView has not filled them in.

import type { Result } from '../../server/answers.ts';
import { ask } from '../../server/ask.ts';
import type { Checked } from '../../server/setup-answers.ts';

export type Samples = Readonly<Record<string, string>>;

export interface AskedCheck {
  readonly body: string;
  /** The label of a key, for a text that has none; empty: the one in the text. */
  readonly key: string;
  /** Empty: by what stands in the text. */
  readonly route: string;
}

export interface CheckedAlert {
  readonly checked: Checked;
  /** What was put in for each placeholder. */
  readonly samples: Samples;
}

/** The names of placeholders come with the first answer; with a value for each the alert is checked as it would arrive. */
export async function checkAlert(asked: AskedCheck, own: Samples): Promise<CheckedAlert> {
  const first = await askFor(asked, {});
  const samples = samplesOf(first.placeholders, own);
  return { checked: Object.keys(samples).length === 0 ? first : await askFor(asked, samples), samples };
}

async function askFor({ body, key, route }: AskedCheck, samples: Samples): Promise<Checked> {
  const question = { body, ...(key !== '' && { key }), ...(route !== '' && { route }), samples };
  return (await ask<Result<Checked>>('/webhook/check', { method: 'POST', effect: 'none', body: question })).result;
}

/** One for each that TradingView fills in: what the user wrote, else an example. */
export const samplesOf = (placeholders: Checked['placeholders'], own: Samples): Samples =>
  Object.fromEntries(
    placeholders.flatMap(({ placeholder, filledBy, example }) => {
      const name = placeholder.slice(2, -2).trim();
      return filledBy === 'tradingview' ? [[name, own[name] ?? example ?? '']] : [];
    }),
  );
