import type { Happens, Kind } from '../../test/kinds/kind.ts';
import { kinds } from '../../test/kinds/kinds.ts';
import { listItem } from './markdown.ts';

/** For docs/formats.md: the kinds of files, by what happens to them. */
export function kindsList(): string {
  const lists = new Map<string, string[]>();
  for (const kind of Object.values(kinds).flat()) {
    const happened = happensText(kind.happens);
    lists.set(happened, [...(lists.get(happened) ?? []), itemOf(kind)]);
  }
  return [...lists].map(([happened, items]) => listItem(`${happened}: ${items.join('; ')}.`)).join('\n');
}

/** The message about a file that must be converted has a command, which is too long for a list. */
function itemOf({ is, happens, says = [] }: Kind): string {
  const isConverted = 'code' in happens && happens.code === 'unsupported_format';
  const quoted = isConverted ? [] : says.map(text => `“${text.replaceAll(/[<*_]/g, '\\$&')}”`);
  return [is, ...(quoted.length > 0 ? [`(${quoted.join(' ')})`] : [])].join(' ');
}

function happensText(happens: Happens): string {
  const code = 'code' in happens ? ` (\`${happens.code}\`)` : '';
  return `*${happens.is.charAt(0).toUpperCase()}${happens.is.slice(1)}*${code}`;
}
