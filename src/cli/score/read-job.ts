import { RowcastError } from '../../base/errors.ts';
import { runOptions } from '../../base/options/score.ts';
import { resolveValues } from '../../base/options/values/resolve-options.ts';
import { checkPublicUrl } from '../../base/scheme.ts';
import { formats } from '../../formats/formats.ts';
import { newJob } from '../../library/runs-of.ts';
import { isVariableOfDefinition } from '../../library/service/access.ts';
import { serviceFiles } from '../../library/service/choose-service.ts';
import { writtenFile } from '../../runs/output/written-file.ts';
import type { RunJob } from '../../runs/run.ts';
import { isOutputPattern } from '../../runs/several/output-pattern.ts';
import { backendsOf, isPattern } from '../../storage/backends.ts';
import type { UsedFile } from '../../storage/target.ts';
import { wrongVariable } from '../arguments/usage-error.ts';
import type { Context } from '../context.ts';
import { storeRetryLines } from '../retry-lines.ts';

/** The files of a command that scores them, or looks at what became of them. */
export interface JobFiles extends Pick<RunJob, 'values' | 'backends' | 'inputs' | 'isMany'> {
  /** Whether there may be several. */
  areNamedByPattern: boolean;
  /** URLs that may hold a secret, by the names that are shown instead. */
  secretUrls: ReadonlyMap<string, string> | undefined;
}

export async function readFiles(
  { flags, env, defined, log }: Context,
  ending?: AbortSignal,
): Promise<JobFiles> {
  const values = resolveValues(runOptions, flags, defined);
  const given =
    inputsOf(flags.input) ?? (flags['input-env'] === undefined ? inputsOf(defined.input) : undefined);
  const secret = given === undefined ? secretInput(values.inputEnv, env) : undefined;
  const inputs = given ?? [secret?.shown ?? '-'];
  const secretUrls = secret && new Map([[secret.shown, secret.url]]);
  const onRetry = storeRetryLines(log, values.maxOutage);
  const backends = backendsOf({ ...values, secretUrls }, { onRetry, ending });
  for (const name of [...inputs, values.output]) checkPublicUrl(name);
  const areNamedByPattern =
    inputs.length > 1 || isOutputPattern(values.output) || (await isPattern(inputs[0] ?? '-', backends));
  const isMany = areNamedByPattern || values.ifExists === 'skip-unchanged';
  return { values, backends, inputs, isMany, areNamedByPattern, secretUrls };
}

/**
 * @param reads files that the command reads in addition to the inputs and the key file
 * @param ending aborted when the command is to end, so that it waits for no store any more
 */
export async function readJob(
  context: Context,
  reads: readonly UsedFile[],
  ending?: AbortSignal,
): Promise<RunJob> {
  const { flags, defined, isTrained, history, outputAsWritten } = context;
  const { values: resolved, backends, inputs, isMany } = await readFiles(context, ending);
  const values = { ...resolved, restartIfRetrained: isTrained, history };
  refuseTerminal(values, inputs);
  const isChosen = flags['if-exists'] !== undefined || defined['if-exists'] !== undefined;
  const job = newJob(values, {
    backends,
    inputs,
    isMany,
    reads: [...reads, ...serviceFiles(context)],
    outputAsWritten: flags.output === undefined ? outputAsWritten : undefined,
  });
  return isMany && !isChosen ? { ...job, values: { ...values, ifExists: 'skip-unchanged' } } : job;
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
export const nameOf = ({ inputs }: Pick<RunJob, 'inputs'>): string =>
  inputs.map(input => (input === '-' ? 'stdin' : input)).join(', ');

function inputsOf(given: unknown): string[] | undefined {
  const names = given === undefined ? [] : [given].flat().map(String);
  return names.length === 0 ? undefined : names;
}

/**
 * The input that a variable names, whose URL may hold a secret, such as a presigned one.
 *
 * @param variable the value of --input-env
 * @throws RowcastError `usage`
 */
function secretInput(variable: string | undefined, env: NodeJS.ProcessEnv) {
  if (variable === undefined) return undefined;
  if (!isVariableOfDefinition(variable)) throw wrongVariable('input-env', variable, 'ROWCAST_INPUT');
  const url = env[variable];
  if (url === undefined || url === '')
    throw new RowcastError('usage', `--input-env: the variable ${variable} is not set`, {
      hint: `Set it to the URL of the input: export ${variable}=…`,
    });
  const found = URL.canParse(url) ? new URL(url) : undefined;
  if (found === undefined || !/^https?:$/.test(found.protocol))
    throw new RowcastError('usage', `--input-env: the variable ${variable} has no https:// URL`, {
      hint: 'Give other inputs by their names.',
    });
  // Without what may be secret, it names the input in messages, logs and checkpoints.
  return { shown: `${found.origin}${found.pathname}`, url };
}
