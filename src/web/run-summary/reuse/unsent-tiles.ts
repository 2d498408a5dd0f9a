import type { Summary } from '../../../runs/summary/summary.ts';
import { type Html, html } from '../../html.ts';
import { tile } from '../../page-in-one-file.ts';
import { countText, percentOf } from '../../texts.ts';

/** Scored rows that were not sent, unless there could be none, and what that has saved. */
export const unsentTiles = ({ rows, saved }: Summary): Html =>
  html`${notSent('Rows reused', rows.reused, rows)}
${notSent('Rows equal to others', rows.equal, rows)}
${saved !== undefined && tile('Saved', saved.toFixed(2), 'by rows that were not sent')}`;

const notSent = (name: string, count: number | undefined, { scored }: Summary['rows']): Html | false =>
  count !== undefined &&
  tile(name, countText(count), scored === 0 ? undefined : `${percentOf(count / scored)} of those scored`);
