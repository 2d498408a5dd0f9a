import { LAST } from '../base/options/drift.ts';
import { runOptions } from '../base/options/score.ts';
import { changedOptions } from '../base/options/values/resolve-options.ts';
import type { JobValues } from '../base/options/values/run-values.ts';
import { absolutePath } from '../base/scheme.ts';
import { readVersion } from '../base/version.ts';
import type { RunNames } from '../runs/summary/summary.ts';

/** What a run is called in its summary: its paths are the same from every working directory. */
export function namesOf(
  { output, rejects, report, ...values }: JobValues,
  inputs: readonly string[],
): RunNames {
  const paths = inputs.map(input => (input === '-' ? 'stdin' : absolutePath(input)));
  const to = output === '-' ? 'stdout' : absolutePath(output);
  const { compare } = values;
  return {
    version: readVersion(),
    input: paths.join(', '),
    output: to,
    rejects: rejects === undefined ? (output === '-' ? null : `${to}.rejects`) : absolutePath(rejects),
    hasNamedRejects: rejects !== undefined,
    report: report ?? null,
    options: changedOptions(shownOptions, {
      ...values,
      compare: compare === undefined || compare === LAST ? compare : absolutePath(compare),
    }),
  };
}

/** Without those that have a member of their own, and those that say where a secret is. */
const {
  output: _output,
  rejects: _rejects,
  report: _report,
  url: _url,
  protocol: _protocol,
  summary: _summary,
  'summary-html': _summaryHtml,
  metrics: _metrics,
  lineage: _lineage,
  'notify-env': _notifyVariable,
  'on-end': _onEnd,
  'input-env': _inputVariable,
  'api-key-file': _keyFile,
  'api-key-env': _keyVariable,
  'header-env': _headerVariables,
  'client-cert': _certificate,
  'client-key': _privateKey,
  ...shownOptions
} = runOptions;
