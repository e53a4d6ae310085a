// The webhook key that orders go out under: pasted, or made with one press. It is sent once and not kept here.

import { useEffect, useState } from 'preact/hooks';
import type { Refused } from '../../server/ask.ts';
import type { WebhookKey } from '../../server/setup-answers.ts';
import { refreshAnswers } from '../../server/use-answer.ts';
import { identifyKey, looksWhole, makeKeyFor } from '../../server/webhook-keys.ts';
import { Button } from '../../ui/button.tsx';
import { CopyBlock } from '../../ui/copy.tsx';
import { RefusedWords } from '../../ui/refused.tsx';
import { SecretField } from '../../ui/secret-field.tsx';
import { useAction } from '../../ui/use-action.ts';

export interface WebhookKeyFieldProps {
  readonly value: string;
  readonly hint?: string;
  readonly error?: string | undefined;
  /** What a new key is named after; undefined: none can be made. */
  readonly newFor?: string | undefined;
  readonly onChange: (value: string) => void;
}

export function WebhookKeyField({
  value,
  hint = 'whk_…, presented this once',
  error,
  newFor,
  onChange,
}: WebhookKeyFieldProps) {
  const [made, setMade] = useState<string>();
  const { isBusy, refused, run } = useAction(async () => {
    const { apiKey } = await makeKeyFor(newFor ?? '');
    refreshAnswers();
    setMade(apiKey);
    onChange(apiKey);
  });
  return (
    <div class="webhook-key">
      <SecretField label="Webhook key" hint={hint} error={error} value={value} onWrite={onChange} />
      {newFor !== undefined && value.trim() === '' && (
        <Button isSmall disabled={isBusy} onClick={() => void run()}>
          Make a key for it
        </Button>
      )}
      <RefusedWords words={refused} />
      {made !== undefined && (
        <div role="status">
          <p>
            {made === value ? 'Made, and filled in.' : 'Made.'} It is shown this once: keep it, to let this trade later
            without making another. It may trade every market; limits stand under{' '}
            <a href="#/alerts">Alerts &amp; keys</a>.
          </p>
          <CopyBlock label="the webhook key" text={made} />
        </div>
      )}
    </div>
  );
}

export interface KnownKey {
  readonly webhookKey: WebhookKey | undefined;
  /** Why it is none. */
  readonly fault: string | undefined;
}

/** Who types goes on within this time. */
const TYPED_MS = 300;

/** Which key it is that was typed, as soon as it is whole. */
export function useKnownKey(typed: string): KnownKey {
  const [known, setKnown] = useState<KnownKey & { readonly of: string }>();
  const text = typed.trim();
  useEffect(() => {
    if (!looksWhole(text)) return;
    let isWanted = true;
    const found = (of: KnownKey): void => {
      if (isWanted) setKnown({ ...of, of: text });
    };
    const timer = setTimeout(() => {
      identifyKey(text).then(
        (webhookKey) => found({ webhookKey, fault: undefined }),
        (error: Refused) => found({ webhookKey: undefined, fault: error.message }),
      );
    }, TYPED_MS);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [text]);
  return known?.of === text ? known : { webhookKey: undefined, fault: undefined };
}
