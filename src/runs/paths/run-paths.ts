import { RowcastError } from '../../errors.ts';
import { checkApart, type UsedFile } from '../../storage/local/distinct-files.ts';
import { lockOf } from '../../storage/local/lock-file.ts';
import { partialOf, resolveTarget, type Target } from '../../storage/target.ts';
import { formerRejectsOf } from './former-rejects.ts';
import { runFilesOf } from './run-files.ts';

/** The paths that a command reads and writes, as given. */
export interface RunPathsOptions {
  /** A path or `-` for stdin. */
  input: string;
  /** A path or `-` for stdout. */
  output: string;
  /** Path of the rejects file; undefined: next to an output file, otherwise none. */
  rejects?: string | undefined;
  /** Path of the summary, if any. */
  summary?: string | undefined;
  /** Other files that the command reads. */
  reads?: readonly UsedFile[] | undefined;
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
  const { input, reads = [] } = options;
  const resolve = (name: string | undefined) => (name === undefined ? undefined : resolveTarget(name));
  const output = await resolveTarget(options.output);
  const rejects = await resolve(options.rejects);
  const summary = await resolve(options.summary);
  if (output.kind === 'file' && rejects !== undefined && rejects.kind !== 'file')
    throw new RowcastError('bad_rejects', 'if the output is a file, the rejects must go to a file too', {
      location: { file: options.rejects ?? '' },
      hint: 'A killed run needs both files to resume. Give a file path as --rejects.',
    });
  if ([output, rejects, summary].filter(target => target?.kind === 'stdout').length > 1)
    throw new RowcastError(
      'same_output',
      'only one of output, rejects and summary can be written to stdout',
      {
        hint: 'Give paths for the others.',
      },
    );
  await checkApart(
    [inputFile(input), ...reads],
    [
      ...usedFilesOf(output, 'the output', '-o'),
      ...(output.kind === 'file' ? checkpointFilesOf(output.path) : []),
      ...usedFilesOf(rejects ?? defaultRejects(output), 'the rejects file', '--rejects'),
      ...(rejects === undefined && output.kind === 'file' ? formerRejectsFileOf(output.path) : []),
      ...usedFilesOf(summary, 'the summary', '--summary'),
      stderr,
    ],
  );
  return { output, rejects, summary };
}

/** The input as a file in use. */
export const inputFile = (input: string): UsedFile => ({
  at: input === '-' ? 0 : input,
  what: 'the input',
  option: '-o',
});

export const stderr: UsedFile = { at: 2, what: 'stderr', option: '' };

/** The default path of the rejects: next to an output file. */
export const defaultRejects = (output: Target): Target | undefined =>
  output.kind === 'file' ? { kind: 'file', path: runFilesOf(output.path).rejects } : undefined;

/** All files that are used to write to a target. */
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

/** Rejects of an earlier run at their former default path: the run removes them when it finishes. */
const formerRejectsFileOf = (output: string): UsedFile[] => [
  {
    at: formerRejectsOf(output),
    what: 'the former rejects file of the output',
    option: '-o',
    isDerived: true,
  },
];

/** The files that a run needs to resume. */
function checkpointFilesOf(output: string): UsedFile[] {
  const { checkpoint, newCheckpoint } = runFilesOf(output);
  return [
    { at: checkpoint, what: 'the checkpoint of the output', option: '-o', isDerived: true },
    { at: newCheckpoint, what: 'the next checkpoint of the output', option: '-o', isDerived: true },
  ];
}
