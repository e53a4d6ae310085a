// Why something was not done, told at once to who cannot see it.

export const RefusedWords = ({ words }: { readonly words: string | undefined }) =>
  words === undefined ? null : (
    <p class="refused down" role="alert">
      {words}
    </p>
  );
