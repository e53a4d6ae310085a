// The one button: quiet by default, filled for the one thing a view is for, red for what stops or closes; on a ground of its own
// where what it stands for is in force: `warn`, and `alarm` for what cannot be missed.

import type { ComponentChildren } from 'preact';
import './button.css';
import { words } from './words.ts';

export interface ButtonProps {
  readonly children: ComponentChildren;
  readonly kind?: 'quiet' | 'filled' | 'danger' | 'warn' | 'alarm';
  readonly isSmall?: boolean;
  readonly type?: 'button' | 'submit';
  readonly disabled?: boolean;
  readonly label?: string;
  readonly title?: string;
  readonly expanded?: boolean;
  readonly onClick?: (event: MouseEvent) => void;
}

export function Button({
  children,
  kind = 'quiet',
  isSmall,
  type = 'button',
  disabled,
  label,
  title,
  expanded,
  onClick,
}: ButtonProps) {
  return (
    <button
      type={type}
      class={words('button', kind !== 'quiet' && kind, isSmall && 'small')}
      disabled={disabled}
      aria-label={label}
      title={title}
      aria-expanded={expanded}
      onClick={onClick}
    >
      {children}
    </button>
  );
}
