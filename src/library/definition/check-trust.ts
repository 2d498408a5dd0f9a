import { dirname, relative } from 'node:path';
import { RowcastError } from '../../base/errors.ts';
import { sanitize } from '../../base/sanitize.ts';
import { isPattern, namesMatching } from '../../storage/backends.ts';
import type { Given } from '../service/choose-service.ts';
import type { Access } from './access.ts';
import { accessesOf, refusalOf } from './accesses.ts';
import { inspectFile, unlessWrong } from './definition.ts';
import type { Definition, LocatedDefinition } from './inspect-definition.ts';
import { linkOutside } from './link-outside.ts';
import type { Setting } from './settings.ts';

/**
 * Reads a definition for a command, and checks that it may do what it says.
 *
 * @param uses whether the command uses an option; by default, it uses all
 * @throws RowcastError as `inspectFile`, `bad_definition`, `untrusted_definition`, as `accessesOf`
 */
export async function loadTrusted(
  file: string,
  given: Given,
  settings: readonly Setting[] = [],
  uses?: (name: string) => boolean,
): Promise<Definition> {
  const definition = unlessWrong(await inspectFile(file, { env: given.env, settings }));
  await checkTrust(definition, given, uses);
  return definition;
}

/**
 * Checks that a definition, which may be from somebody else, uses only files below its folder, and nothing secret that it
 * does not bring along, unless the user says that it is his own.
 *
 * @throws RowcastError `untrusted_definition`, as `accessesOf`
 */
async function checkTrust(
  definition: LocatedDefinition,
  given: Given,
  uses?: (name: string) => boolean,
): Promise<void> {
  if (given.flags['trust-definition'] === true) return;
  for (const access of await examinedAccesses(definition, given, uses))
    if (access.refusal !== undefined) {
      const error = untrusted(definition, access);
      error.hint = `${error.hint} rowcast check shows all that it reads, writes and sends.`;
      throw error;
    }
}

/** What a definition reads, writes and sends, also through symbolic links. @throws as `accessesOf` */
export async function examinedAccesses(
  definition: LocatedDefinition,
  given: Given,
  uses?: (name: string) => boolean,
): Promise<Access[]> {
  return Promise.all(
    locatedAccesses(definition, given, uses).map(async access => ({
      ...access,
      refusal: access.refusal ?? (await refusalOfFiles(definition, access)),
    })),
  );
}

function locatedAccesses(
  definition: LocatedDefinition,
  given: Given,
  uses?: (name: string) => boolean,
): Access[] {
  try {
    return accessesOf(definition, given, uses);
  } catch (error) {
    if (error instanceof RowcastError && error.code === 'no_key')
      error.addLocation({ file: nameOf(definition), line: definition.lineOf(['service', 'url']) });
    throw error;
  }
}

const nameOf = ({ file }: Definition): string => (file === '-' ? 'stdin' : file);

/** The refusal of an access of a definition. */
export function untrusted(
  definition: LocatedDefinition,
  { path, does, what, to, refusal }: Access,
): RowcastError {
  const where = to === undefined ? '' : ` to ${sanitize(to)}`;
  return new RowcastError(
    'untrusted_definition',
    `${path.join('.')}: the definition would ${does} ${sanitize(what)}${where}; ${refusal}`,
    {
      location: { file: nameOf(definition), line: definition.lineOf(path) },
      hint: 'If the definition is your own, add --trust-definition.',
    },
  );
}

async function refusalOfFiles(
  { file }: LocatedDefinition,
  { does, what, isFile }: Access,
): Promise<string | undefined> {
  if (isFile !== true || what === '-') return undefined;
  const names = does === 'read' && (await isPattern(what)) ? await namesMatching(what) : [what];
  for (const name of names) {
    const refusal = refusalOf(file, name);
    if (refusal !== undefined) return `${sanitize(name)}: ${refusal}`;
    const link = await linkOutside(dirname(file), name, does === 'write');
    if (link !== undefined)
      return `the link ${sanitize(relative(dirname(file), link) || '.')} leads out of the folder of the definition`;
  }
  return undefined;
}
