// How much a trade was, in the column of a list: what has filled, and quietly what was asked for where that is something else.

import { type Size, sizeWords } from './trade-words.ts';

export const SizeWords = ({ size }: { readonly size: Size }) => {
  const { filled, asked } = size;
  return (
    <span title={sizeWords(size)}>
      {filled}{' '}
      {asked !== undefined && <span class="quiet">{filled === undefined ? `${asked} asked` : `(${asked} asked)`}</span>}
    </span>
  );
};

/** Up to `0.005 (500 USDT asked)`. */
export const SIZE_WIDTH = 'minmax(112px, 160px)';
