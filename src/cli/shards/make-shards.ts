import { RowcastError } from '../../base/errors.ts';
import { shardOptions } from '../../base/options/shards.ts';
import { resolveValues } from '../../base/options/values/resolve-options.ts';
import { readVersion } from '../../base/version.ts';
import { reportOf } from '../../library/runs-of.ts';
import { fixedFolders, outputWorkOf, planFiles, writtenBy } from '../../library/several/plan-files.ts';
import { shardsOf, withoutSlash } from '../../library/shards/find-folder.ts';
import { makeOutputFolders } from '../../runs/paths/lock-paths.ts';
import { resolveRunPaths } from '../../runs/paths/run-paths.ts';
import type { RunJob } from '../../runs/run.ts';
import { folderOfPattern } from '../../runs/several/output-pattern.ts';
import type { FilePair } from '../../runs/several/pair-files.ts';
import { unchangedRun } from '../../runs/several/unchanged-run.ts';
import type { Scorer } from '../../scoring/scorer.ts';
import { assembledCode, removeFolder } from '../../shards/assemble/join-state.ts';
import { openFolder, PLAN } from '../../shards/folder/names.ts';
import type { Shard, ShardPlan } from '../../shards/folder/plan-shape.ts';
import { readPlan, readShards } from '../../shards/folder/read-run.ts';
import { SHARD_UNIT } from '../../shards/plan/cut-shards.ts';
import { makePlan } from '../../shards/plan/make-plan.ts';
import { pinnedOptions } from '../../shards/plan/pinned-options.ts';
import { publishShards, startPlan } from '../../shards/plan/publish-shards.ts';
import { absoluteName } from '../../storage/folders.ts';
import type { SharedFolder } from '../../storage/shared-folder.ts';
import type { Target } from '../../storage/target.ts';
import type { Context } from '../context.ts';

export interface Sharding {
  folder: SharedFolder;
  plan: ShardPlan;
  /** Divides the inputs, and publishes the shards. @returns their number */
  publish(onShard: (shard: Shard) => void): Promise<number>;
}

/**
 * Writes the plan of a sharded run.
 *
 * @throws RowcastError as `makePlan` and `startPlan`; `usage`
 */
export async function makeShards(
  { flags, env, defined, log }: Context,
  job: RunJob,
  { scorer, stop }: { scorer: Scorer; stop: AbortSignal },
): Promise<Sharding> {
  const { values } = job;
  const { shards, shardBytes } = resolveValues(shardOptions, flags, defined);
  if (shardBytes % SHARD_UNIT !== 0)
    throw new RowcastError('bad_option', '--shard-bytes: expected a whole number of MiB', {
      hint: 'For example --shard-bytes 256MiB.',
    });
  checkReplaces({ ...defined, ...flags });
  if (values.output === '-')
    throw new RowcastError('usage', 'shards need an output file', { hint: 'Give -o FILE.' });
  const { input = '-', output, rejects } = { ...job.paths, output: values.output };
  if (values.inputEnv !== undefined)
    throw new RowcastError('usage', 'a URL with a secret cannot be divided into shards', {
      hint: 'The plan would have to contain it. Copy what it names to where all machines can read it.',
    });
  if (!job.isMany) checkDurable((await resolveRunPaths(job.paths)).output);
  if (job.isMany && shards === undefined)
    throw new RowcastError('usage', 'several inputs need a folder for their shards', {
      hint: 'Give --shards DIR.',
    });
  const folder = openFolder(absoluteName(withoutSlash(shards ?? shardsOf(output))), job.backends);
  const assembled = await assembledCode(folder);
  if (assembled !== undefined) await removeFolder(folder, assembled);
  const { pairs, unchanged } = job.isMany
    ? await filesToScore(log, job, { folder, scorer, stop })
    : { pairs: [{ input, output, rejects }], unchanged: [] };
  const options = { ...values, report: reportOf(values) };
  const plan = await makePlan({
    pairs,
    unchanged,
    options,
    shardBytes,
    version: readVersion(),
    scorer,
    stop,
    pinned: pinnedOptions(flags, defined, absoluteName),
    trace: env.TRACEPARENT || undefined,
    backends: job.backends,
    note: ({ code, message }) => log.warn({ event: code }, message),
    written: absoluteName(job.outputAsWritten ?? output),
    ledger: job.isMany ? absoluteName(folderOfPattern(output)) : undefined,
  });
  await makeOutputFolders(writtenBy(pairs), fixedFolders(values));
  await startPlan(folder, plan);
  return {
    folder,
    plan,
    publish: async onShard =>
      publishShards({
        folder,
        plan,
        options,
        published: await readShards(folder),
        onShard,
        stop,
        backends: job.backends,
      }),
  };
}

