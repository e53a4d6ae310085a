// The last word before the wallet signs: what will happen, and the wallet's own token, asked each time and kept nowhere.

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { DoneBefore, SendOnce } from '../../server/send-once.ts';
import { Question } from '../../ui/question.tsx';
import { SecretField } from '../../ui/secret-field.tsx';
import { SentBefore } from '../trades/sent-before.tsx';

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

const SIGNED_BEFORE =
  'It was signed at an earlier try whose answer was lost, and nothing new was signed. It stands under Transactions.';

export function WalletQuestion({ title, yes, write, onDone, onClose, children }: WalletQuestionProps) {
  const [token, setToken] = useState('');
  const [once] = useState(() => new SendOnce());
  const { path, body } = write;
  const sign = async (): Promise<void> => {
    try {
      await once.post(path, body, { headers: { 'x-wallet-token': token } });
    } catch (error) {
      if (!(error instanceof DoneBefore)) throw error;
      onDone();
      throw new Error(SIGNED_BEFORE);
    }
    onDone();
  };
  return (
    <Question title={title} yes={yes} no="Not now" isDanger isReady={token !== ''} onYes={sign} onClose={onClose}>
      {children}
      <SentBefore path={path} body={body} />
      <SecretField
        label="Wallet token"
        hint="The value of WALLET_TOKEN. Asked each time and kept nowhere."
        value={token}
        onWrite={setToken}
      />
    </Question>
  );
}
