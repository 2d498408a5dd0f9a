import leven from 'leven';

/** Maximum number of names to suggest. */
const MAX_SUGGESTIONS = 3;

/**
 * The existing names that are most similar to an unknown one.
 *
 * @param wrongShare the share of its letters that may be wrong
 */
export function suggestNames(wanted: string, names: readonly string[], wrongShare = 1 / 3): string[] {
  const plain = plainly(wanted);
  // With more than a third, all short names would be similar.
  const maxWrong = Math.floor((plain.length + 1) * wrongShare);
  const near = [...new Set(names)]
    .map(name => ({ name, wrong: distance(plain, plainly(name), maxWrong + 1) }))
    .filter(({ wrong }) => wrong <= maxWrong);
  const least = Math.min(...near.map(({ wrong }) => wrong));
  return near
    .filter(({ wrong }) => wrong === least)
    .slice(0, MAX_SUGGESTIONS)
    .map(({ name }) => name);
}

/** The edit distance; 1 if one name is the beginning or the end of the other, and at least half of it. */
function distance(a: string, b: string, maxDistance: number): number {
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  const isPart =
    short.length > 2 && 2 * short.length >= long.length && (long.startsWith(short) || long.endsWith(short));
  return isPart && a !== b ? 1 : leven(a, b, { maxDistance });
}

/** Ignores case, spaces and punctuation, the most frequent mistakes. */
function plainly(name: string): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');
}
