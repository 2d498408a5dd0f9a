import { isPathOf, type RunOption } from '../../base/options/option.ts';
import { runOptions } from '../../base/options/score.ts';
import { givenValue } from '../../base/options/values/resolve-options.ts';

/** Options of `score` as a definition has them, so that every machine resolves and validates them in the same way. */
export interface PinnedOptions {
  /** The options that determine the bytes of the outputs. */
  options: Record<string, unknown>;
  /** Options that all workers share, but that may change in between. */
  settings: Record<string, unknown>;
}

/**
 * The options that a plan keeps. The service, and how many requests are made at a time, are each worker's own.
 *
 * @param absolute makes the path of an option absolute
 */
export function pinnedOptions(
  flags: Readonly<Record<string, unknown>>,
  defined: Readonly<Record<string, unknown>>,
  absolute: (path: string) => string,
): PinnedOptions {
  const pinned: PinnedOptions = { options: {}, settings: {} };
  for (const [name, option] of Object.entries<RunOption>(runOptions)) {
    const value = givenValue(name, option, flags, defined);
    if (value === undefined) continue;
    const own = isPathOf(option, value) ? absolute(String(value)) : value;
    switch (option.affectsOutput) {
      case true:
      case 'recorded apart, and shards share it':
        pinned.options[name] = own;
        break;
      case 'no, but shards share it':
        pinned.settings[name] = own;
    }
  }
  return pinned;
}
