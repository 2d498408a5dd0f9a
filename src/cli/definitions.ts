import { isDeepStrictEqual } from 'node:util';
import { RowcastError } from '../base/errors.ts';
import { sanitize } from '../base/sanitize.ts';
import type { Definition } from '../library/definition/inspect-definition.ts';
import { flagsOf, readSettings, type Setting } from '../library/definition/settings.ts';
import type { Context } from './context.ts';

/** The definitions that a command names, `-` for stdin. @throws RowcastError `usage` */
export function definitionFiles({ flags }: Pick<Context, 'flags'>): string[] {
  const files = [flags.definition].flat().map(String);
  if (files.filter(file => file === '-').length > 1)
    throw new RowcastError('usage', 'stdin can supply one definition only', {
      hint: 'Give paths for the others.',
    });
  return files;
}

/** The `--set` of a command, which have the rank of flags, below those that are given. @throws RowcastError `bad_option` */
export function withSettings({ flags, ...given }: Context): { context: Context; settings: Setting[] } {
  const settings = readSettings(flags.set === undefined ? [] : [flags.set].flat().map(String));
  return { settings, context: { ...given, flags: { ...flagsOf(settings), ...flags } } };
}

/**
 * Checks that no two definitions write the same file, and that those which train the same report train it in the same
 * way: otherwise each would replace the report of the other, every night.
 *
 * @param flags which override all definitions
 * @throws RowcastError `same_output`
 */
export function checkOutputs(definitions: readonly Definition[], flags: Context['flags']): void {
  checkReports(definitions, flags);
  const writers = new Map<string, string>();
  for (const { file, score } of definitions)
    for (const name of ['output', 'rejects', 'summary', 'summary-html', 'metrics', 'lineage'] as const) {
      const path = flags[name] ?? score[name] ?? (name === 'output' ? '-' : undefined);
      if (path === undefined) continue;
      const other = writers.get(String(path));
      if (other !== undefined && other !== file)
        throw new RowcastError('same_output', `${other} and ${file} would write the same file`, {
          location: { file: path === '-' ? 'stdout' : String(path) },
          hint: `Give each definition its own ${name}.`,
        });
      writers.set(String(path), file);
    }
}

function checkReports(definitions: readonly Definition[], flags: Context['flags']): void {
  const trainers = new Map<string, Definition>();
  for (const definition of definitions) {
    const { file, train } = definition;
    if (train === undefined) continue;
    const report = JSON.stringify([flags.home ?? train.home, train.report]);
    const other = trainers.get(report);
    trainers.set(report, definition);
    if (other === undefined || isDeepStrictEqual(other.train, train)) continue;
    throw new RowcastError(
      'same_output',
      `${other.file} and ${file} would train the same report, ${sanitize(String(train.report))}`,
      {
        location: { file },
        hint: 'Give each its own report, or both the same train section.',
      },
    );
  }
}
