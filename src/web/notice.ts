import { type Html, type HtmlPart, html } from './html.ts';

/** A message about what was just done, or what went wrong. */
export interface Notice {
  kind: 'good' | 'info' | 'warn' | 'bad';
  text: HtmlPart;
}

export const noticeBox = ({ kind, text }: Notice): Html =>
  html`<div class="notice ${kind}" role="${kind === 'bad' ? 'alert' : 'status'}">${text}</div>`;

/** Notices that wait for the next page; forms that are sent without loading one leave many. */
const MAX_WAITING = 10;

/** Shows a notice on the next page of a session. */
export function addNotice({ notices }: { notices: Notice[] }, notice: Notice): void {
  notices.push(notice);
  if (notices.length > MAX_WAITING) notices.shift();
}
