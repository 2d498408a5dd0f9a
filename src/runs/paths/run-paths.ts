import { RowcastError } from '../../errors.ts';
import { checkApart, type UsedFile } from '../../storage/local/distinct-files.ts';
import { lockOf } from '../../storage/local/lock-file.ts';
import { partialOf, resolveTarget, type Target } from '../../storage/target.ts';
import { runFilesOf } from './run-files.ts';

/** What a command reads and writes, as it was given. */
export interface RunPathsOptions {
  /** A path, or `-` for stdin. */
  input: string;
  /** A path, or `-` for stdout. */
  output: string;
  /** Where rejects go; undefined: beside an output that is a file, else nowhere. */
  rejects?: string | undefined;
  /** Where the summary goes, if anywhere. */
  summary?: string | undefined;
  /** Other files that the command reads. */
  reads?: readonly UsedFile[] | undefined;
}

/** Where a command writes: links followed, compared with each other and with all that is read. */
export interface RunPaths {
  output: Target;
  /** Undefined where none was asked for. */
  rejects: Target | undefined;
  summary: Target | undefined;
}

/**
 * Resolves all that a command writes, and checks that none of it is in another's way.
 *
 * @throws RowcastError `output_is_input`, `same_output`, `bad_rejects`, `unwritable_output`
 */
export async function resolveRunPaths(options: RunPathsOptions): Promise<RunPaths> {
  const { input, reads = [] } = options;
  const resolve = (name: string | undefined) => (name === undefined ? undefined : resolveTarget(name));
  const output = await resolveTarget(options.output);
  const rejects = await resolve(options.rejects);
  const summary = await resolve(options.summary);
  if (output.kind === 'file' && rejects !== undefined && rejects.kind !== 'file')
    throw new RowcastError('bad_rejects', 'the rejects of an output file must go to a file too', {
      location: { file: options.rejects ?? '' },
      hint: 'A killed run resumes with both; give a file as --rejects.',
    });
  if ([output, rejects, summary].filter(target => target?.kind === 'stdout').length > 1)
    throw new RowcastError('same_output', 'only one of output, rejects and summary can go to stdout', {
      hint: 'Give paths for the others.',
    });
  await checkApart(
    [inputFile(input), ...reads],
    [
      ...usedFilesOf(output, 'the output', '-o'),
      ...(output.kind === 'file' ? checkpointFilesOf(output.path) : []),
      ...usedFilesOf(rejects ?? defaultRejects(output), 'the rejects file', '--rejects'),
      ...usedFilesOf(summary, 'the summary', '--summary'),
      stderr,
    ],
  );
  return { output, rejects, summary };
}

/** The input as a file that is read. */
export const inputFile = (input: string): UsedFile => ({
  at: input === '-' ? 0 : input,
  what: 'the input',
  option: '-o',
});

export const stderr: UsedFile = { at: 2, what: 'stderr', option: '' };

/** The rejects of an output file go beside it where nothing else was asked for. */
export const defaultRejects = (output: Target): Target | undefined =>
  output.kind === 'file' ? { kind: 'file', path: runFilesOf(output.path).rejects } : undefined;

/** The files that are used to write an output. */
export function usedFilesOf(target: Target | undefined, what: string, option: string): UsedFile[] {
  switch (target?.kind) {
    case undefined:
    case 'device':
      return [];
    case 'stdout':
      return [{ at: 1, what: `${what} (stdout)`, option }];
    case 'file':
      return [
        { at: target.path, what, option },
        { at: partialOf(target.path), what: `the partial file of ${what}`, option, isDerived: true },
        { at: lockOf(target.path), what: `the lock of ${what}`, option, isDerived: true, isFamily: true },
      ];
  }
}

/** What a run keeps beside its output to resume. */
function checkpointFilesOf(output: string): UsedFile[] {
  const { checkpoint, newCheckpoint } = runFilesOf(output);
  return [
    { at: checkpoint, what: 'the checkpoint of the output', option: '-o', isDerived: true },
    { at: newCheckpoint, what: 'the next checkpoint of the output', option: '-o', isDerived: true },
  ];
}
