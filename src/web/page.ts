import type { FastifyReply, FastifyRequest } from 'fastify';
import { OWN_KEY } from '../server/auth/principal.ts';
import { type AssetName, assetPath } from './assets.ts';
import { type Html, html } from './html.ts';
import { noticeBox } from './notice.ts';
import { csrfField } from './session/csrf.ts';
import { OWNER, type Session } from './session/sessions.ts';

/** A page, without the frame that all pages share. */
export interface Page {
  /** The title of the window; the heading of the page is part of the content. */
  title: string;
  current?: Section;
  /** The pages above it, the uppermost first. */
  trail?: readonly Link[];
  content: Html;
  /** Style sheets besides the one of all pages. */
  styles?: readonly AssetName[];
  scripts?: readonly AssetName[];
  /** A path that the browser goes on to at once. */
  refreshTo?: string;
}

interface Link {
  href: string;
  text: string;
}

const sections = [
  { href: '/', text: 'Reports' },
  { href: '/runs', text: 'Scoring' },
  { href: '/keys', text: 'Keys' },
] as const satisfies readonly Link[];

type Section = (typeof sections)[number]['href'];

/** Sends a page, with the notices of the session. */
export function sendPage(request: FastifyRequest, reply: FastifyReply, page: Page): FastifyReply {
  // Unknown paths have no session, because they are handled outside of the platform.
  const session = request.session ?? undefined;
  const notices = session?.notices.splice(0) ?? [];
  // `rel="expect"`: nothing is drawn before the end has arrived, because tables widen with their rows
  // (https://html.spec.whatwg.org/multipage/links.html#link-type-expect).
  const text = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${session && html`<meta name="csrf-token" content="${session.csrfToken}">`}
${page.refreshTo && html`<meta http-equiv="refresh" content="0; url=${page.refreshTo}">`}
<title>${page.title} · rowcast</title>
<link rel="expect" href="#end" blocking="render">
<link rel="icon" href="${assetPath('icon.svg')}" type="image/svg+xml">
<link rel="stylesheet" href="${assetPath('style.css')}">
${page.styles?.map(name => html`<link rel="stylesheet" href="${assetPath(name)}">`)}
${page.scripts?.map(name => html`<script type="module" src="${assetPath(name)}"></script>`)}
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
${header(session, page.current)}
<main id="content" class="page" tabindex="-1">
${page.trail && trailOf(page.trail)}
${notices.map(noticeBox)}
${page.content}
</main>
<div id="end"></div>
</body>
</html>
`;
  return reply.type('text/html; charset=utf-8').send(text.toString());
}

function header(session: Session | undefined, current: Section | undefined): Html {
  return html`<header class="header"><div class="header-inner">
<a class="brand" href="/"><img src="${assetPath('icon.svg')}" alt="" width="20" height="20">rowcast</a>
${session && navigation(session, current)}
</div></header>`;
}

function navigation(session: Session, current: Section | undefined): Html {
  const links = sections.map(
    ({ href, text }) =>
      html`<li><a href="${href}"${href === current && html` aria-current="page"`}>${text}</a></li>`,
  );
  return html`<nav class="nav" aria-label="Main"><ul>${links}</ul></nav>
<form class="sign-out" method="post" action="/platform/sign-out">${csrfField(session)}
${signedInAs(session.principal)}
<button class="button quiet" type="submit">Sign out</button></form>`;
}

const signedInAs = ({ name }: Session['principal']): Html =>
  name === OWNER
    ? html`<span class="muted" title="You signed in with an address from the terminal">Owner</span>`
    : html`<span class="muted" title="The key that you signed in with">${name === OWN_KEY ? 'this computer' : name}</span>`;

function trailOf(trail: readonly Link[]): Html {
  return html`<nav class="trail" aria-label="Breadcrumb"><ol>${trail.map(
    ({ href, text }) => html`<li><a href="${href}">${text}</a></li>`,
  )}</ol></nav>`;
}

/** Everything comes from the platform itself, from files: no inline scripts or styles, no frames, no other hosts. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

const headers = {
  'content-security-policy': policy,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  // Pages hold data and the token of the session. Assets have a header of their own.
  'cache-control': 'no-store',
};

/** Adds the headers to a response. */
export const setSecurityHeaders = (reply: FastifyReply): FastifyReply => reply.headers(headers);
