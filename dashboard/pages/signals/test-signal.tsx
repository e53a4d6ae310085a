// Before the first signal: the text for an alert, and a test signal to our own door, under the key that its owner gives it.

import { useEffect, useState } from 'preact/hooks';
import type { Checked, Result } from '../../server/answers.ts';
import { ask } from '../../server/ask.ts';
import { SendOnce } from '../../server/send-once.ts';
import { refreshAnswers } from '../../server/use-answer.ts';
import { Button } from '../../ui/button.tsx';
import { CopyBlock } from '../../ui/copy.tsx';
import { Field } from '../../ui/field.tsx';
import { GuideLink } from '../../ui/guide-link.tsx';
import { linkTo } from '../../ui/places.ts';
import { Question } from '../../ui/question.tsx';
import { moneyWords, venueOf } from '../trades/trade-words.ts';

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
        <code>{location.origin}/webhook/tradingview</code> as its <strong>Webhook URL</strong>.{' '}
        <GuideLink guide="tradingview" words="The guide to alerts" />
      </p>
      <CopyBlock text={TEMPLATE} label="the alert template" />
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
  const [apiKey, setApiKey] = useState('');
  const [once] = useState(() => new SendOnce());
  const { accounts, why } = useForeseen(apiKey.trim());
  const send = async (): Promise<undefined> => {
    const body = { ...TEST, apiKey: apiKey.trim() };
    const { requestId } = await once.post<{ requestId: string }>('/webhook', body).finally(refreshAnswers);
    location.hash = linkTo('trades', requestId);
  };
  return (
    <Question
      title="Send a test signal?"
      yes="Send it"
      no="Not now"
      isDanger={accounts.some(({ mode }) => mode === 'live')}
      isReady={accounts.length > 0}
      onYes={send}
      onClose={onClose}
    >
      <p>
        It buys {TEST.quantity} {TEST.symbol} at the market on {TEST.exchange}, as an alert would.
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
      <div aria-live="polite">
        {accounts.map((account) => (
          <p key={venueOf(account)}>
            With this key it trades on {venueOf(account)} with <strong>{moneyWords(account.mode)}</strong>.
          </p>
        ))}
        {why !== undefined && <p class="quiet">{why}</p>}
      </div>
    </Question>
  );
}

interface ForeseenTest {
  readonly accounts: Checked['accounts'];
  /** Why no account would trade it. */
  readonly why?: string | undefined;
}

const NOTHING_SEEN: ForeseenTest = { accounts: [] };
/** Until nobody types any more. */
const TYPING_MS = 300;

/** Which accounts this key leads to, and with which money: the server looks, and nothing is sent. */
function useForeseen(apiKey: string): ForeseenTest {
  const [seen, setSeen] = useState({ apiKey: '', foreseen: NOTHING_SEEN });
  useEffect(() => {
    if (apiKey === '') return undefined;
    let isAsked = true;
    const timer = setTimeout(async () => {
      const foreseen = await foresee(apiKey);
      if (isAsked) setSeen({ apiKey, foreseen });
    }, TYPING_MS);
    return () => {
      isAsked = false;
      clearTimeout(timer);
    };
  }, [apiKey]);
  return seen.apiKey === apiKey ? seen.foreseen : NOTHING_SEEN;
}

async function foresee(apiKey: string): Promise<ForeseenTest> {
  const body = { body: JSON.stringify({ ...TEST, apiKey }), route: '/webhook' };
  try {
    const { result } = await ask<Result<Checked>>('/webhook/check', { method: 'POST', effect: 'none', body });
    const trading = result.accounts.filter(({ outcome }) => outcome !== 'would_refuse');
    return { accounts: trading, why: result.error ?? undefined };
  } catch (error) {
    return { accounts: [], why: (error as Error).message };
  }
}
