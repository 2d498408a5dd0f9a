import pLimit from 'p-limit';

/** A process may have no more than 1,024 descriptors, and others need some too. */
const AT_ONCE = 16;

/** Reads something from each of many files, a few at a time. */
export const readMany = <T, R>(files: readonly T[], read: (file: T) => Promise<R>): Promise<R[]> =>
  pLimit(AT_ONCE).map(files, file => read(file));
