import type { Files } from '../../../src/storage/durable-files.ts';

/** Files of which the parts seem to be on another disk than the output. */
export const onTwoDisks = (files: Files): Files => ({
  ...files,
  async rename(from, to) {
    if (!from.includes('/parts/') || to.includes('/parts/')) return files.rename(from, to);
    throw Object.assign(new Error('EXDEV: cross-device link not permitted'), { code: 'EXDEV' });
  },
});
