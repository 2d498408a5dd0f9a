import { readFile } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { isDeepStrictEqual } from 'node:util';
import { type Document, isNode, LineCounter, parseDocument, visit } from 'yaml';
import { RowcastError } from '../errors.ts';
import { schemeOf } from '../scheme.ts';
import { suggestNames } from '../suggest-names.ts';
import { reasonOf } from '../system-error.ts';
import { definitionSchema, sections } from './definition-schema.ts';
import { describeIssue } from './expectation.ts';
import { formerNamesOf, useCurrentNames } from './former-names.ts';
import type { Option, Options } from './options/option.ts';
import { homeOption } from './options/service.ts';

/** A validated definition. Each section maps option → value, with paths relative to the working directory. */
export interface Definition {
  file: string;
  /** Both sections have `home`, if the definition has it. */
  train: Readonly<Record<string, unknown>> | undefined;
  /** Includes the keys of `service`. */
  score: Readonly<Record<string, unknown>>;
}

type Section = Readonly<Record<string, unknown>>;

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
    const reason =
      cause.code === 'ENOENT' ? 'no such file' : `cannot read the definition: ${reasonOf(cause)}`;
    throw new RowcastError('no_such_file', reason, {
      location: { file: name },
      hint: 'Check the path.',
      cause,
    });
  });
  const definition = readDefinition(text, name);
  if (isStdin && ([definition.score.input].flat().includes('-') || definition.train?.history === '-'))
    throw new RowcastError('usage', 'stdin cannot supply both the definition and the rows', {
      hint: 'Save the definition to a file, or use files for input and history.',
    });
  return definition;
}

/** @throws RowcastError `bad_definition` with file and line */
export function readDefinition(text: string, file: string): Definition {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const refuse = (message: string, path: readonly PropertyKey[]): never => {
    throw badDefinition(message, file, lineOf(document, path, lines));
  };
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
    return refuse(`${where}${describeIssue(issue, optionAt(path))}${suggestionFor(issue.code, path)}`, path);
  }
  const { home, train, service = {}, score } = checked.data;
  const renamed = (name: keyof typeof sections, section: Section): Section =>
    useCurrentNames(sections[name], section, (former, current) =>
      refuse(
        `${name}.${former} is the former name of ${name}.${current}; both are given, with different values`,
        [name, former],
      ),
    );
  const [chosen, run] = [renamed('service', service), renamed('score', score)];
  for (const [name, value] of Object.entries(chosen))
    if (run[name] !== undefined && !isDeepStrictEqual(run[name], value))
      refuse(`score.${name} and service.${name} are the same option, and have different values`, [
        'score',
        name,
      ]);
  const folder = dirname(file);
  const place = (options: Options, section: Section): Section =>
    resolvePaths({ ...options, ...homeOption }, { ...(home !== undefined && { home }), ...section }, folder);
  return {
    file,
    train: train && place(sections.train, renamed('train', train)),
    score: place(sections.score, { ...chosen, ...run }),
  };
}

/** The key that was perhaps meant by one that does not exist, as a sentence to add to a message. */
function suggestionFor(code: string, path: readonly PropertyKey[]): string {
  const [section, name] = path;
  if (code !== 'unrecognized_keys' || path.length > 2) return '';
  const names = path.length === 1 ? Object.keys(definitionSchema.shape) : Object.keys(optionsOf(section));
  const near = suggestNames(String(path.length === 1 ? section : name), names);
  return near.length === 0 ? '' : `; did you mean ${near.join(' or ')}?`;
}

/** The options of a section. */
const optionsOf = (section: PropertyKey | undefined): Options =>
  Object.entries<Options>(sections).find(([known]) => known === section)?.[1] ?? {};

/** The option that a member of a definition sets. */
function optionAt([section, name]: readonly PropertyKey[]): Option | undefined {
  if (section === 'home') return homeOption.home;
  const options = optionsOf(section);
  const current = formerNamesOf(options).get(String(name)) ?? String(name);
  return Object.hasOwn(options, current) ? options[current] : undefined;
}

/** Whether a value is a path that depends on the folder it starts from. */
const isRelative = (name: string): boolean =>
  name !== '-' && schemeOf(name) === undefined && !isAbsolute(name);

function resolvePaths(options: Options, section: Section, folder: string): Section {
  const placed = (path: unknown): unknown =>
    typeof path === 'string' && isRelative(path) ? join(folder, path) : path;
  const seen = (name: string, value: unknown): unknown => {
    if (options[name]?.kind !== 'path') return value;
    return Array.isArray(value) ? value.map(placed) : placed(value);
  };
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
