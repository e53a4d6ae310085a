// Why something was not done, told at once to who cannot see it.

import { faultWords } from './fault-words.ts';

export const RefusedWords = ({ words }: { readonly words: string | undefined }) =>
  words === undefined ? null : (
    <p class="refused down" role="alert">
      {faultWords(words)}
    </p>
  );
