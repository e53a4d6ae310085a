// The last word before the wallet signs: what will happen, and the wallet's own token, asked each time and kept nowhere.

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { ask } from '../../server/ask.ts';
import { newKey } from '../../server/new-key.ts';
import { Question } from '../../ui/question.tsx';
import { SecretField } from '../../ui/secret-field.tsx';

export interface WalletWrite {
  readonly path: '/wallet/swap' | '/wallet/transfer' | '/wallet/approve' | '/wallet/send';
  readonly body: Readonly<Record<string, unknown>>;
}

export interface WalletQuestionProps {
  readonly title: string;
  readonly yes: string;
  readonly write: WalletWrite;
  readonly onDone: () => void;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

export function WalletQuestion({ title, yes, write, onDone, onClose, children }: WalletQuestionProps) {
  const [token, setToken] = useState('');
  /** One for the question, so that asking twice signs once. */
  const [idempotencyKey] = useState(() => newKey());
  const sign = async (): Promise<void> => {
    const body = { ...write.body, idempotencyKey };
    await ask(write.path, { method: 'POST', effect: 'once', body, headers: { 'x-wallet-token': token } });
    onDone();
  };
  return (
    <Question title={title} yes={yes} no="Not now" isDanger isReady={token !== ''} onYes={sign} onClose={onClose}>
      {children}
      <SecretField
        label="Wallet token"
        hint="The value of WALLET_TOKEN. Asked each time and kept nowhere."
        value={token}
        onWrite={setToken}
      />
    </Question>
  );
}
