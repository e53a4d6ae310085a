// What is asked: a question, a chart to look at, and whether the model may look at one's own data.

import { useState } from 'preact/hooks';
import { Button } from '../../ui/button.tsx';
import { RefusedWords } from '../../ui/refused.tsx';
import { fileIn, readPicture } from './pictures.ts';
import { useDroppedFile } from './use-dropped-file.ts';

export interface AskFormProps {
  readonly isAsking: boolean;
  readonly onSend: (text: string, image: string | undefined, withTools: boolean) => void;
  readonly onStop: () => void;
}

export function AskForm({ isAsking, onSend, onStop }: AskFormProps) {
  const [text, setText] = useState('');
  const [image, setImage] = useState<string>();
  const [withTools, setWithTools] = useState(true);
  const [refused, setRefused] = useState<string>();
  const isEmpty = text.trim() === '' && image === undefined;
  const take = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return;
    const picture = await readPicture(file);
    setRefused('fault' in picture ? picture.fault : undefined);
    if ('url' in picture) setImage(picture.url);
  };
  const send = (event: Event): void => {
    event.preventDefault();
    if (isAsking || isEmpty) return;
    onSend(text.trim(), image, withTools);
    setText('');
    setImage(undefined);
  };
  useDroppedFile((file) => void take(file));
  return (
    <form class="ask" onSubmit={send}>
      {image !== undefined && <Attached image={image} onRemove={() => setImage(undefined)} />}
      <RefusedWords words={refused} />
      <textarea
        aria-label="Your question"
        rows={3}
        maxLength={32_000}
        value={text}
        placeholder={
          image === undefined ? 'How did my BTC signals do this week?' : 'What to look for; empty: a description.'
        }
        onInput={(event) => setText(event.currentTarget.value)}
        onPaste={(event) => void take(fileIn(event.clipboardData))}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && !event.shiftKey) send(event);
        }}
      />
      <div class="ask-line">
        <label class="check">
          <input
            type="checkbox"
            checked={withTools}
            disabled={image !== undefined}
            onChange={() => setWithTools(!withTools)}
          />
          It may look at my positions, trades and signals
        </label>
        <PictureButton onTake={take} />
        {isAsking ? (
          <Button onClick={onStop}>Stop</Button>
        ) : (
          <Button kind="filled" type="submit" disabled={isEmpty}>
            Ask
          </Button>
        )}
      </div>
    </form>
  );
}

const Attached = ({ image, onRemove }: { readonly image: string; readonly onRemove: () => void }) => (
  <div class="attached">
    <img src={image} alt="The chart to be looked at" />
    <Button isSmall onClick={onRemove}>
      Take it away
    </Button>
  </div>
);

const PictureButton = ({ onTake }: { readonly onTake: (file: File | undefined) => void }) => (
  <label class="button picture">
    Show a chart…
    <input
      type="file"
      accept="image/png,image/jpeg,image/webp,image/gif"
      class="sr-only"
      onChange={(event) => {
        onTake(event.currentTarget.files?.[0]);
        event.currentTarget.value = '';
      }}
    />
  </label>
);
