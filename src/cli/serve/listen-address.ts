import { RowcastError } from '../../base/errors.ts';
import { sanitize } from '../../base/sanitize.ts';

/** An empty host is refused, because it would listen on every interface. */
export function readHost(text: string): string {
  if (text.trim() !== '') return text.trim();
  throw new RowcastError('bad_option', '--host is empty', {
    hint: 'Give an address to listen on, such as 127.0.0.1, or 0.0.0.0 for all interfaces.',
  });
}

export function readPort(option: string, text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new RowcastError('bad_option', `--${option} "${sanitize(text)}" is not a port`, {
    hint: 'Give a number from 0 to 65535.',
  });
}
