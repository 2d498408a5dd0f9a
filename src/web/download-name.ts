import { sanitize } from '../base/sanitize.ts';

/**
 * The value of Content-Disposition for a download (RFC 6266): browsers use the second name, other clients the first one.
 *
 * @param name may come from a user; no path of it is kept
 */
export function attachment(name: string): string {
  const plain = sanitize(name.replace(/^.*[/\\]/, '')).replace(/^\.+/, '') || 'download';
  const ascii = plain.replace(/[^A-Za-z0-9._-]/g, '_');
  const encoded = encodeURIComponent(wellFormed(plain)).replace(
    /['()*!]/g,
    character => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}

/** Half of a surrogate pair cannot be encoded; through bytes it becomes a replacement character. */
const wellFormed = (text: string): string => Buffer.from(text).toString();
