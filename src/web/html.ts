import { sanitize } from '../base/sanitize.ts';

/** Markup: everything in it that came from outside has been escaped. Only this file makes it. */
export class Html {
  readonly #text: string;

  constructor(key: symbol, text: string) {
    if (key !== own) throw new Error('markup is made with the template html');
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

/** What a template may contain: text is escaped, markup is not, and an absent part leaves nothing. */
export type HtmlPart = Html | string | number | false | null | undefined | readonly HtmlPart[];

/** Keeps other files from making markup of text that is not escaped. */
const own = Symbol('html');

/**
 * A tagged template for markup. All values are escaped, so that they are text or the value of an attribute, never
 * markup; attributes must be quoted.
 */
export function html(strings: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html {
  let text = strings[0] ?? '';
  for (const [i, part] of parts.entries()) text += markupOf(part) + strings[i + 1];
  return new Html(own, text);
}

/**
 * A name or value from a file, as text: without control characters, and not able to change the direction of the text
 * around it.
 */
export const named = (text: string): Html => html`<bdi>${sanitize(text)}</bdi>`;

/** An attribute without a value, if a condition holds. */
export const flag = (
  name: 'checked' | 'disabled' | 'hidden' | 'open' | 'required' | 'selected',
  isSet: boolean,
): Html => (isSet ? new Html(own, ` ${name}`) : nothing);

const nothing = new Html(own, '');

function markupOf(part: HtmlPart): string {
  if (part instanceof Html) return part.toString();
  if (typeof part === 'object' && part !== null) return part.map(markupOf).join('');
  if (part === undefined || part === null || part === false) return '';
  return escaped(String(part));
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escaped = (text: string): string => text.replace(/[&<>"']/g, character => entities[character] ?? '');
