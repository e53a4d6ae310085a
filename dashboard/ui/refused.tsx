// Why something was not done, told at once also to who cannot see it.

export const RefusedWords = ({ words }: { readonly words: string | undefined }) =>
  words === undefined ? null : (
    <p class="refused" role="alert">
      {words}
    </p>
  );
