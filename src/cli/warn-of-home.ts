import { sanitize } from '../base/sanitize.ts';
import { pathWord } from '../base/shell-pipe.ts';
import { isWritableByAll } from '../storage/local/home-folder.ts';
import type { Context } from './context.ts';

/**
 * Warns of a home in which everybody on the machine can replace reports and keys. It is used all the same, because
 * volumes of containers often have mode 0777.
 */
export async function warnOfHome({ log }: Pick<Context, 'log'>, home: string): Promise<void> {
  if (!(await isWritableByAll(home))) return;
  const name = sanitize(home);
  log.warn(
    { event: 'home_writable_by_all', folder: home },
    `everybody on this machine can replace the reports and keys in ${name}; if that is not wanted: chmod o-w ${pathWord(home)}`,
  );
}
