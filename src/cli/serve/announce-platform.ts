import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { RowcastError } from '../../base/errors.ts';
import { reasonOf } from '../../base/system-error.ts';
import { placeFile } from '../../storage/local/atomic-write.ts';
import { makeFolder } from '../../storage/local/home-folder.ts';
import type { Platform } from '../../web/platform.ts';
import type { Context } from '../context.ts';

/**
 * Shows the sign-in URL, on a terminal only: its token signs in whoever has it.
 *
 * @param isOpened whether to open a browser
 * @returns what to call when the service ends
 */
export async function announcePlatform(
  platform: Platform,
  serviceUrl: string,
  home: string,
  isOpened: boolean,
  { log, logFormat }: Pick<Context, 'log' | 'logFormat'>,
): Promise<() => void> {
  if (process.stderr.isTTY && logFormat === 'text') {
    const url = platform.signInUrl(serviceUrl);
    process.stderr.write(
      `rowcast: sign in to the web platform (works once, for 15 minutes):\n\n    ${url}\n\n`,
    );
  }
  if (!isOpened) return () => {};
  const file = join(home, `open-${new URL(serviceUrl).port}.html`);
  try {
    await makeFolder(home);
    await placeFile(file, pageTo(platform.signInUrl(serviceUrl)), 'replace');
    await openInBrowser(pathToFileURL(file).href);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    log.warn({ event: 'browser_not_opened' }, `cannot open a browser: ${reason}`);
  }
  return () => rmSync(file, { force: true });
}

/** A page that leads to a URL. The URL itself must not be an argument of a process, which other users can see. */
const pageTo = (url: string): string =>
  `<!doctype html>\n<meta charset="utf-8">\n<meta http-equiv="refresh" content="0; url=${url}">\n<title>rowcast</title>\n`;

async function openInBrowser(url: string): Promise<void> {
  const command = process.platform === 'darwin' ? 'open' : 'xdg-open';
  const child = spawn(command, [url], { detached: true, stdio: 'ignore' });
  await once(child, 'spawn');
  child.unref();
}

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
