// On a phone: the pages that the bar below has no room for.

import { useState } from 'preact/hooks';
import { Dialog } from '../ui/dialog.tsx';
import { linkTo } from '../ui/places.ts';
import './more.css';
import { PAGES } from './pages.ts';

export function More() {
  const [isOpen, setOpen] = useState(false);
  const others = PAGES.filter(({ isOnPhone }) => !isOnPhone);
  if (others.length === 0) return null;
  return (
    <>
      <button type="button" class="more" onClick={() => setOpen(true)}>
        More
      </button>
      {isOpen && (
        <Dialog title="More" onClose={() => setOpen(false)}>
          <ul class="more-pages">
            {others.map(({ word, title }) => (
              <li key={word}>
                <a href={linkTo(word)} onClick={() => setOpen(false)}>
                  {title}
                </a>
              </li>
            ))}
          </ul>
        </Dialog>
      )}
    </>
  );
}
