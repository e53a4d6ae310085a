// The webhook keys: what each may trade, when it was last used, and everything that can be done to it.

import type { ComponentChildren } from 'preact';
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
import { limitWords, restrictionOf, subjectLink } from '../limits/limit-words.ts';
import { RESTRICTIONS } from '../limits/restriction-changes.ts';
import { askableOf, type SubjectAsking, SubjectQuestion } from '../limits/subject-question.tsx';
import { IssuedKeyDialog, NewKey, RevokeKey, RotateKey } from './key-questions.tsx';
import { lastUsed, scopeWords } from './key-words.ts';

export interface KeysPanelProps {
  readonly keys: readonly WebhookKey[];
  readonly onIssued: (label: string, apiKey: string) => void;
}

type Asking = 'new' | 'rotate' | 'revoke' | SubjectAsking;

interface ShownKey extends WebhookKey {
  readonly restriction: Restriction | undefined;
  /** Why nobody knows now whether it is limited, paused or stopped; empty while it is asked. */
  readonly unknownWhy: string | undefined;
  readonly usedAt: number | undefined;
}

export function KeysPanel({ keys, onIssued }: KeysPanelProps) {
  const { answer: restrictions, refused } = useAnswer<Result<readonly Restriction[]>>(RESTRICTIONS);
  const unknownWhy = refused?.message ?? (restrictions === undefined ? '' : undefined);
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
      restriction: key.revokedAt === null ? restrictionOf(restrictions?.result ?? [], subjectOf(key)) : undefined,
      unknownWhy,
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
  if (what === 'new') return null;
  return <SubjectQuestion what={what} subject={subjectOf(of)} of={of.restriction} onClose={onClose} />;
}

const subjectOf = ({ label }: WebhookKey) => ({ kind: 'key', name: label }) as const;

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
    cell: ({ restriction, unknownWhy, revokedAt }) => (
      <span class="scope quiet">
        {unknownWhy === undefined || revokedAt !== null ? limitWords(restriction?.limits ?? {}) : 'not known'}
      </span>
    ),
  },
  {
    title: 'Last signal',
    isExtra: true,
    cell: ({ usedAt }) =>
      usedAt === undefined ? <span class="quiet">not lately</span> : <When atMs={usedAt} nowMs={Date.now()} />,
  },
  { title: 'Change it', isNumber: true, cell: (key) => <Changes of={key} ask={ask} /> },
];

function stateCell(key: ShownKey) {
  const nowMs = Date.now();
  const { revokedAt, restriction, unknownWhy, previousValidUntil } = key;
  if (revokedAt !== null) return <Chip>revoked</Chip>;
  // What was so before is no word about now.
  if (unknownWhy === '') return <span class="quiet">…</span>;
  if (unknownWhy !== undefined) return <Chip tone="warn">{`not known: ${unknownWhy}`}</Chip>;
  if (restriction?.killSwitch)
    return (
      <Halted of={key} why={restriction.killSwitch.reason}>
        <Chip tone="down">{restriction.killSwitch.scope === 'entries' ? 'entries stopped' : 'stopped'}</Chip>
      </Halted>
    );
  if (restriction?.paused)
    return (
      <Halted of={key} why={restriction.pauseReason}>
        <Chip tone="warn">paused</Chip>
      </Halted>
    );
  if (previousValidUntil !== null && previousValidUntil > nowMs)
    return <Chip tone="accent">old one until {dayAndTime(previousValidUntil, nowMs)}</Chip>;
  return <Chip tone="up">{key.static ? 'active, from the environment' : 'active'}</Chip>;
}

interface HaltedProps {
  readonly of: WebhookKey;
  readonly why: string | null | undefined;
  readonly children: ComponentChildren;
}

/** Leads to where it stands with its limits. */
const Halted = ({ of, why, children }: HaltedProps) => (
  <a class="halted" href={subjectLink(subjectOf(of))}>
    {children} {why || 'no reason was given'}
  </a>
);

function Changes({ of, ask }: { readonly of: ShownKey; readonly ask: Ask }) {
  if (of.revokedAt !== null) return null;
  const button = (what: Asking, word: string) => (
    <Button key={what} isSmall label={`${word} ${of.label}`} onClick={() => ask({ what, key: of })}>
      {word}…
    </Button>
  );
  return (
    <span class="row-buttons">
      {askableOf(of.restriction).map(([what, word]) => button(what, word))}
      {!of.static && button('rotate', 'Rotate')}
      {!of.static && button('revoke', 'Revoke')}
    </span>
  );
}
