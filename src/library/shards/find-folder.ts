import { stat } from 'node:fs/promises';
import { schemeOf } from '../../base/scheme.ts';
import { ASSEMBLED, openFolder, PLAN } from '../../shards/folder/names.ts';
import { type Backends, versionOf } from '../../storage/backends.ts';
import type { SharedFolder } from '../../storage/shared-folder.ts';

/** Where the shards of an output are, unless --shards says otherwise. */
export const shardsOf = (output: string): string => `${output}.shards`;

/** The folder of a sharded run by its own name or that of its output; undefined if there is no plan in either. */
export async function findShards(name: string, among?: Backends): Promise<SharedFolder | undefined> {
  if (name === '-') return undefined;
  for (const path of [name, shardsOf(name)]) {
    const folder = openFolder(withoutSlash(path), among);
    for (const file of [PLAN, ASSEMBLED]) if ((await folder.modified(file)) !== undefined) return folder;
  }
  return undefined;
}

/** The folder of a sharded run by its own name or that of its output; without a plan, the folder where it would be. */
export async function shardsAt(name: string, among?: Backends): Promise<SharedFolder> {
  const found = await findShards(name, among);
  return found ?? openFolder((await isFile(name, among)) ? shardsOf(name) : withoutSlash(name), among);
}

/** A URL of a folder may end with a slash. */
export const withoutSlash = (name: string): string =>
  schemeOf(name) === undefined ? name : name.replace(/\/+$/, '');

const isFile = async (name: string, among: Backends | undefined): Promise<boolean> =>
  schemeOf(name) === undefined
    ? (await stat(name).catch(() => undefined))?.isFile() === true
    : (await versionOf(name, among)) !== undefined;
