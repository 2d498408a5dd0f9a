import { join } from 'node:path';
import { RowcastError } from '../../base/errors.ts';
import { reasonOf } from '../../base/system-error.ts';
import { placeFile } from '../../storage/local/atomic-write.ts';
import { makeFolder } from '../../storage/local/home-folder.ts';
import type { Context } from '../context.ts';

/**
 * Shows the temporary key of a service: on the terminal, or else in a file that only its owner can read. There is one
 * file per port, because several services may share a home.
 *
 * @throws RowcastError `unwritable_home`
 */
export async function announceKey(
  key: string,
  home: string,
  port: string,
  { log, logFormat }: Pick<Context, 'log' | 'logFormat'>,
): Promise<void> {
  const why = 'no API key configured; generated a temporary one';
  if (process.stderr.isTTY && logFormat === 'text') {
    process.stderr.write(`rowcast: ${why}: ${key}\n`);
    return;
  }
  const file = join(home, `serve-${port}.key`);
  try {
    await makeFolder(home);
    await placeFile(file, `${key}\n`, 'replace');
  } catch (cause) {
    throw new RowcastError('unwritable_home', `cannot write the temporary API key: ${reasonOf(cause)}`, {
      location: { file },
      hint: 'Set ROWCAST_API_KEY, or set ROWCAST_HOME to a writable folder.',
      cause,
    });
  }
  log.info({ event: 'key_generated', file }, `${why}, stored in ${file}`);
}
