import { RowcastError } from '../../base/errors.ts';
import { SHORT_OUTAGE } from '../../base/options/service.ts';
import { planInput } from '../../runs/forecast/plan-input.ts';
import { rejectsWithRowcastError } from '../as-rowcast-error.ts';
import { checkObject, pathOf, readGiven } from '../options/given-values.ts';
import {
  type GivenProbeOptions,
  type GivenScoreOptions,
  probeOptions,
  programOptions,
} from '../options/library-options.ts';
import type { ProgramScorer } from '../scorer.ts';
import { withRunScorer } from '../scorers/open-run-scorer.ts';
import { givenService } from '../service/given-service.ts';
import { checkCompared, type Plan, planOf } from './plan-of.ts';

const table = { ...programOptions, ...probeOptions };

/** Options of `plan`: those of `score`, and `probe` and `pricePer1000`. */
export interface PlanOptions extends GivenScoreOptions, GivenProbeOptions {
  /** A path, `-` for stdin, or a `file:` URL. */
  input: string | URL;
  /** Where the rows would go, for the free space of its disk. */
  output?: string | URL | undefined;
  report: string;
  /** What predicts, as for `score`. */
  scorer?: ProgramScorer | undefined;
  /** Aborts a probe. */
  signal?: AbortSignal | undefined;
}

/**
 * Says what `score` would do, before anything is spent: columns, rows, requests, disk space. It writes nothing, and
 * makes no request but for the report, and up to `probe` ones.
 *
 * @throws RowcastError if the input cannot be read, or the report not be found. Columns that do not fit are no error of
 *   `plan`: see `error` of the input
 */
export function plan(options: PlanOptions): Promise<Plan> {
  return rejectsWithRowcastError(async () => {
    checkObject('plan', options, 'input and report');
    const { report, scorer, signal: stop = new AbortController().signal } = options;
    const others = ['input', 'output', 'report', 'scorer', 'signal'];
    const {
      home = '.rowcast',
      probe: probes,
      pricePer1000,
      ...values
    } = readGiven(table, { maxOutage: SHORT_OUTAGE, ...options }, others);
    if (typeof report !== 'string' || report === '')
      throw new RowcastError('bad_option', 'report: expected an id');
    const output = options.output === undefined ? '-' : pathOf('output', options.output);
    const input = pathOf('input', options.input);
    const run = { ...values, report, input, output, jobs: 1, failFast: false };
    await checkCompared(run, { report, last: undefined, note: () => {} });
    const opening = { scorer, values: run, given: givenService(values, home), stop };
    return withRunScorer(opening, async used => {
      const planned = await planInput(run, used, { probes, showRequest: false, stop });
      return planOf([planned], { report, service: used.name, output }, pricePer1000);
    });
  });
}
