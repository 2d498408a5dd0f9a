import { readFile } from 'node:fs/promises';
import { text as textOf } from 'node:stream/consumers';
import { RowcastError } from '../../base/errors.ts';
import { countOf } from '../../base/number-text.ts';
import { commandOf } from '../../base/shell-word.ts';
import { reasonOf } from '../../base/system-error.ts';
import {
  type Definition,
  type DefinitionContext,
  type Inspected,
  inspectDefinition,
  type LocatedDefinition,
} from './inspect-definition.ts';

/**
 * Reads and validates a definition.
 *
 * @param file its path, or `-` for stdin; paths in it are then relative to the working directory
 * @throws RowcastError `no_such_file`, `bad_definition` with file and line, `usage`
 */
export async function loadDefinition(file: string, context: DefinitionContext = {}): Promise<Definition> {
  return unlessWrong(await inspectFile(file, context));
}

/**
 * Reads a definition and finds everything that is wrong with it, instead of stopping at the first problem.
 *
 * @throws RowcastError `no_such_file`
 */
export async function inspectFile(file: string, context: DefinitionContext = {}): Promise<Inspected> {
  const isStdin = file === '-';
  const name = isStdin ? 'stdin' : file;
  const text = await (isStdin ? textOf(process.stdin) : readFile(file, 'utf8')).catch(cause => {
    const reason =
      cause.code === 'ENOENT' ? 'no such file' : `cannot read the definition: ${reasonOf(cause)}`;
    throw new RowcastError('no_such_file', reason, {
      location: { file: name },
      hint: 'Check the path.',
      cause,
    });
  });
  const inspected = inspectDefinition(text, name, context);
  const { score, train } = inspected.definition ?? {};
  if (!isStdin || !([score?.input].flat().includes('-') || [train?.history].flat().includes('-')))
    return inspected;
  const message = 'stdin cannot supply both the definition and the rows';
  const hint = 'Save the definition to a file, or use files for input and history.';
  return { definition: undefined, problems: [new RowcastError('usage', message, { hint })] };
}

/** @throws RowcastError `bad_definition` with file and line: the first problem, which says how to see the others */
export function unlessWrong({ definition, problems }: Inspected): LocatedDefinition {
  if (definition !== undefined) return definition;
  const [first, ...others] = problems;
  if (first === undefined) throw new TypeError('a definition that is wrong has a problem');
  const { file } = first.location;
  if (others.length > 0 && file !== undefined && file !== 'stdin')
    first.hint = `It has ${countOf(others.length, 'more problem')}: ${commandOf('check', [file])}`;
  throw first;
}
