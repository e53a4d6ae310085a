// The accounts: whose money each trades with, whether its key works, and whether our books and its venue agree.

import type { Result } from '../../server/answers.ts';
import type { KnownAccounts, ListedAccount } from '../../server/setup-answers.ts';
import { useAnswer } from '../../server/use-answer.ts';
import { accountRows } from './account-rows.ts';
import './accounts.css';
import { Unanswered } from '../../ui/unanswered.tsx';
import { AccountsPanel } from './accounts-panel.tsx';
import { AddAccount } from './add-account.tsx';
import { ReconciliationPanel } from './reconciliation-panel.tsx';

export function Accounts() {
  const { answer: known, refused: unknown } = useAnswer<Result<KnownAccounts>>('/admin/accounts', 30_000);
  const { answer: listed, refused: unlisted } = useAnswer<Result<readonly ListedAccount[]>>('/accounts');
  if (known === undefined || listed === undefined) return <Unanswered refused={unknown ?? unlisted} />;
  return (
    <div class="accounts">
      {known.result.faults.length > 0 && (
        <div class="faults" role="alert">
          <strong>The next start would be refused:</strong>
          <ul>
            {known.result.faults.map((fault) => (
              <li key={fault}>{fault}</li>
            ))}
          </ul>
        </div>
      )}
      <AccountsPanel rows={accountRows(known.result, listed.result)} />
      <ReconciliationPanel />
      <AddAccount />
    </div>
  );
}
