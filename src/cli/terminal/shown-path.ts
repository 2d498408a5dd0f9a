import { isAbsolute, relative } from 'node:path';

/** A path of a summary for people: relative if it is below the working directory. Other names stay as they are. */
export function shownPath(name: string): string {
  if (!isAbsolute(name)) return name;
  const near = relative('.', name);
  return near === '' || near.startsWith('..') ? name : near;
}
