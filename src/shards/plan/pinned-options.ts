import { isPathOf, type RunOption } from '../../base/options/option.ts';
import { runOptions } from '../../base/options/score.ts';
import { givenValue } from '../../base/options/values/resolve-options.ts';

/**
 * Options that decide how fast to work, when to stop and what to write beside the outputs; they may change in between.
 */
const tunable = [
  ...['max-requests-per-second', 'max-rows-per-second'],
  ...[
    'max-rejects',
    'rejects-ok',
    'max-mismatches',
    'max-missing',
    'max-unseen',
    'min-rows',
    'max-drift',
    'compare',
  ],
  ...['max-record-bytes', 'max-group-bytes'],
  ...['private', 'checksum', 'checkpoint-interval', 'summary', 'summary-html', 'metrics', 'lineage'],
];

/** Options that are part of what identifies a run in another form. */
const apart = ['delimiter', 'quote', 'escape', 'input-format', 'protocol'];

/** Options of `score` as a definition has them, so that every machine resolves and validates them in the same way. */
export interface PinnedOptions {
  /** The options that determine the bytes of the outputs. */
  options: Record<string, unknown>;
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
    if (tunable.includes(name)) pinned.settings[name] = own;
    else if (option.affectsOutput === true || apart.includes(name)) pinned.options[name] = own;
  }
  return pinned;
}
