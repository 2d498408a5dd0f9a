import { RowcastError } from '../base/errors.ts';
import { inputOptions } from '../base/options/input.ts';
import { runOptions } from '../base/options/score.ts';
import { resolveValues, type Values } from '../base/options/values/resolve-options.ts';
import type { sampleOptions } from '../base/options/verify.ts';
import { readTable } from '../formats/read-table.ts';
import { executeRun } from '../runs/execute-run.ts';
import { RunControl } from '../runs/run-control.ts';
import type { SampleOptions } from '../runs/verify/verify.ts';
import { LOCAL, type Scorer } from '../scoring/scorer.ts';
import type { Target } from '../storage/target.ts';
import type { JobValues } from './job-values.ts';
import { namesOf } from './run-names.ts';
import { byteStream, streamInputSource } from './streams/byte-input.ts';

const PREFIX = 'p';

/** The values of a run that predicts rows of a sample, which appends nothing but all probabilities. */
export function sampleValues(given: Values<typeof sampleOptions>): JobValues & { report: string } {
  const { report, protocol, url, apiKeyFile, apiKeyEnv, allowHttp, timeout } = given;
  const { auth, headerEnv, clientCert, clientKey, caFile, proxy } = given;
  const { features, excludeFeatures, predict, types, nulls, missing, allowMissing, classes } = given;
  if (report === undefined)
    throw new RowcastError('usage', 'no report given; use --report ID with --sample', {
      hint: 'Name the report, and the service with --url, that the run had.',
    });
  return {
    ...resolveValues(runOptions, {}),
    protocol,
    url,
    apiKeyFile,
    apiKeyEnv,
    allowHttp,
    auth,
    headerEnv,
    clientCert,
    clientKey,
    caFile,
    proxy,
    timeout,
    features,
    excludeFeatures,
    predict,
    types,
    nulls,
    missing,
    allowMissing,
    classes,
    report,
    keep: 'none',
    prefix: PREFIX,
    output: '-',
    // The records were read with the limit of the run.
    maxRecordBytes: inputOptions['max-record-bytes'].max,
    // What happens to a few rows is not what happens to all.
    maxRejects: undefined,
    maxMismatches: undefined,
    maxUnseen: undefined,
  };
}

/** Predicts rows as a run with these values does. @throws RowcastError `bad_option` for anything but probabilities */
export const predictAgain =
  (
    values: JobValues & { report: string },
    withScorer: <T>(use: (scorer: Scorer) => Promise<T>) => Promise<T>,
    stop: AbortSignal,
  ): SampleOptions['predict'] =>
  (file, readAs) =>
    withScorer(async scorer => {
      const { target, chunks } = memoryTarget();
      const options = { ...values, input: 'the sample', ...readAs };
      const source = streamInputSource(byteStream(eachOf(file)), options);
      const { prediction } = await executeRun({
        names: namesOf(values, []),
        options,
        paths: { input: undefined, output: target },
        openScorer: async () => ({ scorer, close: async () => {} }),
        openInput: async () => source,
        observers: [],
        control: new RunControl(stop),
      });
      if (prediction?.kind !== 'distribution')
        throw new RowcastError('bad_option', '--sample compares probabilities, but none are predicted now');
      const { header, rows } = await readTable(Buffer.concat(chunks), { ...readAs, file: target.name });
      return {
        classes: header.map(name => name.slice(`${PREFIX}_`.length)),
        rows: rows.map(fields => (fields.every(field => field === '') ? undefined : fields.map(Number))),
        isExact: scorer.name === LOCAL,
      };
    });

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
