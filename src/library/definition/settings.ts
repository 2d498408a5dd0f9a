import { RowcastError } from '../../base/errors.ts';
import { isPathOf, type Option } from '../../base/options/option.ts';
import { readFlag } from '../../base/options/values/resolve-options.ts';
import { sanitize } from '../../base/sanitize.ts';
import { absolutePath } from '../../base/scheme.ts';
import type { MemberPath } from './document.ts';
import { optionAt } from './members.ts';

/** One `--set path=value`: a member of a definition, given on the command line. */
export interface Setting {
  path: readonly string[];
  value: unknown;
  option: Option | undefined;
}

/** @throws RowcastError `bad_option` */
export function readSettings(texts: readonly string[]): Setting[] {
  return texts.map(text => {
    const at = text.indexOf('=');
    const path = pathOf(text.slice(0, at));
    if (at < 1 || path.some(part => part === ''))
      throw new RowcastError(
        'bad_option',
        `--set: expected PATH=VALUE, got ${sanitize(JSON.stringify(text))}`,
        {
          hint: 'For example --set train.seed=7, or --set score.types.zip=categorical.',
        },
      );
    const option = path.length > 2 ? undefined : optionAt(path);
    return { path, option, value: readValue(`set ${path.join('.')}`, option, text.slice(at + 1)) };
  });
}

/** Section, key and the name of a member, which may contain dots. */
function pathOf(text: string): string[] {
  const [section = '', key, ...member] = text.split('.');
  if (key === undefined) return [section];
  return member.length === 0 ? [section, key] : [section, key, member.join('.')];
}

function readValue(name: string, option: Option | undefined, text: string): unknown {
  if (option === undefined) return text;
  if (option.kind === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  return readFlag(name, option, text);
}

/** Puts settings into a definition, over what it says itself. Paths are relative to the working directory. */
export function applySettings(definition: unknown, settings: readonly Setting[]): unknown {
  if (settings.length === 0) return definition;
  const result: Record<string, unknown> = { ...Object(definition) };
  for (const { path, value, option } of settings) {
    const [section = '', key, member] = path;
    const isPath = option !== undefined && isPathOf(option, value);
    const placed = isPath && typeof value === 'string' ? absolutePath(value) : value;
    if (key === undefined) {
      result[section] = placed;
      continue;
    }
    const members: Record<string, unknown> = { ...Object(result[section]) };
    members[key] = member === undefined ? placed : { ...Object(members[key]), [member]: placed };
    result[section] = members;
  }
  return result;
}

/** The settings that have a flag too, as if that were given: they go over the environment, as it does. */
export function flagsOf(settings: readonly Setting[]): Record<string, unknown> {
  const flags = settings.flatMap(({ path, value, option }) => {
    const [section = '', name = section] = path;
    const isOfRun = section === 'home' || section === 'score' || section === 'service';
    if (!isOfRun || path.length > 2 || option === undefined || option.definitionOnly) return [];
    return [[name, value] as const];
  });
  return Object.fromEntries(flags);
}

/** Whether a problem is with a setting rather than with the text of the definition. */
export const isSet = (settings: readonly Setting[], path: MemberPath): boolean =>
  settings.some(setting => setting.path.every((part, depth) => part === String(path[depth])));
