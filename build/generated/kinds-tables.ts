import type { Happens } from '../../test/kinds/kind.ts';
import { kinds } from '../../test/kinds/kinds.ts';
import { listItem } from './markdown.ts';

/**
 * For docs/formats.md: the kinds of files, by what happens to them. What to do about one is in the message. Those that
 * are scored without an option are left out: the page describes them.
 */
export function kindsList(): string {
  const lists = new Map<string, string[]>();
  for (const kind of Object.values(kinds).flat()) {
    if (kind.happens.is === 'scored' && kind.options === undefined) continue;
    const happened = happensText(kind.happens);
    lists.set(happened, [...(lists.get(happened) ?? []), kind.is]);
  }
  return [...lists].map(([happened, items]) => listItem(`${happened}: ${items.join('; ')}.`)).join('\n');
}

function happensText(happens: Happens): string {
  const code = 'code' in happens ? ` (\`${happens.code}\`)` : '';
  return `*${happens.is.charAt(0).toUpperCase()}${happens.is.slice(1)}*${code}`;
}
