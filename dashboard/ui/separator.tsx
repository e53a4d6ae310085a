// The line between two parts of a page. Dragging it, or the arrow keys on it, gives more or less room to the part behind it:
// the one to its right, or the one below it.

import './separator.css';
import { words } from './words.ts';

export interface SeparatorProps {
  /** What becomes larger or smaller, for who cannot see it. */
  readonly label: string;
  /** Of the line itself: a vertical one stands between left and right. */
  readonly orientation: 'horizontal' | 'vertical';
  /** How wide or high the part behind it is, in pixels. */
  readonly value: number;
  readonly min: number;
  readonly max: number;
  readonly onChange: (value: number) => void;
}

const STEP_PX = 24;

export function Separator({ label, orientation, value, min, max, onChange }: SeparatorProps) {
  const within = (wanted: number): number => Math.round(Math.max(min, Math.min(max, wanted)));
  const press = (event: KeyboardEvent): void => {
    const wanted = afterKey(event.key, orientation, { value, min, max });
    if (wanted === undefined) return;
    event.preventDefault();
    onChange(within(wanted));
  };
  const drag = (event: PointerEvent): void => {
    const line = event.currentTarget as HTMLElement;
    const along = ({ clientX, clientY }: PointerEvent): number => (orientation === 'vertical' ? clientX : clientY);
    const from = along(event);
    const follow = (moved: PointerEvent): void => onChange(within(value + from - along(moved)));
    const end = new AbortController();
    const { signal } = end;
    line.setPointerCapture(event.pointerId);
    line.addEventListener('pointermove', follow, { signal });
    for (const over of ['pointerup', 'pointercancel'] as const)
      line.addEventListener(over, () => end.abort(), { signal });
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule cannot be moved; a separator with a value can
    <div
      role="separator"
      tabIndex={0}
      class={words('separator', orientation)}
      aria-label={label}
      aria-orientation={orientation}
      aria-valuenow={within(value)}
      aria-valuemin={min}
      aria-valuemax={max}
      onKeyDown={press}
      onPointerDown={drag}
    />
  );
}

type Range = Pick<SeparatorProps, 'value' | 'min' | 'max'>;

function afterKey(key: string, orientation: SeparatorProps['orientation'], range: Range): number | undefined {
  const [more, less] = orientation === 'vertical' ? ['ArrowLeft', 'ArrowRight'] : ['ArrowUp', 'ArrowDown'];
  if (key === more) return range.value + STEP_PX;
  if (key === less) return range.value - STEP_PX;
  if (key === 'Home') return range.min;
  return key === 'End' ? range.max : undefined;
}
