// Before the first signal: the text for an alert, and a test signal to our own door, under the key that its owner gives it.

import { useState } from 'preact/hooks';
import type { Health } from '../../server/answers.ts';
import { ask } from '../../server/ask.ts';
import { refreshAnswers, useAnswer } from '../../server/use-answer.ts';
import { Button } from '../../ui/button.tsx';
import { CopyableBlock } from '../../ui/copyable.tsx';
import { Field } from '../../ui/field.tsx';
import { linkTo } from '../../ui/places.ts';
import { Question } from '../../ui/question.tsx';
import { moneyWords } from '../trades/trade-words.ts';

const TEMPLATE = `{
  "apiKey": "whk_PUT-YOUR-KEY-HERE",
  "exchange": "binance",
  "symbol": "{{ticker}}",
  "action": "{{strategy.order.action}}",
  "quantity": "{{strategy.order.contracts}}",
  "marketPosition": "{{strategy.market_position}}",
  "prevMarketPosition": "{{strategy.prev_market_position}}",
  "marketPositionSize": "{{strategy.market_position_size}}",
  "prevMarketPositionSize": "{{strategy.prev_market_position_size}}"
}`;

const TEST = { exchange: 'binance', action: 'LONG', symbol: 'BTCUSDT', quantity: 0.01 };

export function NoSignals() {
  const [isAsking, setAsking] = useState(false);
  return (
    <div class="no-signals">
      <h2>No signal has come in yet</h2>
      <p>
        In TradingView, put this into the <strong>Message</strong> of a strategy's alert, with your key in it, and{' '}
        <code>{location.origin}/webhook/tradingview</code> as its <strong>Webhook URL</strong>. The guide:{' '}
        <code>docs/guides/tradingview.md</code>
      </p>
      <CopyableBlock text={TEMPLATE} what="the alert template" />
      <p>
        <Button kind="filled" onClick={() => setAsking(true)}>
          Send a test signal…
        </Button>
      </p>
      {isAsking && <TestSignalQuestion onClose={() => setAsking(false)} />}
    </div>
  );
}

function TestSignalQuestion({ onClose }: { readonly onClose: () => void }) {
  const { answer: health } = useAnswer<Health>('/health', 3_000);
  const [apiKey, setApiKey] = useState('');
  const send = async (): Promise<undefined> => {
    const { requestId } = await ask<{ requestId: string }>('/webhook', {
      ...{ method: 'POST', body: { ...TEST, apiKey: apiKey.trim() } },
    }).finally(refreshAnswers);
    location.hash = linkTo('trades', requestId);
  };
  return (
    <Question
      title="Send a test signal?"
      yes="Send it"
      no="Not now"
      isDanger={health?.mode === 'live'}
      isReady={apiKey.trim() !== '' && health !== undefined}
      onYes={send}
      onClose={onClose}
    >
      <p>
        It buys {TEST.quantity} {TEST.symbol} at the market on {TEST.exchange}
        {health !== undefined && (
          <>
            {' '}
            with <strong>{moneyWords(health.mode)}</strong>
          </>
        )}
        , as an alert would.
      </p>
      <Field label="Webhook key" hint="The one that the first start printed, or one of npx signalbox keys create.">
        {(tied) => (
          <input
            {...tied}
            type="password"
            autocomplete="off"
            value={apiKey}
            onInput={(event) => setApiKey(event.currentTarget.value)}
          />
        )}
      </Field>
    </Question>
  );
}
