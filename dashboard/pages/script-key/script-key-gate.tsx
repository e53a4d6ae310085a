// What stands before everything that belongs to a script key: asks for the key once, or makes one.

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { ask, Refused } from '../../server/ask.ts';
import { keepScriptKey, keyFault, useScriptKey } from '../../server/script-key.ts';
import { Button } from '../../ui/button.tsx';
import { CopyBlock } from '../../ui/copy.tsx';
import { Panel } from '../../ui/panel.tsx';
import { RefusedWords } from '../../ui/refused.tsx';
import { SecretField } from '../../ui/secret-field.tsx';
import { useAction } from '../../ui/use-action.ts';
import './script-key-gate.css';

export interface ScriptKeyGateProps {
  /** What the key opens here, such as "your scripts". */
  readonly what: string;
  readonly children: (key: string) => ComponentChildren;
}

export function ScriptKeyGate({ what, children }: ScriptKeyGateProps) {
  const key = useScriptKey();
  return key === undefined ? <AskForKey what={what} /> : children(key);
}

/** A key that was accepted once and is refused now: revoked, expired, or of another instance. */
export const isKeyRefused = (refused: Refused | undefined): boolean => refused?.status === 401;

export function AskForKey({ what, refused }: { readonly what: string; readonly refused?: Refused | undefined }) {
  const [text, setText] = useState('');
  const [before, setBefore] = useState(refused && refusedWords(refused));
  const opening = useAction(async () => {
    setBefore(undefined);
    const key = text.trim();
    const fault = keyFault(key);
    if (fault !== undefined) throw new Error(fault);
    try {
      await ask('/api/keys', { key });
    } catch (error) {
      throw error instanceof Refused ? new Error(refusedWords(error)) : error;
    }
    keepScriptKey(key);
  });
  const open = (event: Event): void => {
    event.preventDefault();
    void opening.run();
  };
  return (
    <div class="script-key">
      <Panel title="Your script key">
        <p class="words">
          A script key opens {what}: everything there belongs to it. It is kept in this browser and sent to this
          Signalbox alone.
        </p>
        <NewKey />
        <form onSubmit={open}>
          <SecretField
            label="Script key"
            error={opening.refused ?? before}
            hint="You have one: pn_ and 48 letters and digits."
            value={text}
            onWrite={setText}
          />
          <Button type="submit" disabled={opening.isBusy || text.trim() === ''}>
            Open
          </Button>
        </form>
      </Panel>
    </div>
  );
}

interface MadeKey {
  readonly apiKey: string;
  readonly userId: string;
}

function NewKey() {
  const [made, setMade] = useState<MadeKey>();
  const { isBusy, refused, run } = useAction(async () =>
    setMade((await ask<{ result: MadeKey }>('/admin/script-keys', { method: 'POST', body: {} })).result),
  );
  if (made === undefined)
    return (
      <section class="new-key">
        <Button kind="filled" disabled={isBusy} onClick={() => void run()}>
          Make a key
        </Button>
        <RefusedWords words={refused} />
      </section>
    );
  const { apiKey, userId } = made;
  return (
    <section class="new-key">
      <p role="status">This is your key. It is shown this once: put it where you keep passwords.</p>
      <CopyBlock text={apiKey} label="the key" />
      <p>If you lose it, this line on the machine of Signalbox gives your scripts a new one:</p>
      <CopyBlock text={`npx signalbox keys renew --scripts --user ${userId}`} label="the line" />
      <Button kind="filled" onClick={() => keepScriptKey(apiKey)}>
        Go on with it
      </Button>
    </section>
  );
}

function refusedWords({ code, message }: Refused): string {
  if (code === 'INVALID_KEY')
    return 'This key is not known here: it was revoked, has expired, or belongs to another Signalbox. Paste another one.';
  return message;
}

/** At the foot of what a key opens. */
export const ForgetKey = () => (
  <p class="forget-key quiet">
    Opened with the key in this browser.{' '}
    <Button isSmall onClick={() => keepScriptKey(undefined)}>
      Use another key
    </Button>
  </p>
);
