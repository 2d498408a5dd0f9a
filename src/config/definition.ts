import { readFile } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { type Document, isNode, LineCounter, parseDocument, visit } from 'yaml';
import * as z from 'zod';
import { reportId } from '../contract/schemas.ts';
import { contractWire } from '../contract/wire-names.ts';
import { RowcastError } from '../errors.ts';
import { describeIssue } from './expectation.ts';
import { type Option, scoreOptions, serviceOptions, trainOptions } from './option-table.ts';
import { type Options, schemaOf } from './resolve-options.ts';

/** A definition: a YAML file that describes a run. Its paths are relative to its own folder. */
export const definitionSchema = z
  .strictObject({
    about: z.string().describe('what the run is for, in one sentence').optional(),
    train: section(trainOptions, {
      history: z.string().describe('CSV of labelled rows'),
      predict: schemaOf(trainOptions.predict),
      report: reportId.describe(trainOptions.report.describe),
    })
      .describe('a report to train first')
      .optional(),
    score: section(
      { ...serviceOptions, ...scoreOptions },
      {
        input: z.string().describe('CSV of personas; - is stdin'),
        report: schemaOf(scoreOptions.report),
        wire: z
          .strictObject(
            Object.fromEntries(Object.keys(contractWire).map(name => [name, z.string().optional()])),
          )
          .describe(scoreOptions.wire.describe)
          .optional(),
      },
    ).describe('the rows to score'),
  })
  .describe('A definition of a rowcast run');

/** A validated definition. Each section maps option → value, with paths relative to the working directory. */
export interface Definition {
  file: string;
  train: Readonly<Record<string, unknown>> | undefined;
  score: Readonly<Record<string, unknown>>;
}

/**
 * Reads and validates a definition.
 *
 * @param file its path, or `-` for stdin; paths in it are then relative to the working directory
 * @throws RowcastError `no_such_file`, `bad_definition` with file and line, `usage`
 */
export async function loadDefinition(file: string): Promise<Definition> {
  const isStdin = file === '-';
  const name = isStdin ? 'stdin' : file;
  const text = await (isStdin ? textOf(process.stdin) : readFile(file, 'utf8')).catch(cause => {
    throw new RowcastError('no_such_file', `cannot read the definition: ${cause.message}`, {
      location: { file: name },
      cause,
    });
  });
  const definition = readDefinition(text, name);
  if (isStdin && (definition.score.input === '-' || definition.train?.history === '-'))
    throw new RowcastError('usage', 'stdin cannot supply both the definition and the rows', {
      hint: 'Save the definition to a file, or use files for input and history.',
    });
  return definition;
}

/** @throws RowcastError `bad_definition` with file and line */
export function readDefinition(text: string, file: string): Definition {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const [syntax] = document.errors;
  if (syntax !== undefined)
    throw badDefinition(`invalid YAML: ${syntax.message}`, file, lines.linePos(syntax.pos[0]).line);
  visit(document, {
    Alias(_, { range, source }) {
      throw badDefinition(
        `aliases such as *${source} are not allowed`,
        file,
        lines.linePos(range?.[0] ?? 0).line,
      );
    },
  });
  const checked = definitionSchema.safeParse(document.toJS({ maxAliasCount: 0 }), { reportInput: true });
  if (!checked.success) {
    const [issue] = checked.error.issues;
    if (issue === undefined) throw checked.error;
    const path = issue.code === 'unrecognized_keys' ? [...issue.path, issue.keys[0] ?? ''] : issue.path;
    const where = path.length === 0 ? '' : `${path.join('.')}: `;
    throw badDefinition(
      `${where}${describeIssue(issue, optionAt(path))}`,
      file,
      lineOf(document, path, lines),
    );
  }
  const { train, score } = checked.data;
  const folder = dirname(file);
  return { file, train: train && resolvePaths(train, folder), score: resolvePaths(score, folder) };
}

/** The option that a member of a definition sets. */
function optionAt([section, name]: readonly PropertyKey[]): Option | undefined {
  const options: Options = section === 'train' ? trainOptions : { ...serviceOptions, ...scoreOptions };
  return typeof name === 'string' && Object.hasOwn(options, name) ? options[name] : undefined;
}

/** The schema of a section: the table's options, all optional, overridden by the section's own members. */
function section<S extends z.ZodRawShape>(options: Options, own: S): z.ZodObject<Record<string, z.ZodType>> {
  const shape = Object.entries(options).map(([name, option]: [string, Option]) => [
    name,
    schemaOf(option).optional(),
  ]);
  return z.strictObject({ ...Object.fromEntries(shape), ...own });
}

const PATHS = new Set(['history', 'input', 'output', 'rejects', 'summary', 'api-key-file']);

function resolvePaths(section: Record<string, unknown>, folder: string): Record<string, unknown> {
  const seen = (name: string, value: unknown): unknown =>
    PATHS.has(name) && typeof value === 'string' && value !== '-' && !isAbsolute(value)
      ? join(folder, value)
      : value;
  return Object.fromEntries(Object.entries(section).map(([name, value]) => [name, seen(name, value)]));
}

/** The line of the member that an issue refers to, or of the nearest enclosing one that exists. */
function lineOf(document: Document, path: readonly PropertyKey[], lines: LineCounter): number {
  for (let depth = path.length; depth > 0; depth--) {
    const parent = document.getIn(path.slice(0, depth - 1), true) ?? document.contents;
    const pairs: unknown = Object(parent).items;
    if (!Array.isArray(pairs)) continue;
    const pair = pairs.find(({ key }) => String(key) === String(path[depth - 1]));
    if (isNode(pair?.key) && pair.key.range) return lines.linePos(pair.key.range[0]).line;
  }
  return 1;
}

function badDefinition(message: string, file: string, line: number): RowcastError {
  return new RowcastError('bad_definition', message, {
    location: { file, line },
    hint: 'See pipelines/definition.schema.json for what a definition may contain.',
  });
}
