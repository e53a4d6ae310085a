// What stands before everything that belongs to a script key: asks for the key once, and says how to make one.

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { ask, Refused } from '../../server/ask.ts';
import { keepScriptKey, keyFault, useScriptKey } from '../../server/script-key.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Panel } from '../../ui/panel.tsx';
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
  const [error, setError] = useState(refused && refusedWords(refused));
  const [isAsking, setAsking] = useState(false);
  const open = async (event: Event): Promise<void> => {
    event.preventDefault();
    const key = text.trim();
    const fault = keyFault(key);
    setError(fault);
    if (fault !== undefined) return;
    setAsking(true);
    try {
      await ask('/api/keys', { key });
      keepScriptKey(key);
    } catch (reason) {
      setError(reason instanceof Refused ? refusedWords(reason) : String(reason));
      setAsking(false);
    }
  };
  return (
    <div class="script-key">
      <Panel title="Your script key">
        <form onSubmit={open}>
          <p>
            A script key opens {what}: everything there belongs to it. It is kept in this browser and sent to this
            Signalbox alone.
          </p>
          <Field label="Script key" error={error} hint="pn_ and 48 letters and digits">
            {(tied) => (
              <input
                {...tied}
                class="mono"
                type="password"
                autocomplete="off"
                spellcheck={false}
                value={text}
                onInput={(event) => setText(event.currentTarget.value)}
              />
            )}
          </Field>
          <Button kind="filled" type="submit" disabled={isAsking || text.trim() === ''}>
            Open
          </Button>
          <h3>No key yet?</h3>
          <p>Where Signalbox runs:</p>
          <pre>npx signalbox keys create --scripts</pre>
          <p>
            It prints the key once, and the user id of the scripts: with that, a lost key is replaced by{' '}
            <code>npx signalbox keys renew --scripts --user ID</code>.
          </p>
        </form>
      </Panel>
    </div>
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
