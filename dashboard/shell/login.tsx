// The way in from another machine: the owner's password, and a code where codes are asked for.

import { useState } from 'preact/hooks';
import { ask, Refused } from '../server/ask.ts';
import type { Entry } from '../server/session.ts';
import { refreshAnswers } from '../server/use-answer.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { PasswordField } from '../ui/password-field.tsx';
import { RefusedWords } from '../ui/refused.tsx';
import { useAction } from '../ui/use-action.ts';
import './login.css';

export function Login({ entry }: { readonly entry: Entry }) {
  return (
    <main class="login">
      <section>
        <h1>
          <img src="/favicon.svg" alt="" width="22" height="22" /> Signalbox
        </h1>
        {entry.passwordSet ? <LoginForm isCodeNeeded={entry.codeNeeded} /> : <NoPassword />}
      </section>
    </main>
  );
}

function LoginForm({ isCodeNeeded }: { readonly isCodeNeeded: boolean }) {
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const [isCodeAsked, setCodeAsked] = useState(isCodeNeeded);
  const { isBusy, refused, run } = useAction((work: () => Promise<unknown>) => work());
  const submit = (event: Event): void => {
    event.preventDefault();
    void run(async () => {
      try {
        await ask('/session', { method: 'POST', body: { password, ...(isCodeAsked && { code: code.trim() }) } });
      } catch (error) {
        if (error instanceof Refused && error.code === 'CODE_NEEDED') setCodeAsked(true);
        throw error;
      }
      refreshAnswers();
    });
  };
  return (
    <form onSubmit={submit}>
      <PasswordField value={password} onInput={setPassword} />
      {isCodeAsked && (
        <Field label="Code" hint="Of your authenticator app, or one of your recovery codes.">
          {(tied) => (
            <input
              {...tied}
              autocomplete="one-time-code"
              inputMode="text"
              required
              value={code}
              onInput={(event) => setCode(event.currentTarget.value)}
            />
          )}
        </Field>
      )}
      <Button kind="filled" type="submit" disabled={isBusy}>
        Log in
      </Button>
      <RefusedWords words={refused} />
    </form>
  );
}

const NoPassword = () => (
  <>
    <p>
      This dashboard is open on its own machine only, because it has no password yet. To open it from here, run there:
    </p>
    <pre>
      <code>npx signalbox password</code>
    </pre>
  </>
);
