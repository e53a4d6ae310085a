// A file that is dropped anywhere on the page. Without this the browser would open it in the place of the page, and the conversation
// would be gone.

import { useEffect } from 'preact/hooks';
import { fileIn } from './pictures.ts';

/** What is done with it must not depend on anything that changes: it is taken once. */
export function useDroppedFile(take: (file: File | undefined) => void): void {
  useEffect(() => {
    const over = (event: DragEvent): void => event.preventDefault();
    const drop = (event: DragEvent): void => {
      event.preventDefault();
      take(fileIn(event.dataTransfer));
    };
    document.addEventListener('dragover', over);
    document.addEventListener('drop', drop);
    return () => {
      document.removeEventListener('dragover', over);
      document.removeEventListener('drop', drop);
    };
  }, []);
}
