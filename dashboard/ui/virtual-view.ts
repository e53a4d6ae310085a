// What a long list has to know of the page that scrolls around it: how far that has gone, and how high a part of it is.

import { useLayoutEffect, useRef, useState } from 'preact/hooks';

/** The part of the page that scrolls around an element. */
const scrollerOf = (element: HTMLElement): HTMLElement =>
  element.closest<HTMLElement>('[data-scrolls], main') ?? document.documentElement;

/** How far the page has gone beyond the top of the list; told once a frame at most. */
export function useScrolledView(list: { readonly current: HTMLElement | null }) {
  const [view, setView] = useState({ scrolledPx: 0, viewPx: 0 });
  useLayoutEffect(() => {
    const element = list.current;
    if (element === null) return;
    const scroller = scrollerOf(element);
    let frame = 0;
    const look = (): void => {
      frame = 0;
      const scrolledPx = scroller.getBoundingClientRect().top - element.getBoundingClientRect().top;
      setView({ scrolledPx, viewPx: scroller.clientHeight });
    };
    const soon = (): void => {
      if (frame === 0) frame = requestAnimationFrame(look);
    };
    const sizes = new ResizeObserver(soon);
    sizes.observe(scroller);
    scroller.addEventListener('scroll', soon, { passive: true });
    look();
    return () => {
      cancelAnimationFrame(frame);
      sizes.disconnect();
      scroller.removeEventListener('scroll', soon);
    };
  }, [list]);
  return view;
}

export const useHeight = () => useMeasured(({ offsetHeight }) => offsetHeight, 0);
/** Known before the first picture. */
export const useWidth = () => useMeasured(({ offsetWidth }) => offsetWidth, Number.POSITIVE_INFINITY);

/** What an element measures, and where to put it. */
function useMeasured(
  sizeOf: (element: HTMLElement) => number,
  before: number,
): readonly [number, (element: HTMLElement | null) => void] {
  const [px, setPx] = useState(before);
  const observer = useRef<ResizeObserver | undefined>(undefined);
  const measure = useRef((element: HTMLElement | null): void => {
    observer.current?.disconnect();
    if (element === null) return;
    observer.current = new ResizeObserver(() => setPx(sizeOf(element)));
    observer.current.observe(element);
    setPx(sizeOf(element));
  });
  return [px, measure.current];
}

/** New rows on top push nothing away from under the eyes of who reads further down. */
export function useSteadyView<Row>(
  list: { readonly current: HTMLElement | null },
  rows: readonly Row[],
  keyOf: (row: Row) => string,
  rowPx: number,
  scrolledPx: number,
): void {
  const firstKey = rows[0] === undefined ? undefined : keyOf(rows[0]);
  const before = useRef<string | undefined>(undefined);
  useLayoutEffect(() => {
    const pushed = before.current === undefined ? 0 : rows.findIndex((row) => keyOf(row) === before.current);
    before.current = firstKey;
    if (pushed > 0 && scrolledPx > 0 && list.current !== null) scrollerOf(list.current).scrollTop += pushed * rowPx;
  }, [firstKey]);
}

/** A link may open a row that is further down than the view: it is brought there once, when it is found. */
export function useRevealedRow(list: { readonly current: HTMLElement | null }, index: number, rowPx: number): void {
  const isThere = index !== -1;
  useLayoutEffect(() => {
    if (!isThere || list.current === null) return;
    const scroller = scrollerOf(list.current);
    const top = list.current.getBoundingClientRect().top - scroller.getBoundingClientRect().top + index * rowPx;
    if (top < 0 || top > scroller.clientHeight - 2 * rowPx) scroller.scrollTop += top - 2 * rowPx;
  }, [isThere]);
}
