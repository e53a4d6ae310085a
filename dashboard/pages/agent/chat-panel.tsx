// The conversation: words as they are written, looks as they happen, and a chart to be looked at.

import { useEffect, useRef, useState } from 'preact/hooks';
import { askEvents } from '../../server/ask-events.ts';
import type { AgentStatus } from '../../server/setup-answers.ts';
import { refreshAnswers } from '../../server/use-answer.ts';
import { Button } from '../../ui/button.tsx';
import { Chip } from '../../ui/chip.tsx';
import { Panel } from '../../ui/panel.tsx';
import { RefusedWords } from '../../ui/refused.tsx';
import { lasting } from '../../ui/times.ts';
import { words } from '../../ui/words.ts';
import { AskForm } from './ask-form.tsx';
import { EMPTY_ANSWER, type Message, said, type ToolCall, toSend, withEvent } from './conversation.ts';

export function ChatPanel({ status }: { readonly status: AgentStatus }) {
  const [messages, setMessages] = useState<readonly Message[]>([]);
  const [asking, setAsking] = useState<AbortController>();
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => () => asking?.abort(), [asking]);
  // Every new word scrolls.
  useEffect(() => end.current?.scrollIntoView({ block: 'nearest' }), [messages]);

  const changeAnswer = (change: (answer: Message) => Message): void =>
    setMessages((now) => [...now.slice(0, -1), change(now.at(-1) ?? EMPTY_ANSWER)]);
  const send = async (text: string, image: string | undefined, withTools: boolean): Promise<void> => {
    const asked = [...messages, said(text, image)];
    const giveUp = new AbortController();
    setMessages([...asked, EMPTY_ANSWER]);
    setAsking(giveUp);
    const [path, body] =
      image === undefined
        ? ['/agent/chat', { messages: toSend(asked), ...(withTools && { tools: true }) }]
        : ['/agent/vision', { imageBase64: image, ...(text !== '' && { prompt: text }) }];
    try {
      await askEvents(path, {
        body,
        signal: giveUp.signal,
        onEvent: (event) => changeAnswer((answer) => withEvent(answer, event)),
      });
    } catch (error) {
      const fault = giveUp.signal.aborted ? 'You stopped it here.' : (error as Error).message;
      changeAnswer((answer) => ({ ...answer, fault }));
    } finally {
      setAsking(undefined);
      refreshAnswers();
    }
  };
  return (
    <Panel
      title="Conversation"
      aside={
        messages.length > 0 && (
          <Button isSmall disabled={asking !== undefined} onClick={() => setMessages([])}>
            Begin anew
          </Button>
        )
      }
    >
      <div class="messages" role="log" aria-label="Conversation">
        {messages.length === 0 && (
          <p class="empty">
            Ask about trading, or about your own trades. What you ask travels to {status.config.defaultProvider}. It
            only looks, it never trades; and nobody should trade because a model said so.
          </p>
        )}
        {messages.map((message, index) => (
          <MessageItem
            key={index}
            message={message}
            isWaiting={asking !== undefined && index === messages.length - 1}
          />
        ))}
        <div ref={end} />
      </div>
      <AskForm isAsking={asking !== undefined} onSend={send} onStop={() => asking?.abort()} />
    </Panel>
  );
}

function MessageItem({ message, isWaiting }: { readonly message: Message; readonly isWaiting: boolean }) {
  const { role, text, image, tools, by, fault } = message;
  return (
    <article class={words('message', role)}>
      <h3>{role === 'user' ? 'You' : 'Agent'}</h3>
      {tools.length > 0 && (
        <ul class="looks" aria-label="What it looked at">
          {tools.map((call, index) => (
            <li key={index}>
              <Look call={call} />
            </li>
          ))}
        </ul>
      )}
      {image !== undefined && <img src={image} alt="The chart you showed" />}
      {text !== '' && <p class="text">{text}</p>}
      {isWaiting && text === '' && <p class="quiet">Thinking…</p>}
      <RefusedWords words={fault} />
      {by !== undefined && <p class="by quiet">{by}</p>}
    </article>
  );
}

const Look = ({ call: { name, arguments: given, ms, ok } }: { readonly call: ToolCall }) => (
  <>
    <Chip tone={ok ? 'accent' : 'down'}>{ok ? 'looked at' : 'could not look at'}</Chip> <code>{name}</code>{' '}
    <span class="quiet">
      {JSON.stringify(given) === '{}' ? '' : JSON.stringify(given)} {lasting(ms)}
    </span>
  </>
);
