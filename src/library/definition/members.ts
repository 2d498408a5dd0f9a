import type { Option, Options } from '../../base/options/option.ts';
import { homeOption } from '../../base/options/service.ts';
import { suggestOptions } from '../../base/other-words.ts';
import { suggestNames } from '../../base/suggest-names.ts';
import { definitionSchema, sections } from './definition-schema.ts';
import type { MemberPath } from './document.ts';

/** The options of a section. */
const optionsOf = (section: PropertyKey | undefined): Options =>
  Object.entries<Options>(sections).find(([known]) => known === section)?.[1] ?? {};

/** The option that a member of a definition sets. */
export function optionAt([section, name]: MemberPath): Option | undefined {
  if (section === 'home') return homeOption.home;
  const options = optionsOf(section);
  return Object.hasOwn(options, String(name)) ? options[String(name)] : undefined;
}

/** The key that was perhaps meant by one that does not exist, as a sentence to add to a message. */
export function suggestKey(path: MemberPath): string {
  const [, name] = path;
  if (path.length > 2) return '';
  if (optionAt(path)?.flagOnly) return '; it can only be given as a flag, because it says who gets a secret';
  const near = similarKeys(path);
  if (near.length > 0) return `; did you mean ${near.join(' or ')}?`;
  const other = Object.keys(sections).find(known => Object.hasOwn(optionsOf(known), String(name)));
  return other === undefined ? '' : `; it is a key of ${other}`;
}

/** The keys that are similar to an unknown one, in its section. */
export const similarKeys = ([section, ...names]: MemberPath): string[] =>
  names.length === 0
    ? suggestNames(String(section), Object.keys(definitionSchema.shape))
    : suggestOptions(String(names[0]), Object.keys(optionsOf(section)));
