import type { Pointers } from './description.ts';
import { type Path, pathOf, valueAt } from './json-pointer.ts';

/** The paths of one pointer or several. */
export const pathsOf = (pointers: Pointers): Path[] => [pointers].flat().map(pathOf);

/** The first list that one of the paths leads to; undefined if none does. */
export function listAt(value: unknown, paths: readonly Path[]): readonly unknown[] | undefined {
  for (const path of paths) {
    const found = valueAt(value, path);
    if (Array.isArray(found)) return found;
  }
  return undefined;
}

/** The first value that one of the paths leads to; undefined if none does. */
export function firstAt(value: unknown, paths: readonly Path[]): unknown {
  for (const path of paths) {
    const found = valueAt(value, path);
    if (found !== undefined) return found;
  }
  return undefined;
}
