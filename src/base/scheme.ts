import { resolve } from 'node:path';

/** The scheme of a name such as `s3://bucket/key`; undefined for a path. `./s3://key` is a path. */
export const schemeOf = (name: string): string | undefined => /^([a-z][a-z0-9+.-]*):\/\//i.exec(name)?.[1];

/** A path as one that does not depend on the working directory; `-` and URLs stay as they are. */
export const absolutePath = (name: string): string =>
  name === '-' || schemeOf(name) !== undefined ? name : resolve(name);
