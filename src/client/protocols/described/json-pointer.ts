import type { Pointers } from './description.ts';

/** A JSON Pointer (RFC 6901) as the names of the members that it leads through; none for the whole document. */
export type Path = readonly string[];

/** Reads a JSON Pointer: empty, or names that each follow a `/`, in which `~1` is a slash and `~0` a tilde. */
export function pathOfPointer(pointer: string): Path {
  if (!isPointer(pointer)) throw new TypeError(`not a JSON Pointer: ${pointer}`);
  return pointer
    .split('/')
    .slice(1)
    .map(name => name.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Whether a text is a JSON Pointer. */
export const isPointer = (text: string): boolean => /^(\/([^~/]|~[01])*)*$/.test(text);

/** The value at a path; undefined if there is none. */
export function valueAt(value: unknown, path: Path): unknown {
  let found = value;
  for (const name of path) {
    if (typeof found !== 'object' || found === null) return undefined;
    const isMember = Array.isArray(found) ? INDEX.test(name) : Object.hasOwn(found, name);
    if (!isMember) return undefined;
    found = (found as Readonly<Record<string, unknown>>)[name]; // an object or a list, which has such a member
  }
  return found;
}

/** An index of a list, without leading zeros (RFC 6901 section 4). */
const INDEX = /^(0|[1-9]\d*)$/;

/** The paths of one pointer or several. */
export const pathsOf = (pointers: Pointers): Path[] => [pointers].flat().map(pathOfPointer);

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
