// Codes of an authenticator app: turned on with a code that proves the app has the secret, turned off with the password and a code.

import { useState } from 'preact/hooks';
import type { Result } from '../../server/answers.ts';
import { ask } from '../../server/ask.ts';
import type { Entry } from '../../server/session.ts';
import { refreshAnswers } from '../../server/use-answer.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Panel } from '../../ui/panel.tsx';
import { PasswordField } from '../../ui/password-field.tsx';
import { RefusedWords } from '../../ui/refused.tsx';
import { useAction } from '../../ui/use-action.ts';

const PATH = '/session/totp';

interface Begun {
  readonly secret: string;
  readonly address: string;
}

export function Codes({ entry: { codeNeeded } }: { readonly entry: Entry }) {
  const [begun, setBegun] = useState<Begun>();
  const [recoveryCodes, setRecoveryCodes] = useState<readonly string[]>();
  const { isBusy, refused, run } = useAction((work: () => Promise<unknown>) => work());
  return (
    <Panel title="Codes" aside={codeNeeded ? 'asked for at every login' : 'off'}>
      <div class="access-form">
        {recoveryCodes !== undefined && <RecoveryCodes codes={recoveryCodes} />}
        {codeNeeded || begun === undefined ? (
          <ByPassword
            label={codeNeeded ? 'Turn codes off' : 'Turn codes on'}
            asksForCode={codeNeeded}
            isSending={isBusy}
            onSend={(password, code) =>
              run(async () => {
                if (codeNeeded) await ask(PATH, { method: 'DELETE', body: { password, code } });
                else setBegun((await ask<Result<Begun>>(PATH, { method: 'POST', body: { password } })).result);
                refreshAnswers();
              })
            }
          />
        ) : (
          <Confirm
            begun={begun}
            isSending={isBusy}
            onSend={(code) =>
              run(async () => {
                const { result } = await ask<Result<{ recoveryCodes: readonly string[] }>>(PATH, {
                  method: 'PUT',
                  body: { code },
                });
                setRecoveryCodes(result.recoveryCodes);
                setBegun(undefined);
                refreshAnswers();
              })
            }
          />
        )}
        <RefusedWords words={refused} />
      </div>
    </Panel>
  );
}

interface AskProps {
  readonly isSending: boolean;
  readonly onSend: (text: string) => void;
}

interface ByPasswordProps {
  readonly label: string;
  readonly asksForCode: boolean;
  readonly isSending: boolean;
  readonly onSend: (password: string, code: string) => void;
}

function ByPassword({ label, asksForCode, isSending, onSend }: ByPasswordProps) {
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const submit = (event: Event): void => {
    event.preventDefault();
    onSend(password, code.trim());
    setPassword('');
    setCode('');
  };
  return (
    <form onSubmit={submit}>
      <PasswordField value={password} onInput={setPassword} />
      {asksForCode && <CodeField label="A code of the app, or a recovery code" value={code} onInput={setCode} />}
      <Button type="submit" disabled={isSending}>
        {label}
      </Button>
    </form>
  );
}

function Confirm({ begun, isSending, onSend }: AskProps & { readonly begun: Begun }) {
  const [code, setCode] = useState('');
  const submit = (event: Event): void => {
    event.preventDefault();
    onSend(code.trim());
  };
  return (
    <form onSubmit={submit}>
      <p>
        Type this secret into your authenticator app, or open <a href={begun.address}>this address</a> on the phone that
        has it:
      </p>
      <p>
        <code>{begun.secret}</code>
      </p>
      <CodeField label="The code that the app shows now" inputMode="numeric" value={code} onInput={setCode} />
      <Button type="submit" disabled={isSending}>
        Turn codes on
      </Button>
    </form>
  );
}

interface CodeFieldProps {
  readonly label: string;
  readonly inputMode?: 'numeric';
  readonly value: string;
  readonly onInput: (code: string) => void;
}

const CodeField = ({ label, inputMode, value, onInput }: CodeFieldProps) => (
  <Field label={label}>
    {(tied) => (
      <input
        {...tied}
        autocomplete="one-time-code"
        inputMode={inputMode}
        required
        value={value}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    )}
  </Field>
);

const RecoveryCodes = ({ codes }: { readonly codes: readonly string[] }) => (
  <div role="status">
    <p>Codes are asked for from now on. Each of these lets you in once without the app; they are shown this once:</p>
    <ul class="recovery-codes">
      {codes.map((code) => (
        <li key={code}>
          <code>{code}</code>
        </li>
      ))}
    </ul>
  </div>
);
