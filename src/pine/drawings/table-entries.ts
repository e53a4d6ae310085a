// `table.*` for the emitter.

import { functions, type ValueEntries, type ValueFunction } from '../values/entry.ts';
import type { Journal } from '../values/rollback.ts';
import { CELL, type Property, TABLE } from './properties.ts';
import type { DrawingStore } from './store.ts';
import { Table } from './table.ts';

const TABLE_SETTERS = ['position', 'bgcolor', 'frame_color', 'frame_width', 'border_color', 'border_width'];

export function tableEntries({ journal }: { readonly journal: Journal }, store: DrawingStore): ValueEntries {
  const calls: Record<string, ValueFunction> = {
    new: (...values: Property[]) => store.add(new Table(journal, store.takeId(), TABLE.accept(values))),
    delete: (id: Table | null) => {
      if (id !== null) store.remove(id);
    },
    cell: (id: Table | null, column: number, row: number, ...look: Property[]) => {
      if (id !== null && !id.removed) id.define(column, row, CELL.accept(look));
    },
    clear: (
      id: Table | null,
      start_column: number,
      start_row: number,
      end_column: number = start_column,
      end_row: number = start_row,
    ) => {
      if (id !== null && !id.removed) id.clear({ start_column, start_row, end_column, end_row });
    },
    merge_cells: (id: Table | null, start_column: number, start_row: number, end_column: number, end_row: number) => {
      if (id !== null && !id.removed) id.merge({ start_column, start_row, end_column, end_row });
    },
  };
  for (const name of TABLE_SETTERS) calls[`set_${name}`] = tableSetter(TABLE.slotOf(name));
  for (const name of CELL.names) calls[`cell_set_${name}`] = cellSetter(CELL.slotOf(name));
  return functions('table.', calls);
}

function tableSetter(slot: number): ValueFunction {
  return (id: Table | null, value: Property) => {
    if (id !== null && !id.removed) id.write(slot, value);
  };
}

/** A cell that was never defined stays undefined. */
function cellSetter(slot: number): ValueFunction {
  return (id: Table | null, column: number, row: number, value: Property) => {
    if (id === null || id.removed) return;
    CELL.check(slot, value);
    id.cellAt(column, row)?.write(slot, value);
  };
}
