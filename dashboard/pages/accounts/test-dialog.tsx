// What the venue of an account answers: its clock, its balance, and what the key may do.

import type { Result } from '../../server/answers.ts';
import type { TestedAccount } from '../../server/setup-answers.ts';
import { useAsked } from '../../server/use-asked.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Facts } from '../../ui/facts.tsx';
import { plain } from '../../ui/numbers.ts';
import { RefusedWords } from '../../ui/refused.tsx';
import { type AccountRow, nameOf, rightsWords } from './account-rows.ts';

export function TestDialog({ of, onClose }: { readonly of: AccountRow; readonly onClose: () => void }) {
  const { exchange, account } = of;
  const { answer, refused, again } = useAsked<Result<TestedAccount>>('/admin/accounts/test', {
    ...{ method: 'POST', body: { exchange, account } },
  });
  return (
    <Dialog title={`${nameOf(of)} at its venue`} onClose={onClose}>
      {answer === undefined && refused === undefined && <p role="status">Asking {exchange}…</p>}
      <RefusedWords words={refused?.message} />
      {answer !== undefined && (
        <div class="tested">
          <Tested tested={answer.result} />
        </div>
      )}
      <div class="actions">
        <Button onClick={again}>Ask again</Button>
        <Button kind="filled" onClick={onClose}>
          Close
        </Button>
      </div>
    </Dialog>
  );
}

export const Tested = ({ tested }: { readonly tested: TestedAccount }) => (
  <>
    {tested.refusal !== undefined && <p class="refused down">{tested.refusal}</p>}
    <Facts
      facts={[
        ['Balance', `${plain(Number(tested.balance))} USDT`],
        ['Position mode', tested.positionMode],
        ['The key may', rightsWords(tested)],
        ['Clock of the venue', `${tested.clockOffsetMs >= 0 ? '+' : '−'}${Math.abs(tested.clockOffsetMs)} ms`],
      ]}
    />
    {tested.advice.map((words) => (
      <p key={words} class="advice">
        {words}
      </p>
    ))}
  </>
);
