import { changedOptions } from '../../config/changed-options.ts';
import { runOptions } from '../../config/options/score.ts';
import type { RunNames } from '../../runs/summary.ts';
import { readVersion } from '../version.ts';
import type { ScoreValues } from './score-values.ts';

/** What a run is called in its summary and logs. */
export function namesOf({ output, rejects, report, ...values }: ScoreValues, input: string): RunNames {
  return {
    version: readVersion(),
    input: input === '-' ? 'stdin' : input,
    output: output === '-' ? 'stdout' : output,
    rejects: rejects ?? (output === '-' ? null : `${output}.rejects`),
    hasNamedRejects: rejects !== undefined,
    report: report ?? null,
    options: changedOptions(shownOptions, values),
  };
}

/** Without those that have a member of their own, and those that say where a key is. */
const {
  output: _output,
  rejects: _rejects,
  report: _report,
  url: _url,
  summary: _summary,
  'summary-html': _summaryHtml,
  metrics: _metrics,
  lineage: _lineage,
  'api-key-file': _keyFile,
  'api-key-env': _keyVariable,
  ...shownOptions
} = runOptions;
