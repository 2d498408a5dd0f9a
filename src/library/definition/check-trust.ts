import { readdir, readlink, realpath } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { RowcastError } from '../../base/errors.ts';
import { sanitize } from '../../base/sanitize.ts';
import { folderOfPattern, isOutputPattern } from '../../runs/several/output-pattern.ts';
import { isPattern, namesMatching } from '../../storage/backends.ts';
import { isMissing, unlessAbsent } from '../../storage/local/missing.ts';
import type { Given } from '../service/choose-service.ts';
import { type Access, accessesOf, refusalOf } from './accesses.ts';
import { inspectFile, unlessWrong } from './definition.ts';
import type { Definition, LocatedDefinition } from './inspect-definition.ts';
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
 * Checks that a definition, which may be from somebody else, uses only files below its folder, and nothing secret that
 * it does not bring along, unless the user says that it is his own.
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

/** Longest chain of links; Linux follows 40 (path_resolution(7)). */
const MOST_LINKS = 40;

/**
 * Finds a symbolic link by which a path below a folder leads out of it: an archive may contain links too.
 *
 * @param isWritten whether files next to the path are written too, such as its rejects, or all files below it
 * @returns the path that leads out, if there is one
 */
export async function linkOutside(
  folder: string,
  path: string,
  isWritten: boolean,
): Promise<string | undefined> {
  const real = await realpath(folder);
  const leadsOut = async (name: string): Promise<boolean> => {
    const end = await endOf(resolve(name));
    return end === undefined || relative(real, end).split('/')[0] === '..';
  };
  const isPattern = isWritten && isOutputPattern(path);
  const start = isPattern ? folderOfPattern(path) : path;
  if (await leadsOut(start)) return start;
  if (!isWritten) return undefined;
  const next = isPattern ? [] : (await linksIn(dirname(path), false)).filter(link => link.startsWith(path));
  for (const link of [...next, ...(await linksIn(start, true))]) if (await leadsOut(link)) return link;
  return undefined;
}

/** Where a path leads, whether or not anything is there; undefined if its links have no end. */
async function endOf(path: string, links = 0): Promise<string | undefined> {
  if (links > MOST_LINKS) return undefined;
  try {
    return await realpath(path);
  } catch (cause) {
    if (!isMissing(cause)) return undefined;
  }
  const folder = dirname(path) === path ? path : await endOf(dirname(path), links);
  if (folder === undefined || folder === path) return folder;
  const end = join(folder, basename(path));
  const link = await readlink(end).catch(() => undefined); // not a link, or nothing there
  return link === undefined ? end : endOf(resolve(folder, link), links + 1);
}

/** The links in a folder; nothing if there is no folder. */
async function linksIn(folder: string, recursive: boolean): Promise<string[]> {
  const entries = (await readdir(folder, { withFileTypes: true, recursive }).catch(unlessAbsent)) ?? [];
  return entries
    .filter(entry => entry.isSymbolicLink())
    .map(({ parentPath, name }) => join(parentPath, name));
}
