import { type Html, html, type Part } from './html.ts';

/** A message about what was just done, or what went wrong. */
export interface Notice {
  kind: 'good' | 'info' | 'warn' | 'bad';
  text: Part;
}

export const noticeBox = ({ kind, text }: Notice): Html =>
  html`<div class="notice ${kind}" role="${kind === 'bad' ? 'alert' : 'status'}">${text}</div>`;
