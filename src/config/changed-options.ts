import { isDeepStrictEqual } from 'node:util';
import type { Options } from './options/option.ts';
import type { RejectLimit } from './reject-limit.ts';
import { camelCase, resolveValues } from './resolve-options.ts';

/** The options that differ from their default, by name: durations in seconds, sizes in bytes, thresholds as written. */
export function changedOptions(
  options: Options,
  values: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const defaults: Readonly<Record<string, unknown>> = resolveValues(options, {});
  const changed: Record<string, unknown> = {};
  for (const [name, { kind }] of Object.entries(options)) {
    const value = values[camelCase(name)];
    if (value === undefined || isDeepStrictEqual(value, defaults[camelCase(name)])) continue;
    changed[name] = kind === 'threshold' ? thresholdText(value as RejectLimit) : value; // the kind of its value
  }
  return changed;
}

const thresholdText = (limit: RejectLimit): string =>
  'rows' in limit ? String(limit.rows) : `${limit.percent}%`;
