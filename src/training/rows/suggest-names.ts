import leven from 'leven';

/** Names that are suggested at most. */
const MAX_SUGGESTIONS = 3;

/** The names that somebody may have meant by one that there is not: those that are most like it. */
export function suggestNames(wanted: string, names: readonly string[]): string[] {
  const plain = plainly(wanted);
  // A third of the letters may be wrong; with more, any short name would be like any other.
  const mostWrong = Math.floor((plain.length + 1) / 3);
  const near = [...new Set(names)]
    .map(name => ({ name, wrong: distance(plain, plainly(name), mostWrong + 1) }))
    .filter(({ wrong }) => wrong <= mostWrong);
  const least = Math.min(...near.map(({ wrong }) => wrong));
  return near
    .filter(({ wrong }) => wrong === least)
    .slice(0, MAX_SUGGESTIONS)
    .map(({ name }) => name);
}

/** Letters that must change; a name that begins with the other, or ends in it, is but one away. */
function distance(a: string, b: string, maxDistance: number): number {
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  const isPart = short.length > 2 && (long.startsWith(short) || long.endsWith(short));
  return isPart && a !== b ? 1 : leven(a, b, { maxDistance });
}

/** Case, spaces and punctuation are what is mistaken most often. */
function plainly(name: string): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');
}
