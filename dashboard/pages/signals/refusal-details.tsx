// A refused signal, opened in its place: why, what was sent, what to do, and sending it again where that can be done.

import { useState } from 'preact/hooks';
import type { Refusal } from '../../server/answers.ts';
import { ask } from '../../server/ask.ts';
import { refreshAnswers } from '../../server/use-answer.ts';
import { Button } from '../../ui/button.tsx';
import { CopyBlock, CopyText } from '../../ui/copy.tsx';
import { Facts } from '../../ui/facts.tsx';
import { linkTo } from '../../ui/places.ts';
import { Question } from '../../ui/question.tsx';
import { When } from '../../ui/when.tsx';
import { Reason } from './reason.tsx';

export function RefusalDetails({ refusal }: { readonly refusal: Refusal }) {
  const { id, receivedAt, door, key, address, code, error, faults, body, resendable, resentAs } = refusal;
  const [isAsking, setAsking] = useState(false);
  return (
    <div class="refusal-details">
      <div class="reason">
        <Reason code={code} error={error} faults={faults} />
        {resentAs !== null && (
          <p>
            It was sent again: <a href={linkTo('trades', resentAs)}>what became of it</a>.
          </p>
        )}
        {resendable && resentAs === null && (
          <p>
            <Button kind="filled" onClick={() => setAsking(true)}>
              Send again…
            </Button>
          </p>
        )}
      </div>
      <div class="sent">
        <h2>What was sent, without what could be a secret</h2>
        {body === '' ? (
          <p class="quiet">Nothing in it could be read as a field of a signal.</p>
        ) : (
          <CopyBlock text={indented(body)} label="what was sent" />
        )}
        <Facts
          facts={[
            [
              'Came',
              <span key="came">
                <When atMs={receivedAt} nowMs={Date.now()} /> by <code>{door}</code>
                {address !== null && ` from ${address}`}
              </span>,
            ],
            ['Key', key ?? 'not known'],
            ['Code', <CopyText key="code" text={code} label="the code" />],
            ['Id', <CopyText key="id" text={id} label="the id" />],
          ]}
        />
      </div>
      {isAsking && <ResendQuestion refusal={refusal} onClose={() => setAsking(false)} />}
    </div>
  );
}

function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

function ResendQuestion({ refusal, onClose }: { readonly refusal: Refusal; readonly onClose: () => void }) {
  const resend = async (): Promise<undefined> => {
    const { requestId } = await ask<{ requestId: string }>(`/refusals/${encodeURIComponent(refusal.id)}/resend`, {
      method: 'POST',
    }).finally(refreshAnswers);
    location.hash = linkTo('trades', requestId);
  };
  return (
    <Question title="Send this signal again?" yes="Send again" no="Leave it" onYes={resend} onClose={onClose}>
      <p>
        It passes the same gates under the same key as it did <When atMs={refusal.receivedAt} nowMs={Date.now()} />, and
        trades once at most. A signal that is too old is refused: its moment has passed.
      </p>
    </Question>
  );
}
