import type { Readable, Writable } from 'node:stream';
import type { evaluateTable } from '../../base/options/evaluate/evaluate-options.ts';
import type { Kind, Options } from '../../base/options/option.ts';
import { runOptions } from '../../base/options/score.ts';
import { homeOption } from '../../base/options/service.ts';
import { planOptions } from '../../base/options/shards.ts';
import { historyOptions, importOptions, trainOptions } from '../../base/options/train.ts';
import type { CamelCase, ValueOf } from '../../base/options/values/resolve-options.ts';
import { sampleOptions, verifyOptions } from '../../base/options/verify.ts';
import type { Callbacks } from '../callbacks.ts';
import type { ProgramScorer } from '../scorer.ts';

const {
  jobs: _jobs,
  'fail-fast': _failFast,
  lineage: _lineage,
  // A program has the summary, and tells whom it wants.
  'notify-env': _notifyVariable,
  'on-end': _onEnd,
  // A program passes a stream instead.
  'input-env': _inputVariable,
  ...ofRun
} = runOptions;
const { output: _output, report: _report, ...ofOneRun } = ofRun;

/**
 * The options of `rowcast score` that a program gives by name; those of several files, and lineage, are its own
 * business.
 */
export const programOptions = {
  ...ofOneRun,
  'if-exists': {
    ...runOptions['if-exists'],
    choices: ['replace', 'fail', 'skip'],
    describe: 'if the output file exists: replace it (when the run finishes), fail, or skip the run',
    defaultText: '`replace`',
  },
  rejects: {
    ...runOptions.rejects,
    defaultText: '`OUTPUT.rejects` next to an output file; none for a stream',
  },
  'rejects-ok': {
    ...runOptions['rejects-ok'],
    describe: 'the `exit_code` of the summary is 0 instead of 1 if at most this many rows were rejected',
    defaultText: '0',
  },
  url: {
    ...runOptions.url,
    describe: 'base URL of the prediction service; without it, the local reports in `home` predict',
    defaultText: 'none; no environment variable changes it',
  },
  home: { ...homeOption.home, defaultText: '`.rowcast`; no environment variable changes it' },
} as const;

const { 'show-request': _shown, ...ofPlan } = planOptions;

/** The options of `plan` that a run does not have. */
export const probeOptions = ofPlan;

/** The options of `rowcast verify` that a program gives by name. */
export const verifyTable = {
  ...verifyOptions,
  ...sampleOptions,
  url: programOptions.url,
  home: programOptions.home,
};

/** The options that are the same in `rowcast train`. */
export const historyTable = { ...trainOptions, ...historyOptions };

const { categories: _categories, iterations: _iterations, ...ofImport } = importOptions;

/** The options of `rowcast import` that a program gives by name; it gives objects and numbers for the others. */
export const importTable = ofImport;

/** What a program may give for an option: numbers of a unit also as text with it. */
type GivenValue<O> = O extends { kind: 'text'; choices: readonly (infer C)[] }
  ? C
  : O extends { kind: 'map'; choices: readonly (infer C extends string)[] }
    ? Readonly<Record<string, C>>
    : O extends { kind: 'threshold' | 'duration' | 'size' }
      ? number | string
      : O extends { kind: infer K extends Kind }
        ? ValueOf<K>
        : never;

/** A table of options as a program gives them. */
type Given<T extends Options> = {
  [K in keyof T & string as CamelCase<K>]?: GivenValue<T[K]> | undefined;
};

// In the package, these interfaces have a comment for each member (build/option-interfaces.ts): editors show none for
// the members of a mapped type.
export interface GivenScoreOptions extends Given<typeof programOptions> {}
export interface GivenProbeOptions extends Given<typeof probeOptions> {}
export interface GivenVerifyOptions extends Given<typeof verifyTable> {}
export interface GivenHistoryOptions extends Given<typeof historyTable> {}
export interface GivenImportOptions extends Given<typeof importTable> {}
export interface GivenEvaluateOptions extends Given<typeof evaluateTable> {}

/** Options of `scoreStream`: those of `rowcast score` in camel case, with values as in a definition. */
export interface ScoreStreamOptions extends GivenScoreOptions, Callbacks {
  /**
   * A path, `-` for stdin, a URL (of a file or of an object), or bytes: a stream or an iterable of them, or all at
   * once. It is CSV, plain or gzip. A stream is read as fast as rows are written, and destroyed if the run ends before
   * it.
   */
  input: string | URL | Readable | AsyncIterable<Uint8Array> | Iterable<Uint8Array> | Uint8Array;
  report: string;
  /** What predicts. By default the service at `url`, else the local reports in `home`. It is not closed. */
  scorer?: ProgramScorer | undefined;
  /** Stops the run: requests in flight get ten seconds to finish, then its checkpoint is saved. */
  signal?: AbortSignal | undefined;
}

/** Options of `score`. */
export interface ScoreOptions extends ScoreStreamOptions {
  /**
   * A path, `-` for stdout, a URL (of a file or of an object), or a stream, which is ended when the output is complete
   * and destroyed if it is not. Only a file or an object can be resumed.
   */
  output: string | URL | Writable;
}

/** The options that are not in the table. */
export const otherOptions = [
  ...['input', 'output', 'report', 'scorer', 'signal'],
  ...['onProgress', 'onReject', 'onRetry'],
];
