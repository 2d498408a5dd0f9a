import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from '../../../fixtures/random.ts';

/** libfaketime, where Debian has it. */
const library = (() => {
  try {
    return readdirSync('/usr/lib')
      .map(name => join('/usr/lib', name, 'faketime/libfaketimeMT.so.1'))
      .find(path => {
        try {
          return readdirSync(join(path, '..')).includes('libfaketimeMT.so.1');
        } catch {
          return false; // not a folder
        }
      });
  } catch {
    return undefined;
  }
})();

/** Why no process can have another clock; false if it can. */
export const noWrongClock: string | false =
  library === undefined && 'wrong clocks are left out: apt-get install faketime';

/** What gives a process a clock that is wrong by seconds up to days. Time spans are right, as on a machine. */
export function wrongClock(random: Random): Record<string, string> {
  const seconds = random.pick([1, -1]) * random.pick([5, 90, 3_600, 172_800]);
  return {
    LD_PRELOAD: library ?? '',
    FAKETIME: `${seconds > 0 ? '+' : ''}${seconds}s`,
    DONT_FAKE_MONOTONIC: '1',
  };
}
