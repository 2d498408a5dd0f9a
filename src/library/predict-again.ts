import type { PredictionType } from '../base/contract/predictions.ts';
import { RowcastError } from '../base/errors.ts';
import { inputOptions } from '../base/options/input.ts';
import { runOptions } from '../base/options/score.ts';
import { camelCase, resolveValues, type Values } from '../base/options/values/resolve-options.ts';
import type { JobValues } from '../base/options/values/run-values.ts';
import { sampleOptions, type verifyOptions } from '../base/options/verify.ts';
import { readTable } from '../formats/read-table.ts';
import { executeRun } from '../runs/execute-run.ts';
import type { AgainLabels, AgainNumbers, AgainProbabilities } from '../runs/verify/compare-sample.ts';
import type { SampleOptions } from '../runs/verify/verify.ts';
import { LOCAL, type Scorer } from '../scoring/scorer.ts';
import type { Target } from '../storage/target.ts';
import { runOfSample } from './runs-of.ts';
import { byteStream, streamInputSource } from './streams/byte-input.ts';

/** The values of a run that predicts rows of a sample, and writes nothing but the predictions, in full. */
export function sampleValues(
  given: Values<typeof sampleOptions> & Pick<Values<typeof verifyOptions>, 'nulls'>,
): JobValues & { report: string } {
  const { report } = given;
  if (report === undefined)
    throw new RowcastError('usage', 'no report given; use --report ID with --sample', {
      hint: 'Name the report, and the service with --url, that the run had.',
    });
  // What else a caller knows of the run is about its output.
  const sent = new Set(['nulls', ...Object.keys(sampleOptions).map(camelCase)]);
  return {
    ...resolveValues(runOptions, {}),
    ...Object.fromEntries(Object.entries(given).filter(([name]) => sent.has(name))),
    report,
    keep: 'none',
    output: '-',
    // The records were read with the limit of the run.
    maxRecordBytes: inputOptions['max-record-bytes'].max,
    // What happens to a few rows is not what happens to all.
    maxRejects: undefined,
    maxMismatches: 'none',
    maxMissing: 'none',
    maxUnseen: 'none',
  };
}

/** Predicts rows as a run with these values does. */
export const predictAgain =
  (
    values: JobValues & { report: string },
    withScorer: <T>(use: (scorer: Scorer) => Promise<T>) => Promise<T>,
    stop: AbortSignal,
  ): SampleOptions['predict'] =>
  (file, readAs) =>
    withScorer(async scorer => {
      const { target, chunks } = memoryTarget();
      // A column may be absent from a few of the rows.
      const own = { ...values, allowMissing: true, input: 'the sample', ...readAs };
      const source = streamInputSource(byteStream(eachOf(file)), own);
      const { prediction } = await executeRun(runOfSample(own, { scorer, source, target, stop }));
      if (prediction === null) throw new TypeError('predictAgain: a finished run has no predictions');
      const { rows } = await readTable(Buffer.concat(chunks), { ...readAs, file: target.name });
      return { ...againOf(prediction, rows), isExact: scorer.name === LOCAL };
    });

/**
 * The fields that a run has appended to each row, as what they stand for; empty ones are of a row that was rejected.
 */
function againOf(
  prediction: PredictionType,
  rows: readonly (readonly string[])[],
): AgainProbabilities | AgainLabels | AgainNumbers {
  const appended = rows.map(fields => (fields.every(field => field === '') ? undefined : fields));
  return prediction.kind === 'label'
    ? { ...prediction, rows: appended.map(fields => fields?.[0]) }
    : { ...prediction, rows: appended.map(fields => fields?.map(Number)) };
}

async function* eachOf(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

/** An output that is kept in memory. */
function memoryTarget(): { target: Target; chunks: Buffer[] } {
  const chunks: Buffer[] = [];
  const target: Target = {
    name: 'the predictions',
    path: undefined,
    isStdout: false,
    usedFiles: () => [],
    open: async () => ({
      // The run reuses its memory.
      write: async bytes => void chunks.push(Buffer.from(bytes)),
      async close() {},
      async abandon() {},
    }),
  };
  return { target, chunks };
}
