import picomatch from 'picomatch';
import { SPECIAL } from '../folders.ts';

/** The part of a pattern before its first special character: all its objects begin with it. */
export const prefixOf = (pattern: string): string => pattern.slice(0, pattern.search(SPECIAL));

/**
 * A test of the URLs of objects. `*` stops at a slash, `**` does not; there are no hidden files in a store. What stands before
 * the first special character is literal.
 */
export function objectPattern(pattern: string): (url: string) => boolean {
  const prefix = prefixOf(pattern);
  // Whole folders are matched, so a pattern that begins in the middle of a name is completed by the part before it.
  const slash = prefix.lastIndexOf('/') + 1;
  const literal = prefix.slice(slash).replace(/[\\()!+@^$|.{}[\]*?]/g, '\\$&');
  const matches = picomatch(literal + pattern.slice(prefix.length), {
    dot: true,
    nonegate: true,
    noextglob: true,
    strictSlashes: true,
  });
  return url => url.startsWith(prefix) && matches(url.slice(slash));
}
