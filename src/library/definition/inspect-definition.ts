import { dirname, isAbsolute, join } from 'node:path';
import type * as z from 'zod';
import { RowcastError } from '../../base/errors.ts';
import { isPathOf, type Options } from '../../base/options/option.ts';
import { homeOption } from '../../base/options/service.ts';
import { describeIssue } from '../../base/options/values/expectation.ts';
import { schemeOf } from '../../base/scheme.ts';
import { definitionSchema, sections } from './definition-schema.ts';
import { type MemberPath, readDocument } from './document.ts';
import { optionAt, similarKeys, suggestKey } from './members.ts';
import { applySettings, isSet, type Setting } from './settings.ts';
import { fillVariables, type Variables } from './variables.ts';

/** A validated definition. Each section maps option → value, with paths relative to the working directory. */
export interface Definition {
  file: string;
  /** Both sections have `home`, if the definition has it. */
  train: Readonly<Record<string, unknown>> | undefined;
  /** Includes the keys of `service`. */
  score: Readonly<Record<string, unknown>>;
  /** What `rowcast evaluate` does. */
  evaluate?: Readonly<Record<string, unknown>> | undefined;
  /** The output with the variables in its name: what the outputs of different nights have in common. */
  outputAsWritten?: string | undefined;
}

/** A definition, and where its members are from. */
export interface LocatedDefinition extends Definition {
  /** The line of a member. */
  lineOf(path: MemberPath): number;
  /** Whether `--set` gave a member. */
  isSet(path: MemberPath): boolean;
}

/** What a definition is read with. */
export interface DefinitionContext {
  /** For `${ROWCAST_…}`; by default, the variables of this process. */
  env?: Variables;
  settings?: readonly Setting[];
}

type Section = Readonly<Record<string, unknown>>;

/** A definition, or everything that is wrong with it, sorted by line. */
export type Inspected =
  | { definition: LocatedDefinition; problems: [] }
  | { definition: undefined; problems: RowcastError[] };

/** Reads and validates the text of a definition. */
export function inspectDefinition(
  text: string,
  file: string,
  { env = process.env, settings = [] }: DefinitionContext = {},
): Inspected {
  const document = readDocument(text);
  const problems = document.problems.map(({ message, hint, line }) =>
    badDefinition(message, { file, line }, hint),
  );
  const refuse = (message: string, path: MemberPath): void => {
    const where = path.length === 0 ? '' : `${path.join('.')}: `;
    const problem = isSet(settings, path)
      ? new RowcastError('bad_option', `--set ${where}${message}`)
      : badDefinition(`${where}${message}`, { file, line: document.lineOf(path) });
    // The validator reports a duration that is none twice: its form and its range.
    if (problems.every(({ message }) => message !== problem.message)) problems.push(problem);
  };
  if (problems.length > 0) return { definition: undefined, problems };
  const filled = fillVariables(document.value, env, refuse);
  const checked = definitionSchema.safeParse(applySettings(filled, settings), { reportInput: true });
  // A value with a variable that is not set would be reported twice.
  const known = problems.map(({ message }) => message.split(': ')[0]);
  for (const { issue, path } of withoutConsequences(issuesOf(checked.error)))
    if (!known.includes(path.join('.')))
      refuse(
        `${describeIssue(issue, optionAt(path))}${issue.code === 'unrecognized_keys' ? suggestKey(path) : ''}`,
        path,
      );
  const written = applySettings(document.value, settings);
  const definition =
    checked.success && problems.length === 0
      ? { ...resolved(checked.data, file), outputAsWritten: outputOf(written, file) }
      : undefined;
  if (definition !== undefined)
    return {
      definition: {
        ...definition,
        lineOf: path => document.lineOf(path),
        isSet: path => isSet(settings, path),
      },
      problems: [],
    };
  const lineOf = ({ location: { line = 0 } }: RowcastError): number => line;
  return { definition: undefined, problems: problems.sort((a, b) => lineOf(a) - lineOf(b)) };
}

function outputOf(definition: unknown, file: string): string | undefined {
  const { output } = Object(Object(definition).score);
  return typeof output === 'string' ? placedIn(dirname(file), output) : undefined;
}

interface MemberIssue {
  issue: z.core.$ZodIssue;
  path: MemberPath;
}

/** The issues of the validator, one for each unknown key. */
function issuesOf(error: z.ZodError | undefined): MemberIssue[] {
  return (error?.issues ?? []).flatMap((issue): MemberIssue[] =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map(key => ({ issue, path: [...issue.path, key] }))
      : [{ issue, path: issue.path }],
  );
}

/** Leaves out that a key is missing if it is there with a wrong name, which is reported. */
function withoutConsequences(issues: readonly MemberIssue[]): MemberIssue[] {
  const misspelled = issues
    .filter(({ issue }) => issue.code === 'unrecognized_keys')
    .flatMap(({ path }) => similarKeys(path).map(name => [...path.slice(0, -1), name].join('.')));
  return issues.filter(
    ({ issue, path }) => issue.input !== undefined || !misspelled.includes(path.join('.')),
  );
}

/** Merges the sections. */
function resolved(
  { home, train, service = {}, score, evaluate }: z.infer<typeof definitionSchema>,
  file: string,
): Definition {
  const place = (options: Options, section: Section): Section =>
    resolvePaths(
      { ...options, ...homeOption },
      { ...(home !== undefined && { home }), ...section },
      dirname(file),
    );
  return {
    file,
    train: train && place(sections.train, train),
    score: place({ ...sections.service, ...sections.score }, { ...service, ...score }),
    evaluate: evaluate && place(sections.evaluate, evaluate),
  };
}

/** Whether a value is a path that depends on the folder it starts from. */
const isRelative = (name: string): boolean =>
  name !== '-' && schemeOf(name) === undefined && !isAbsolute(name);

const placedIn = (folder: string, path: string): string => (isRelative(path) ? join(folder, path) : path);

function resolvePaths(options: Options, section: Section, folder: string): Section {
  const placed = (path: unknown): unknown => (typeof path === 'string' ? placedIn(folder, path) : path);
  const seen = (name: string, value: unknown): unknown => {
    const option = options[name];
    if (option === undefined || !isPathOf(option, value)) return value;
    return Array.isArray(value) ? value.map(placed) : placed(value);
  };
  return Object.fromEntries(Object.entries(section).map(([name, value]) => [name, seen(name, value)]));
}

/** Each key of a section is an option of a command, whose help is on every machine that has the program. */
const HELP =
  'The keys of score and service are those options that rowcast score --help lists, those of train and evaluate are in rowcast train --help and rowcast evaluate --help.';

const badDefinition = (
  message: string,
  location: { file: string; line: number },
  hint = HELP,
): RowcastError => new RowcastError('bad_definition', message, { location, hint });
