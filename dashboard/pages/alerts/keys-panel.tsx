// The webhook keys: what each may trade, when it was last used, and everything that can be done to it.

import { useState } from 'preact/hooks';
import type { Refusal, Result, Trade } from '../../server/answers.ts';
import type { Restriction, WebhookKey } from '../../server/setup-answers.ts';
import { useAnswer } from '../../server/use-answer.ts';
import { Button } from '../../ui/button.tsx';
import { Chip } from '../../ui/chip.tsx';
import { Panel } from '../../ui/panel.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { dayAndTime } from '../../ui/times.ts';
import { When } from '../../ui/when.tsx';
import { KeyLimits } from './key-limits.tsx';
import { IssuedKeyDialog, NewKey, PauseKey, ResumeKey, RevokeKey, RotateKey } from './key-questions.tsx';
import { lastUsed, limitWords, restrictionOf, scopeWords } from './key-words.ts';

export interface KeysPanelProps {
  readonly keys: readonly WebhookKey[];
  readonly onIssued: (label: string, apiKey: string) => void;
}

type Asking = 'new' | 'rotate' | 'revoke' | 'pause' | 'resume' | 'limits';

interface ShownKey extends WebhookKey {
  readonly restriction: Restriction | undefined;
  readonly usedAt: number | undefined;
}

export function KeysPanel({ keys, onIssued }: KeysPanelProps) {
  const { answer: restrictions } = useAnswer<Result<readonly Restriction[]>>('/admin/restrictions');
  const { answer: trades } = useAnswer<Result<readonly Trade[]>>('/trades?limit=50');
  const { answer: refusals } = useAnswer<Result<readonly Refusal[]>>('/refusals?limit=50');
  const [asking, setAsking] = useState<{ readonly what: Asking; readonly key?: ShownKey }>();
  const [issued, setIssued] = useState<{ readonly label: string; readonly apiKey: string }>();
  const [withRevoked, setWithRevoked] = useState(false);
  const revoked = keys.filter(({ revokedAt }) => revokedAt !== null);
  const rows = keys
    .filter(({ revokedAt }) => withRevoked || revokedAt === null)
    .map((key) => ({
      ...key,
      restriction: key.revokedAt === null ? restrictionOf(restrictions?.result ?? [], key.label) : undefined,
      usedAt: lastUsed(key.label, trades?.result ?? [], refusals?.result ?? []),
    }));
  const close = (): void => setAsking(undefined);
  const onKey = (label: string, apiKey: string): void => {
    setIssued({ label, apiKey });
    onIssued(label, apiKey);
  };
  return (
    <Panel
      title="Webhook keys"
      aside={
        <Button kind="filled" isSmall onClick={() => setAsking({ what: 'new' })}>
          New key…
        </Button>
      }
    >
      {rows.length === 0 ? (
        <p class="empty">No key may send signals. Make one, and put it into the alert below.</p>
      ) : (
        <Table label="Webhook keys" columns={columnsOf(setAsking)} rows={rows} keyOf={({ keyId }) => keyId} />
      )}
      {revoked.length > 0 && (
        <p class="below">
          <Button isSmall expanded={withRevoked} onClick={() => setWithRevoked(!withRevoked)}>
            {withRevoked ? 'Hide revoked keys' : `Show ${revoked.length} revoked`}
          </Button>
        </p>
      )}
      {asking?.what === 'new' && <NewKey onIssued={onKey} onClose={close} />}
      {asking?.key !== undefined && <KeyQuestion what={asking.what} of={asking.key} onIssued={onKey} onClose={close} />}
      {issued !== undefined && asking === undefined && (
        <IssuedKeyDialog {...issued} onClose={() => setIssued(undefined)} />
      )}
    </Panel>
  );
}

interface KeyQuestionProps {
  readonly what: Asking;
  readonly of: ShownKey;
  readonly onIssued: KeysPanelProps['onIssued'];
  readonly onClose: () => void;
}

function KeyQuestion({ what, of, onIssued, onClose }: KeyQuestionProps) {
  if (what === 'rotate') return <RotateKey of={of} onIssued={onIssued} onClose={onClose} />;
  if (what === 'revoke') return <RevokeKey of={of} onClose={onClose} />;
  if (what === 'pause') return <PauseKey label={of.label} onClose={onClose} />;
  if (what === 'resume') return <ResumeKey of={of.restriction} onClose={onClose} />;
  return <KeyLimits label={of.label} limits={of.restriction?.limits ?? {}} onClose={onClose} />;
}

type Ask = (asking: { readonly what: Asking; readonly key: ShownKey }) => void;

const columnsOf = (ask: Ask): readonly Column<ShownKey>[] => [
  {
    title: 'Key',
    cell: ({ label, keyId }) => (
      <span>
        <strong>{label}</strong> <span class="quiet mono">{keyId}</span>
      </span>
    ),
  },
  { title: 'May trade', cell: (key) => (key.revokedAt === null ? <span class="scope">{scopeWords(key)}</span> : '–') },
  { title: 'State', cell: stateCell },
  {
    title: 'Limits',
    isExtra: true,
    cell: ({ restriction }) => <span class="scope quiet">{limitWords(restriction?.limits ?? {})}</span>,
  },
  {
    title: 'Last signal',
    isExtra: true,
    cell: ({ usedAt }) =>
      usedAt === undefined ? <span class="quiet">not lately</span> : <When atMs={usedAt} nowMs={Date.now()} />,
  },
  { title: 'Change it', isNumber: true, cell: (key) => <Changes of={key} ask={ask} /> },
];

function stateCell({ revokedAt, restriction, previousValidUntil, ...key }: ShownKey) {
  const nowMs = Date.now();
  if (revokedAt !== null) return <Chip>revoked</Chip>;
  if (restriction?.killSwitch) return <Chip tone="down">stopped</Chip>;
  if (restriction?.paused)
    return (
      <Chip tone="warn" title={restriction.pauseReason ?? 'No reason was given.'}>
        paused
      </Chip>
    );
  if (previousValidUntil !== null && previousValidUntil > nowMs)
    return <Chip tone="accent">old one until {dayAndTime(previousValidUntil, nowMs)}</Chip>;
  return <Chip tone="up">{key.static ? 'active, from the environment' : 'active'}</Chip>;
}

function Changes({ of, ask }: { readonly of: ShownKey; readonly ask: Ask }) {
  if (of.revokedAt !== null) return null;
  const button = (what: Asking, word: string) => (
    <Button isSmall label={`${word} ${of.label}`} onClick={() => ask({ what, key: of })}>
      {word}…
    </Button>
  );
  return (
    <span class="row-buttons">
      {button('limits', 'Limit')}
      {of.restriction?.paused ? button('resume', 'Resume') : button('pause', 'Pause')}
      {!of.static && button('rotate', 'Rotate')}
      {!of.static && button('revoke', 'Revoke')}
    </span>
  );
}
