import { formerNamesOf } from '../../config/former-names.ts';
import { runOptions } from '../../config/options/score.ts';

const formerNames = formerNamesOf(runOptions);

/** The options of a fingerprint, those that were renamed since it was written under their current names. */
export function underCurrentNames(options: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(options).map(([flag, value]) => {
      const current = formerNames.get(flag.replace(/^--/, ''));
      return [current === undefined ? flag : `--${current}`, value];
    }),
  );
}
