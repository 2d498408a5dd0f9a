import type { Happens, Kind } from '../../test/kinds/kind.ts';
import { kinds } from '../../test/kinds/kinds.ts';
import { markdownTable } from './markdown.ts';

/** For docs/what-rowcast-makes-of-your-file.md: the tables of what is scored, rejected and refused, by heading. */
export const kindsTables = (): Map<string, string> =>
  new Map(
    Object.entries(kinds).map(([heading, list]) => [
      heading,
      markdownTable(['your file', 'what happens', 'what rowcast says'], list.map(row)),
    ]),
  );

const row = ({ is, happens, says = [] }: Kind): string[] => [
  is.replaceAll('|', '\\|'),
  happened(happens),
  says.map(text => `“${text.replaceAll(/[|<*_]/g, '\\$&')}”`).join(' '),
];

function happened(happens: Happens): string {
  if (happens.is === 'scored') return 'scored';
  if (happens.is !== 'rejected') return `${happens.is}: \`${happens.code}\``;
  return `${happens.rows} of 4 rows rejected: \`${happens.code}\``;
}
