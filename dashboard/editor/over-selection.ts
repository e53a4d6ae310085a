// Text that is typed or inserted over a selection: the editor replaces it by itself.

import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';

/** Left to itself, Chromium keeps the look of what it replaces as an inline style, which the policy of the page refuses. */
export const overSelection: Extension = EditorView.domEventHandlers({
  beforeinput({ inputType, data }, view) {
    const { from, to, empty } = view.state.selection.main;
    if (inputType !== 'insertText' || data === null || empty || view.composing) return false;
    const insert = () =>
      view.state.update(view.state.replaceSelection(data), { userEvent: 'input.type', scrollIntoView: true });
    // As with all other text: brackets, for one, are put around what is selected.
    const isTaken = view.state.facet(EditorView.inputHandler).some((take) => take(view, from, to, data, insert));
    if (!isTaken) view.dispatch(insert());
    return true;
  },
});
