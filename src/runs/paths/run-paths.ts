import { RowcastError } from '../../base/errors.ts';
import { type Backends, resolveTarget } from '../../storage/backends.ts';
import { checkApart } from '../../storage/local/distinct-files.ts';
import { type FileTarget, fileTarget } from '../../storage/local/file-target.ts';
import type { Target, UsedFile } from '../../storage/target.ts';
import { runFilesOf, runOutputsOf } from './run-files.ts';

/** The paths that a command reads and writes, as given. */
export interface RunPathsOptions {
  /** A path or `-` for stdin; undefined if the input is no file. */
  input: string | undefined;
  /** A path, `-` for stdout, or what the program gave instead. */
  output: string | Target;
  /** Path of the rejects file; undefined: next to an output file, otherwise none. */
  rejects?: string | undefined;
  /** Path of the summary, if any. */
  summary?: string | undefined;
  /** Whether only the owner of the files may read them. */
  private?: boolean | undefined;
  /** Whether the folders of the files are there already; otherwise, those that are missing are created. */
  hasFolders?: boolean | undefined;
  /** Other files that the command reads. */
  reads?: readonly UsedFile[] | undefined;
  /** Backends of the names, if not the default ones. */
  backends?: Backends | undefined;
}

/** The paths that a command writes to: links resolved, and known to be distinct from each other and from its inputs. */
export interface RunPaths {
  output: Target;
  /** Undefined unless a path was given. */
  rejects: Target | undefined;
  summary: Target | undefined;
}

/**
 * Resolves all paths that a command writes to, and checks that no file is used for two purposes.
 *
 * @throws RowcastError `output_is_input`, `same_output`, `bad_rejects`, `unwritable_output`
 */
export async function resolveRunPaths(options: RunPathsOptions): Promise<RunPaths> {
  const { input, private: isPrivate = false, reads = [], backends } = options;
  const resolve = (name: string | undefined) =>
    name === undefined ? undefined : resolveTarget(name, isPrivate, backends);
  const output =
    typeof options.output === 'string'
      ? await resolveTarget(options.output, isPrivate, backends)
      : options.output;
  const rejects = await resolve(options.rejects);
  const summary = await resolve(options.summary);
  if (output.durable !== undefined && rejects !== undefined && rejects.durable === undefined)
    throw new RowcastError('bad_rejects', 'if the output is a file, the rejects must go to a file too', {
      location: { file: options.rejects ?? '' },
      hint: 'A killed run needs both files to resume. Give a file path as --rejects.',
    });
  if ([output, rejects, summary].filter(target => target?.isStdout).length > 1)
    throw new RowcastError(
      'same_output',
      'only one of output, rejects and summary can be written to stdout',
      {
        hint: 'Give paths for the others.',
      },
    );
  await checkApart(
    [...inputFiles(input), ...reads],
    [
      ...output.usedFiles('the output', '-o'),
      ...(output.path === undefined ? storedFilesOf(output, rejects) : checkpointFilesOf(output.path)),
      ...((rejects ?? defaultRejects(output))?.usedFiles('the rejects file', '--rejects') ?? []),
      ...(summary?.usedFiles('the summary', '--summary') ?? []),
      stderr,
    ],
  );
  return { output, rejects, summary };
}

/** The input as a file in use, if there is one. */
export const inputFiles = (input: string | undefined): UsedFile[] =>
  input === undefined ? [] : [{ at: input === '-' ? 0 : input, what: 'the input', option: '-o' }];

export const stderr: UsedFile = { at: 2, what: 'stderr', option: '' };

/** The default rejects file: next to an output file. */
export function defaultRejects({ path: output }: Target): FileTarget | undefined {
  if (output === undefined) return undefined;
  const { rejects } = runFilesOf(output);
  return fileTarget(rejects, rejects);
}

/** What a run whose output is not a local file has next to it. */
function storedFilesOf({ durable }: Target, rejects: Target | undefined): UsedFile[] {
  if (durable === undefined) return [];
  const own = { option: '-o', isDerived: true };
  const checkpoint = { ...own, at: durable.checkpoint.name, what: 'the checkpoint of the output' };
  if (rejects !== undefined) return [checkpoint];
  return [checkpoint, { ...own, at: runOutputsOf(durable).rejects.address, what: 'the rejects file' }];
}

/** The files that a run needs to resume, and those of a repair, which it removes. */
function checkpointFilesOf(output: string): UsedFile[] {
  const files = runFilesOf(output);
  const used: [at: string, what: string][] = [
    [files.checkpoint, 'the checkpoint of the output'],
    [files.newCheckpoint, 'the next checkpoint of the output'],
    [files.oldPartial, 'a file of the run that was set aside'],
    [files.oldCheckpoint, 'a file of the run that was set aside'],
    [files.repaired, 'the repaired rows of the output'],
    [files.repairedPartial, 'the next repaired rows of the output'],
  ];
  return used.map(([at, what]) => ({ at, what, option: '-o', isDerived: true }));
}
