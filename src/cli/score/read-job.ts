import { RowcastError } from '../../base/errors.ts';
import { runOptions } from '../../base/options/score.ts';
import { resolveValues } from '../../base/options/values/resolve-options.ts';
import { checkPublicUrl } from '../../base/scheme.ts';
import { formats } from '../../formats/formats.ts';
import { comparedFiles, type RunJob } from '../../library/run-job.ts';
import { namesOf } from '../../library/run-names.ts';
import { serviceFiles } from '../../library/service/choose-service.ts';
import { writtenFile } from '../../runs/output/written-file.ts';
import { isOutputPattern } from '../../runs/several/output-pattern.ts';
import { backendsOf, isPattern } from '../../storage/backends.ts';
import type { UsedFile } from '../../storage/local/used-file.ts';
import type { Context } from '../context.ts';
import { storeRetryLines } from '../retry-lines.ts';
import { secretInput } from './secret-input.ts';

/** What a command scores. */
export interface Job extends RunJob {
  /** Whether each input is a run of its own, with an output that a pattern names. */
  isMany: boolean;
}

/**
 * @param defined the `score` section of a definition; flags override it
 * @param reads files that the command reads in addition to the inputs and the key file
 */
export async function readJob(
  {
    flags,
    env,
    log,
    isTrained,
    history,
    outputAsWritten,
  }: Pick<Context, 'flags' | 'env' | 'log' | 'isTrained' | 'history' | 'outputAsWritten'>,
  defined: Readonly<Record<string, unknown>>,
  reads: readonly UsedFile[],
): Promise<Job> {
  const resolved = resolveValues(runOptions, flags, defined);
  const given =
    inputsOf(flags.input) ?? (flags['input-env'] === undefined ? inputsOf(defined.input) : undefined);
  const secret = given === undefined ? secretInput(resolved.inputEnv, env) : undefined;
  const inputs = given ?? [secret?.shown ?? '-'];
  const secretUrls = secret && new Map([[secret.shown, secret.url]]);
  const values = { ...resolved, restartIfRetrained: isTrained, history };
  const backends = backendsOf({ ...values, secretUrls }, { onRetry: storeRetryLines(log, values.maxOutage) });
  for (const name of [...inputs, values.output]) checkPublicUrl(name);
  const { output, rejects, summary, private: isPrivate } = values;
  refuseTerminal(values, inputs);
  const isMany =
    inputs.length > 1 ||
    isOutputPattern(output) ||
    values.ifExists === 'skip-unchanged' ||
    (await isPattern(inputs[0] ?? '-', backends));
  const isChosen = flags['if-exists'] !== undefined || defined['if-exists'] !== undefined;
  const [input = '-'] = inputs;
  return {
    values: isMany && !isChosen ? { ...values, ifExists: 'skip-unchanged' } : values,
    backends,
    inputs,
    isMany,
    places: {
      input,
      output,
      rejects,
      summary,
      private: isPrivate,
      backends,
      reads: [...reads, ...serviceFiles({ flags, env }, defined), ...comparedFiles(values)],
    },
    names: namesOf(values, inputs),
    outputAsWritten: flags.output === undefined ? outputAsWritten : undefined,
  };
}

/** @throws RowcastError `bad_option` for Parquet on a terminal, which is no text */
function refuseTerminal(values: Parameters<typeof writtenFile>[0], inputs: readonly string[]): void {
  if (values.output !== '-' || !process.stdout.isTTY) return;
  const { format } = writtenFile(values);
  const isText = formats.every(
    ({ name, isNameOf, encoder }) =>
      encoder === undefined || (format === undefined ? !inputs.some(isNameOf) : name !== format),
  );
  if (isText) return;
  throw new RowcastError('bad_option', '--output: Parquet is not written to a terminal', {
    hint: 'Name a file with -o, pipe it into a program, or choose text with --output-format csv.',
  });
}

/** The inputs of a job as they were given, for messages. */
export const nameOf = ({ inputs }: Pick<Job, 'inputs'>): string =>
  inputs.map(input => (input === '-' ? 'stdin' : input)).join(', ');

function inputsOf(given: unknown): string[] | undefined {
  const names = given === undefined ? [] : [given].flat().map(String);
  return names.length === 0 ? undefined : names;
}