/** @throws RowcastError `usage` for an output that nothing can be resumed in, such as a pipe */
function checkDurable({ name, durable }: Target): void {
  if (durable !== undefined) return;
  throw new RowcastError('usage', 'shards need an output that is a file or an object', {
    location: { file: name },
    hint: 'Give -o FILE. A finished file can be copied elsewhere.',
  });
}

const COMPARE_BEFORE = 'Compare the input with that of the day before, before you run the command.';
const CHECK_BEFORE = 'The output would be replaced. Check for it before you run the command.';
const DISCARD = 'Discard the unfinished run first: rowcast abort DIR.';

/** What an output in shards cannot do, which replaces what is there, and is resumed by its folder. */
const NO_EFFECT: readonly [option: string, values: readonly unknown[], hint: string][] = [
  ['restart', [true], DISCARD],
  ['restart-if-changed', [true], DISCARD],
  ['if-same-as-last', ['fail', 'skip'], COMPARE_BEFORE],
  ['if-exists', ['fail', 'skip'], CHECK_BEFORE],
];

/** @throws RowcastError `usage` for options that ask for something else */
function checkReplaces(given: Readonly<Record<string, unknown>>): void {
  for (const [option, values, hint] of NO_EFFECT) {
    const value = given[option];
    if (!values.includes(value)) continue;
    const flag = value === true ? `--${option}` : `--${option} ${value}`;
    throw new RowcastError('usage', `${flag} has no effect on shards`, { hint });
  }
}

/**
 * Finds the inputs of a command that takes several, and tells those to be scored from those whose outputs are up to
 * date.
 *
 * @param folder of the shards; the inputs of an unfinished run there are scored in any case
 * @throws RowcastError as `planFiles`; if there is no such report
 */
async function filesToScore(
  log: Context['log'],
  job: RunJob,
  { folder, scorer, stop }: { folder: SharedFolder; scorer: Scorer; stop: AbortSignal },
): Promise<{ pairs: FilePair[]; unchanged: ShardPlan['unchanged'] }> {
  const { pairs, ledger } = await planFiles(job, stop);
  if (job.values.ifExists !== 'skip-unchanged') return { pairs, unchanged: [] };
  await ledger
    .read()
    .catch(({ message }) =>
      log.warn({ event: 'ledger_unreadable' }, `${ledger.path}: ${message}; all files are scored`),
    );
  const options = await outputWorkOf(job.values, scorer, stop);
  const begun = (await folder.read(PLAN)) === undefined ? [] : (await readPlan(folder)).files;
  const outputs = new Set(begun.map(({ output }) => output));
  const changed: FilePair[] = [];
  const unchanged: ShardPlan['unchanged'] = [];
  for (const pair of pairs) {
    const [input, output] = [absoluteName(pair.input), absoluteName(pair.output)];
    const rejects = pair.rejects === undefined ? undefined : absoluteName(pair.rejects);
    const key = { input, output, rejects, options };
    const reading = { encoding: job.values.encoding, backends: job.backends, stop };
    const { run } = (outputs.has(output) ? undefined : await unchangedRun(ledger, key, reading)) ?? {};
    if (run === undefined) changed.push(pair);
    else unchanged.push({ input, output, rows: run.rows, rejects: rejects ?? null });
  }
  return { pairs: changed, unchanged };
}
