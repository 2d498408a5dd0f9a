import { isDeepStrictEqual } from 'node:util';
import type { Options } from '../option.ts';
import type { RejectLimitOrNone } from './reject-limit.ts';
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
    changed[name] = kind === 'threshold' ? thresholdText(value as RejectLimitOrNone) : value; // the kind of its value
  }
  return changed;
}

/** A threshold as it is written. */
export function thresholdText(limit: RejectLimitOrNone): string {
  if (limit === 'none') return limit;
  return 'rows' in limit ? String(limit.rows) : `${limit.percent}%`;
}
