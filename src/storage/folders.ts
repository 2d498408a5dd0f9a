import { stat } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { schemeOf } from '../base/scheme.ts';

/** What every pattern contains; most names do not, and are not looked up. */
export const SPECIAL = /[*?[{]/;

/** The folder of a file: `in` for `in/a.csv`, `s3://bucket/in` for `s3://bucket/in/a.csv`. */
export const folderOf = (name: string): string =>
  schemeOf(name) === undefined ? dirname(name) : name.slice(0, Math.max(0, name.lastIndexOf('/')));

/** The folder that all files of a pattern are in: `in` for `in/2*.csv`. */
export function fixedFolderOf(pattern: string, special = SPECIAL): string {
  let folder = folderOf(pattern);
  while (special.test(folder)) folder = folderOf(folder);
  return folder;
}

/** A name that means the same in every working directory: an absolute path, or a URL as it is. */
export const absoluteName = (name: string): string => (schemeOf(name) === undefined ? resolve(name) : name);

/**
 * The name of a file from its folder, or one above it; a URL as it is if it is not below a folder that is a URL too.
 */
export function nameFrom(folder: string, name: string): string {
  const isUrl = schemeOf(name) !== undefined;
  if (!isUrl && schemeOf(folder) === undefined) return relative(folder, name);
  return isUrl && name.startsWith(`${folder}/`) ? name.slice(folder.length + 1) : name;
}

/** The file with a name that `nameFrom` has made. */
export function fileIn(folder: string, name: string): string {
  if (schemeOf(name) !== undefined) return name;
  return schemeOf(folder) === undefined ? join(folder, name) : `${folder}/${name}`;
}

/** Whether a name is that of a folder on this machine. */
export const isLocalFolder = async (name: string): Promise<boolean> =>
  schemeOf(name) === undefined && (await stat(name).catch(() => undefined))?.isDirectory() === true;
